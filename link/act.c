#include "link/act.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int error;
	const char *text;
} causes[] = {
	{EACCES, "this user may not; run as root (sudo)"},
	{EPERM, "the kernel refuses although the file is there: firmware kept ASPM, or a security "
		"policy of the lockdown kind forbids it; the links are measured as found"},
	{EROFS, "sysfs is mounted read-only (a container?); run on the host"},
	{ENOENT, "the file is gone: the device was removed or has no such state"},
	{ENODEV, "the device is gone"},
	{EINVAL, "the kernel does not know this value"},
};

const char *pl_link_cause(int error)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].error == error)
			return causes[i].text;
	return "no known remedy";
}

static int fail_write(struct pl_err *err, int rc, const char *path, const char *value)
{
	return pl_fail(err, rc, "cannot write %s to /%s: %s: %s", value, path, strerror(-rc),
		       pl_link_cause(-rc));
}

int pl_link_write_attr(const struct pl_link_io *io, const struct pl_sysroot *root,
		       struct pl_bdf child, struct pl_link_write write, struct pl_err *err)
{
	char path[PL_LINK_PATH_BYTES], name[32];
	const char *value = write.value ? "1" : "0";
	int rc;

	snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(write.attr));
	rc = io->write_text(io->ctx, root, pl_link_device_path(path, child, name), value);
	return rc ? fail_write(err, rc, path, value) : 0;
}

int pl_link_apply(const struct pl_link_io *io, const struct pl_sysroot *root,
		  const struct pl_aspm_link *found, unsigned target, struct pl_err *err)
{
	struct pl_link_write writes[PL_LINK_WRITES_MAX];
	size_t count = pl_link_build_writes(found->attr, target, writes);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = pl_link_write_attr(io, root, found->down[0].bdf, writes[i], err);
	return rc;
}

int pl_link_put_text(const struct pl_link_io *io, const struct pl_sysroot *root, const char *path,
		     const char *value, struct pl_err *err)
{
	char now[PL_JOURNAL_VALUE_BYTES];
	int rc = io->write_text(io->ctx, root, path, value);

	if (rc)
		return fail_write(err, rc, path, value);
	rc = pl_link_read_line(root, path, now, sizeof(now));
	if (rc)
		return pl_fail(err, rc, "/%s: %s", path, strerror(-rc));
	if (strcmp(now, value))
		return pl_fail(err, -EIO, "/%s says %s after %s was written", path, now, value);
	return 0;
}

int pl_link_read_policy(const struct pl_sysroot *root, char *out, size_t size)
{
	char line[128], *open, *close;
	int rc = pl_link_read_line(root, PL_LINK_POLICY, line, sizeof(line));

	if (rc)
		return rc;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close || (size_t)(close - open) > size)
		return -EINVAL;
	*close = '\0';
	snprintf(out, size, "%s", open + 1);
	return 0;
}

int pl_link_put_policy(const struct pl_link_io *io, const struct pl_sysroot *root,
		       const char *policy, struct pl_err *err)
{
	char now[PL_JOURNAL_VALUE_BYTES];
	int rc = io->write_text(io->ctx, root, PL_LINK_POLICY, policy);

	if (rc)
		return fail_write(err, rc, PL_LINK_POLICY, policy);
	rc = pl_link_read_policy(root, now, sizeof(now));
	if (rc || strcmp(now, policy))
		return pl_fail(err, -EIO, "the ASPM policy is not %s after it was written", policy);
	return 0;
}
