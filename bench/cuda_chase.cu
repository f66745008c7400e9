/*
 * The yardstick of bench/gpu_device.sh: the same question asked through CUDA. One thread walks one
 * random cycle (nodes 512 bytes apart) in pinned host memory with volatile loads; ns per load by
 * slope over two lengths, least of many; the node at the end is compared with the CPU's walk.
 *   cuda_chase [REGION_BYTES]
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                               \
	do {                                                                                      \
		cudaError_t error_ = (call);                                                      \
		if (error_ != cudaSuccess) {                                                      \
			fprintf(stderr, "cuda_chase: %s: %s\n", #call,                            \
				cudaGetErrorString(error_));                                      \
			return 1;                                                                 \
		}                                                                                 \
	} while (0)

static const uint32_t cell_words = 128;
static const uint32_t hops = 16384;

__global__ void chase(const volatile uint32_t *words, uint32_t start, uint32_t count, uint32_t *end)
{
	uint32_t at = start;

	for (uint32_t i = 0; i < count; i++)
		at = words[at];
	*end = at;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 0) : 16u << 20;
	std::vector<uint32_t> order(bytes / 512);
	std::mt19937 random(1);
	cudaEvent_t from, to;
	uint32_t *words, *end;
	float least[2] = {1e9f, 1e9f};

	std::iota(order.begin(), order.end(), 0u);
	for (size_t i = order.size() - 1; i > 0; i--)
		std::swap(order[i], order[random() % (i + 1)]);
	CHECK(cudaHostAlloc((void **)&words, bytes, cudaHostAllocMapped));
	CHECK(cudaMallocManaged((void **)&end, sizeof(*end)));
	for (size_t i = 0; i < order.size(); i++)
		words[order[i] * cell_words] = order[(i + 1) % order.size()] * cell_words;
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	for (int i = 0; i < 40; i++) {
		uint32_t count = i % 2 ? hops : hops / 4;
		float ms;

		CHECK(cudaEventRecord(from));
		chase<<<1, 1>>>(words, order[0] * cell_words, count, end);
		CHECK(cudaEventRecord(to));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (*end != order[count % order.size()] * cell_words) {
			fprintf(stderr, "cuda_chase: ended on a wrong node\n");
			return 1;
		}
		if (ms < least[i % 2])
			least[i % 2] = ms;
	}
	printf("{\"region_bytes\": %zu, \"ns_per_load\": %.2f}\n", bytes,
	       (double)(least[1] - least[0]) * 1e6 / (hops - hops / 4));
	return 0;
}
