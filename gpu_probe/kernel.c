#include "gpu_probe/kernel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/clock.h"
#include "shaders/chase.h"
#include "shaders/gap_device.h"
#include "shaders/gap_mixed.h"
#include "shaders/gap_subgroup.h"
#include "shaders/load_device.h"
#include "shaders/load_subgroup.h"
#include "shaders/on_chip.h"
#include "shaders/pong.h"
#include "shaders/read.h"
#include "shaders/tick_device.h"
#include "shaders/tick_subgroup.h"
#include "shaders/warm.h"

/* A dispatch is sized for well under half a second; what takes longer than this hangs. */
#define LOCAL_SIZE 64
#define TIMEOUT_NS (UINT64_C(20) * 1000 * 1000 * 1000)

struct code {
	const char *name;
	const uint32_t *words;
	size_t size_bytes;
	bool is_single_lane; /* software devices run lanes one after another: they get one */
};

#define CODE(name, words, single)                                                                  \
	{                                                                                          \
		name, words, sizeof(words), single                                                 \
	}

/* The name stands in sentences: "gpu0: NAME failed". */
static const struct code codes[PL_KERNEL_COUNT] = {
	[PL_KERNEL_CHASE] = CODE("the chase", pl_spirv_chase, true),
	[PL_KERNEL_ON_CHIP] = CODE("the chase on chip", pl_spirv_on_chip, true),
	[PL_KERNEL_LOAD_DEVICE] = CODE("timing loads", pl_spirv_load_device, true),
	[PL_KERNEL_LOAD_SUBGROUP] = CODE("timing loads", pl_spirv_load_subgroup, true),
	[PL_KERNEL_GAP_DEVICE] = CODE("timing loads after a gap", pl_spirv_gap_device, true),
	[PL_KERNEL_GAP_MIXED] = CODE("timing loads after a gap", pl_spirv_gap_mixed, true),
	[PL_KERNEL_GAP_SUBGROUP] = CODE("timing loads after a gap", pl_spirv_gap_subgroup, true),
	[PL_KERNEL_TICK_DEVICE] = CODE("calibrating the clock", pl_spirv_tick_device, true),
	[PL_KERNEL_TICK_SUBGROUP] = CODE("calibrating the clock", pl_spirv_tick_subgroup, true),
	[PL_KERNEL_READ] = CODE("reading the region", pl_spirv_read, false),
	[PL_KERNEL_PONG] = CODE("the ping-pong", pl_spirv_pong, true),
	[PL_KERNEL_WARM] = CODE("warming up", pl_spirv_warm, false),
};

static int make_pipeline(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, struct pl_err *err)
{
	const struct code *code = &codes[kernel];
	bool one = code->is_single_lane && d->kind == PL_GPU_SOFTWARE;
	uint32_t local_size = one ? 1 : LOCAL_SIZE;
	VkSpecializationMapEntry entry = {0, 0, sizeof(local_size)};
	VkSpecializationInfo constants = {1, &entry, sizeof(local_size), &local_size};
	VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					   .codeSize = code->size_bytes,
					   .pCode = code->words};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main",
			  .pSpecializationInfo = &constants},
		.layout = d->layout};
	VkResult result = d->vk.vkCreateShaderModule(d->device, &module, NULL, &info.stage.module);

	if (!result)
		result = d->vk.vkCreateComputePipelines(d->device, NULL, 1, &info, NULL,
							&d->pipelines[kernel]);
	d->vk.vkDestroyShaderModule(d->device, info.stage.module, NULL);
	return pl_gpu_check(d, result, code->name, err);
}

static void bind_buffers(struct pl_gpu_device *d, const struct pl_gpu_buffer *chain)
{
	VkDescriptorBufferInfo buffers[2] = {{chain->buffer, 0, VK_WHOLE_SIZE},
					     {d->result.buffer, 0, VK_WHOLE_SIZE}};
	VkWriteDescriptorSet writes[2];

	for (uint32_t i = 0; i < 2; i++)
		writes[i] =
			(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					       .dstSet = d->set,
					       .dstBinding = i,
					       .descriptorCount = 1,
					       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					       .pBufferInfo = &buffers[i]};
	d->vk.vkUpdateDescriptorSets(d->device, 2, writes, 0, NULL);
}

static VkResult begin(struct pl_gpu_device *d)
{
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					 .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	VkResult result = d->vk.vkBeginCommandBuffer(d->command, &info);

	if (!result && d->queries)
		d->vk.vkCmdResetQueryPool(d->command, d->queries, 0, 2);
	return result;
}

static void stamp(struct pl_gpu_device *d, VkPipelineStageFlagBits stage, uint32_t query)
{
	if (d->queries)
		d->vk.vkCmdWriteTimestamp(d->command, stage, d->queries, query);
}

/* What the GPU wrote must be there for the host, and for the next copy. */
static VkResult end(struct pl_gpu_device *d)
{
	VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_READ_BIT |
				 VK_ACCESS_TRANSFER_READ_BIT};

	d->vk.vkCmdPipelineBarrier(
		d->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
			VK_PIPELINE_STAGE_TRANSFER_BIT,
		0, 1, &barrier, 0, NULL, 0, NULL);
	return d->vk.vkEndCommandBuffer(d->command);
}

static VkResult read_timestamps(struct pl_gpu_device *d, double *ns)
{
	uint64_t ticks[2], mask = d->timestamp_bits >= 64 ? UINT64_MAX
							  : (UINT64_C(1) << d->timestamp_bits) - 1;
	VkResult result;

	*ns = (double)NAN;
	if (!d->queries)
		return VK_SUCCESS;
	result = d->vk.vkGetQueryPoolResults(d->device, d->queries, 0, 2, sizeof(ticks), ticks,
					     sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT);
	if (!result && !pl_gpu_timestamp_reason(d))
		*ns = (double)((ticks[1] - ticks[0]) & mask) *
		      (double)d->properties.limits.timestampPeriod;
	return result;
}

static VkResult submit(struct pl_gpu_device *d)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &d->command};

	d->submitted_ns = pl_raw_ns();
	return d->vk.vkQueueSubmit(d->queue, 1, &info, d->fence);
}

static VkResult wait(struct pl_gpu_device *d, struct pl_gpu_timing *timing)
{
	VkResult result = d->vk.vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, TIMEOUT_NS);

	d->busy_until_ns = pl_raw_ns();
	timing->host_ns = (double)(d->busy_until_ns - d->submitted_ns);
	if (!result)
		result = d->vk.vkResetFences(d->device, 1, &d->fence);
	return result ? result : read_timestamps(d, &timing->device_ns);
}

/* A command that did not finish in time is still running: nothing may follow it. */
static int finish(struct pl_gpu_device *d, VkResult result, const char *doing, struct pl_err *err)
{
	int rc = pl_gpu_check(d, result, doing, err);

	if (result == VK_TIMEOUT && !d->is_lost) {
		d->is_lost = true;
		snprintf(d->lost_why, sizeof(d->lost_why),
			 "%s: %s did not end within 20 s; the device is not used again", d->name,
			 doing);
	}
	return rc;
}

static VkResult record_dispatch(struct pl_gpu_device *d, enum pl_gpu_kernel kernel,
				const struct pl_push *push, uint32_t groups)
{
	VkResult result = begin(d);

	if (result)
		return result;
	d->vk.vkCmdBindPipeline(d->command, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipelines[kernel]);
	d->vk.vkCmdBindDescriptorSets(d->command, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1,
				      &d->set, 0, NULL);
	d->vk.vkCmdPushConstants(d->command, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
				 sizeof(*push), push);
	stamp(d, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0);
	d->vk.vkCmdDispatch(d->command, groups, 1, 1);
	stamp(d, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 1);
	return end(d);
}

int pl_gpu_start(struct pl_gpu_device *d, enum pl_gpu_kernel kernel,
		 const struct pl_gpu_buffer *chain, const struct pl_push *push, uint32_t groups,
		 struct pl_err *err)
{
	VkResult result;
	int rc = 0;

	if (d->is_lost)
		return pl_fail(err, -EIO, "%s", d->lost_why);
	if (!d->pipelines[kernel])
		rc = make_pipeline(d, kernel, err);
	if (rc)
		return rc;
	bind_buffers(d, chain);
	for (size_t i = 0; i < PL_RESULT_RECORD; i++)
		d->result.words[i] = 0;
	result = record_dispatch(d, kernel, push, groups);
	if (!result)
		result = submit(d);
	return pl_gpu_check(d, result, codes[kernel].name, err);
}

int pl_gpu_finish(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, struct pl_gpu_timing *timing,
		  struct pl_err *err)
{
	return finish(d, wait(d, timing), codes[kernel].name, err);
}

int pl_gpu_dispatch(struct pl_gpu_device *d, enum pl_gpu_kernel kernel,
		    const struct pl_gpu_buffer *chain, const struct pl_push *push, uint32_t groups,
		    struct pl_gpu_timing *timing, struct pl_err *err)
{
	int rc = pl_gpu_start(d, kernel, chain, push, groups, err);

	return rc ? rc : pl_gpu_finish(d, kernel, timing, err);
}

int pl_gpu_copy(struct pl_gpu_device *d, const struct pl_gpu_buffer *from,
		const struct pl_gpu_buffer *to, uint64_t size_bytes, struct pl_gpu_timing *timing,
		struct pl_err *err)
{
	VkBufferCopy region = {0, 0, size_bytes};
	VkResult result;

	if (d->is_lost)
		return pl_fail(err, -EIO, "%s", d->lost_why);
	result = begin(d);
	if (!result) {
		stamp(d, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0);
		d->vk.vkCmdCopyBuffer(d->command, from->buffer, to->buffer, 1, &region);
		stamp(d, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 1);
		result = end(d);
	}
	if (!result)
		result = submit(d);
	if (!result)
		result = wait(d, timing);
	return finish(d, result, "copying", err);
}
