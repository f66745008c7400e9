#include "tests/fake/fake_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link/journal.h"

/* The kernel's own bits: L0s has two directions. */
enum {
	K_L0S_UP = 1,
	K_L0S_DOWN = 2,
	K_L1 = 4,
	K_L1_1 = 8,
	K_L1_2 = 16,
	K_L1_1_PCIPM = 32,
	K_L1_2_PCIPM = 64,
	K_SUBSTATES = K_L1_1 | K_L1_2 | K_L1_1_PCIPM | K_L1_2_PCIPM,
	K_PCIPM = K_L1_1_PCIPM | K_L1_2_PCIPM,
};

static const unsigned attr_bits[PL_ATTR_COUNT] = {
	[PL_ATTR_CLKPM] = 0,
	[PL_ATTR_L0S] = K_L0S_UP | K_L0S_DOWN,
	[PL_ATTR_L1] = K_L1,
	[PL_ATTR_L1_1] = K_L1_1,
	[PL_ATTR_L1_2] = K_L1_2,
	[PL_ATTR_L1_1_PCIPM] = K_L1_1_PCIPM,
	[PL_ATTR_L1_2_PCIPM] = K_L1_2_PCIPM,
};

static const char *const policies[] = {"default", "performance", "powersave", "powersupersave"};

/* L1SS register bit n means this state of the kernel. */
static const unsigned l1ss_bits[4] = {K_L1_2_PCIPM, K_L1_1_PCIPM, K_L1_2, K_L1_1};

static unsigned from_l1ss(unsigned field)
{
	unsigned bits = 0;

	for (int i = 0; i < 4; i++)
		if (field & (1u << i))
			bits |= l1ss_bits[i];
	return bits;
}

static unsigned to_l1ss(unsigned bits)
{
	unsigned field = 0;

	for (int i = 0; i < 4; i++)
		if (bits & l1ss_bits[i])
			field |= 1u << i;
	return field;
}

static uint8_t *config_up(struct fake_kernel *fake, size_t index)
{
	return fake->function[fake->link[index].up].config;
}

static uint8_t *config_down(struct fake_kernel *fake, size_t index)
{
	return fake->function[fake->link[index].down[0]].config;
}

bool fake_has_l1ss(const uint8_t *config)
{
	return fake_get16(config, 0x102) >> 4 == FAKE_L1SS; /* where the first header points */
}

/* A capability or control register of both ends; 0 when one end has no L1SS. */
static uint32_t common_l1ss(struct fake_kernel *fake, size_t index, unsigned offset)
{
	const uint8_t *up = config_up(fake, index), *down = config_down(fake, index);

	if (!fake_has_l1ss(up) || !fake_has_l1ss(down))
		return 0;
	return fake_get32(up, offset) & fake_get32(down, offset);
}

static unsigned supported(struct fake_kernel *fake, size_t index)
{
	const uint8_t *up = config_up(fake, index), *down = config_down(fake, index);
	unsigned aspm = (fake_get32(up, FAKE_LNKCAP) & fake_get32(down, FAKE_LNKCAP)) >> 10;
	unsigned l1ss = common_l1ss(fake, index, FAKE_L1SS + 4);
	unsigned bits = (aspm & 1 ? K_L0S_UP | K_L0S_DOWN : 0) | (aspm & 2 ? K_L1 : 0);

	return bits & K_L1 && l1ss & 0x10 ? bits | from_l1ss(l1ss) : bits;
}

static unsigned enabled(struct fake_kernel *fake, size_t index)
{
	const uint8_t *up = config_up(fake, index), *down = config_down(fake, index);
	unsigned up_ctl = fake_get16(up, FAKE_LNKCTL), down_ctl = fake_get16(down, FAKE_LNKCTL);
	unsigned bits = (up_ctl & 1 ? K_L0S_DOWN : 0) | (down_ctl & 1 ? K_L0S_UP : 0) |
			(up_ctl & down_ctl & 2 ? K_L1 : 0);

	return bits | from_l1ss(common_l1ss(fake, index, FAKE_L1SS_CTL1));
}

static void boot_clkpm(struct fake_kernel *fake, size_t index)
{
	const struct fake_link *link = &fake->link[index];
	bool capable = true, on = true;

	for (size_t i = 0; i < link->down_count; i++) {
		const uint8_t *c = fake->function[link->down[i]].config;

		capable &= fake_get32(c, FAKE_LNKCAP) >> 18 & 1;
		on &= fake_get16(c, FAKE_LNKCTL) >> 8 & 1;
	}
	fake->state->link[index].clkpm_capable = capable;
	fake->state->link[index].clkpm_enabled = fake->state->link[index].clkpm_default = on;
}

/* A driver that forbade a state before the tool came: marked, and off in the registers. */
static void mark_by_driver(struct fake_kernel *fake, size_t index, struct pl_rng *rng)
{
	unsigned mark = 1u << pl_rng_below(rng, 7), *disabled = &fake->state->link[index].disabled;
	unsigned gone = mark & K_L1 ? mark | K_SUBSTATES : mark;

	if (mark & (K_L0S_UP | K_L0S_DOWN))
		gone = mark = K_L0S_UP | K_L0S_DOWN;
	if (fake->state->link[index].enabled & gone)
		return; /* keep it simple: only states that are off get a mark */
	*disabled |= mark;
}

void fake_boot_link(struct fake_kernel *fake, size_t index, struct pl_rng *rng, bool may_mark)
{
	fake->state->link[index].capable = supported(fake, index);
	fake->state->link[index].enabled = enabled(fake, index) & fake->state->link[index].capable;
	fake->state->link[index].defaults = fake->state->link[index].enabled;
	boot_clkpm(fake, index);
	if (may_mark && pl_rng_below(rng, 3) == 0)
		mark_by_driver(fake, index, rng);
	fake->state->link[index].is_undriven = may_mark && pl_rng_below(rng, 8) == 0;
}

bool fake_attr_exists(const struct fake_kernel *fake, size_t index, enum pl_aspm_attr attr)
{
	if (attr == PL_ATTR_CLKPM)
		return fake->state->link[index].clkpm_capable;
	return fake->state->link[index].capable & attr_bits[attr];
}

void fake_show_attrs(struct fake_kernel *fake, size_t index)
{
	for (int a = 0; a < PL_ATTR_COUNT; a++) {
		bool on = a == PL_ATTR_CLKPM
				  ? fake->state->link[index].clkpm_enabled
				  : (fake->state->link[index].enabled & attr_bits[a]) != 0;

		if (fake->link[index].attr[a])
			fake->link[index].attr[a][0] = on ? '1' : '0';
	}
}

/* Always the same length, as only the brackets move. */
void fake_show_policy(struct fake_kernel *fake)
{
	char text[65] = "";

	for (unsigned i = 0; i < 4; i++) {
		bool is_set = i == fake->state->policy;
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s%s ", is_set ? "[" : "",
			 policies[i], is_set ? "]" : "");
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "\n");
	memset(fake->policy_text, '\n', 64);
	memcpy(fake->policy_text, text, strlen(text));
}

static unsigned policy_mask(const struct fake_kernel *fake, size_t index)
{
	static const unsigned all = K_L0S_UP | K_L0S_DOWN | K_L1;

	switch (fake->state->policy) {
	case 0:
		return fake->state->link[index].defaults;
	case 1:
		return 0;
	case 2:
		return all;
	default:
		return all | K_SUBSTATES;
	}
}

/* Writes to what is gone go nowhere. */
static bool can_write(const struct fake_kernel *fake, size_t index, size_t function)
{
	return !fake->state->link[index].is_stuck && !(fake->state->gone & FAKE_BIT(function));
}

static void put_lnkctl(struct fake_kernel *fake, size_t index, size_t function, unsigned mask,
		       unsigned value)
{
	uint8_t *c = fake->function[function].config;

	if (can_write(fake, index, function))
		fake_put16(c, FAKE_LNKCTL,
			   (uint16_t)((fake_get16(c, FAKE_LNKCTL) & ~mask) | value));
}

static void put_l1ss(struct fake_kernel *fake, size_t index, size_t function, unsigned value)
{
	uint8_t *c = fake->function[function].config;

	if (can_write(fake, index, function))
		fake_put32(c, FAKE_L1SS_CTL1, (fake_get32(c, FAKE_L1SS_CTL1) & ~0xfu) | value);
}

/* Both ends, in the kernel's order; kill tests cannot see in between, so order is only shape. */
static void configure(struct fake_kernel *fake, size_t index, unsigned want)
{
	const struct fake_link *link = &fake->link[index];
	unsigned *now = &fake->state->link[index].enabled, up, down;

	want &= fake->state->link[index].capable & ~fake->state->link[index].disabled;
	if (!(want & K_L1))
		want &= ~(unsigned)K_SUBSTATES;
	if (fake->state->link[index].is_undriven)
		want = (want & ~(unsigned)K_PCIPM) | (*now & K_PCIPM);
	if (want == *now)
		return;
	if (fake->state->link[index].capable & K_SUBSTATES) {
		put_l1ss(fake, index, link->down[0], to_l1ss(want));
		put_l1ss(fake, index, link->up, to_l1ss(want));
	}
	up = (want & K_L0S_DOWN ? 1u : 0) | (want & K_L1 ? 2u : 0);
	down = (want & K_L0S_UP ? 1u : 0) | (want & K_L1 ? 2u : 0);
	put_lnkctl(fake, index, link->up, 3, up);
	for (size_t i = 0; i < link->down_count; i++)
		put_lnkctl(fake, index, link->down[i], 3, down);
	*now = want;
}

static void configure_clkpm(struct fake_kernel *fake, size_t index, bool on)
{
	const struct fake_link *link = &fake->link[index];

	on &= fake->state->link[index].clkpm_capable && !fake->state->link[index].clkpm_disabled;
	if (on == fake->state->link[index].clkpm_enabled)
		return;
	for (size_t i = 0; i < link->down_count; i++)
		put_lnkctl(fake, index, link->down[i], 0x100, on ? 0x100 : 0);
	fake->state->link[index].clkpm_enabled = on;
}

static void store_attr(struct fake_kernel *fake, size_t index, enum pl_aspm_attr attr, bool on)
{
	unsigned bits = attr_bits[attr], *disabled = &fake->state->link[index].disabled;

	if (attr == PL_ATTR_CLKPM) {
		fake->state->link[index].clkpm_disabled = !on;
		configure_clkpm(fake, index, on && fake->state->policy >= 2);
	} else if (on) {
		*disabled &= ~bits;
		if (bits & K_SUBSTATES)
			*disabled &= ~(unsigned)K_L1;
	} else {
		*disabled |= bits;
		if (bits & K_L1 && !fake->state->is_old)
			*disabled |= K_SUBSTATES;
	}
	configure(fake, index, policy_mask(fake, index));
	fake_show_attrs(fake, index);
}

static int store_policy(struct fake_kernel *fake, const char *text)
{
	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(text, policies[i]))
			continue;
		if (fake->state->is_aspm_disabled)
			return -EPERM;
		if (i == fake->state->policy)
			return 0;
		fake->state->policy = i;
		for (size_t k = 0; k < fake->link_count; k++) {
			configure(fake, k, policy_mask(fake, k));
			configure_clkpm(fake, k,
					i >= 2 || (i == 0 && fake->state->link[k].clkpm_default));
			fake_show_attrs(fake, k);
		}
		return 0;
	}
	return -EINVAL;
}

static void violate(struct fake_kernel *fake, const char *rule, const char *path, const char *text)
{
	if (!fake->state->violation[0])
		snprintf(fake->state->violation, sizeof(fake->state->violation), "%s: %s = %s",
			 rule, path, text);
}

/* The link that a path belongs to and its attribute; false when it is no link file. */
static bool find_attr(const struct fake_kernel *fake, const char *path, size_t *index,
		      enum pl_aspm_attr *attr)
{
	char expected[PL_LINK_PATH_BYTES], name[32];

	for (*index = 0; *index < fake->link_count; (*index)++)
		for (int a = 0; a < PL_ATTR_COUNT; a++) {
			snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(a));
			pl_link_device_path(expected,
					    fake->function[fake->link[*index].down[0]].bdf, name);
			*attr = a;
			if (!strcmp(path, expected))
				return true;
		}
	return false;
}

/* Write ahead: the link's port must be in the journal on disk. */
static bool is_journalled(const struct pl_sysroot *root, const char *word)
{
	struct pl_arena arena = {NULL};
	char *text;
	bool found = pl_sysroot_read(root, PL_JOURNAL_FILE, &arena, &text, NULL) == 0 &&
		     strstr(text, word);

	pl_arena_fini(&arena);
	return found;
}

static void check_attr(struct fake_kernel *fake, const struct pl_sysroot *root, size_t index,
		       enum pl_aspm_attr attr, const char *path, const char *text)
{
	const uint8_t *up = config_up(fake, index);
	bool is_gone = fake->state->gone & FAKE_BIT(fake->link[index].up);
	bool on = text[0] == '1', l1_on = !is_gone && fake_get16(up, FAKE_LNKCTL) & 2;
	int start = fake->state->link[index].start[attr];
	bool is_pin = fake->state->may_pin && !on;
	char bdf[PL_BDF_TEXT];

	if (attr == PL_ATTR_CLKPM && !is_pin)
		violate(fake, "the reference clock is not a factor", path, text);
	if (start == 0 && !fake->state->may_pin)
		violate(fake, "a file that began 0 is not written", path, text);
	if ((attr_bits[attr] & K_SUBSTATES) && on && !(fake->state->link[index].enabled & K_L1))
		violate(fake, "a substate is set after L1", path, text);
	if ((attr_bits[attr] & (K_SUBSTATES | K_L0S_UP)) && !on && l1_on && !is_pin &&
	    !fake->state->link[index].is_stuck)
		violate(fake, "a state is cleared through L1 off", path, text);
	if (!is_journalled(root, pl_bdf_format(fake->function[fake->link[index].up].bdf, bdf)) &&
	    !is_pin)
		violate(fake, "nothing is written before the journal", path, text);
}

static void log_write(struct fake_kernel *fake, const char *path, const char *text)
{
	struct fake_write *entry = &fake->state->log[fake->state->log_count];

	if (fake->state->log_count + 1 == FAKE_LOG_MAX)
		return;
	snprintf(entry->path, sizeof(entry->path), "%s", path);
	snprintf(entry->text, sizeof(entry->text), "%s", text);
	fake->state->log_count++;
}

static void store_text(char *file, size_t size, const char *text)
{
	memset(file, '\n', size);
	memcpy(file, text, strlen(text));
}

static int store_other(struct fake_kernel *fake, const struct pl_sysroot *root, const char *path,
		       const char *text)
{
	char expected[PL_LINK_PATH_BYTES];

	if (!is_journalled(root, path))
		violate(fake, "nothing is written before the journal", path, text);
	if (strstr(path, "/nvme1/power/pm_qos_latency_tolerance_us")) {
		store_text(fake->latency, 16, text);
		return 0;
	}
	for (size_t i = 0; i < fake->function_count; i++) {
		pl_link_device_path(expected, fake->function[i].bdf, "power/control");
		if (strcmp(path, expected))
			continue;
		store_text(fake->function[i].power, 8, text);
		return 0;
	}
	violate(fake, "no other file is written", path, text);
	return -EINVAL;
}

int fake_write(struct fake_kernel *fake, const struct pl_sysroot *root, const char *path,
	       const char *text)
{
	enum pl_aspm_attr attr;
	size_t index, number = fake->state->log_count + 1;
	int rc;

	log_write(fake, path, text);
	if (number == fake->state->remove_at)
		fake_remove(fake, root,
			    fake->state->remove ? fake->state->remove : FAKE_BIT(FAKE_DRIVE2),
			    fake->state->removal);
	if (fake->state->fail_error && number >= fake->state->fail_from &&
	    (!fake->state->fail_to || number <= fake->state->fail_to))
		return -fake->state->fail_error;
	rc = pl_link_io_files.write_text(NULL, root, path, text);
	if (rc)
		return rc;
	if (find_attr(fake, path, &index, &attr)) {
		check_attr(fake, root, index, attr, path, text);
		store_attr(fake, index, attr, text[0] == '1');
		return 0;
	}
	if (strcmp(path, "sys/module/pcie_aspm/parameters/policy"))
		return store_other(fake, root, path, text);
	rc = store_policy(fake, text);
	fake_show_policy(fake);
	return rc;
}
