/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of src/sim/scenarios/, made into strings by the build. */
#include "sim/scenario.h"

static const struct {
	const char *name, *text;
} scenarios[] = {
	{
		"nuttx-19469",
#include "nuttx-19469.inc"
	},
	{
		"esp-ntb",
#include "esp-ntb.inc"
	},
	{
		"pic32-rings",
#include "pic32-rings.inc"
	},
	{
		"ohci-unlink",
#include "ohci-unlink.inc"
	},
	{
		"curve",
#include "curve.inc"
	},
};

bool sim_scenario_shipped(int index, const char **name, const char **text)
{
	if (index < 0 || index >= (int)(sizeof(scenarios) / sizeof(scenarios[0])))
		return false;
	*name = scenarios[index].name;
	*text = scenarios[index].text;
	return true;
}
