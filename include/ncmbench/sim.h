/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ncmbench sim: runs scenarios of the model, shipped ones or files, and prints what came out. */
#ifndef NCMBENCH_SIM_H
#define NCMBENCH_SIM_H

/*
 * argv[0] is "sim". Prints to standard output, failures to standard error; returns ncmbench's exit
 * status: 0, 1 for a failure, 2 for a wrong command line.
 */
int sim_main(int argc, char **argv);

#endif
