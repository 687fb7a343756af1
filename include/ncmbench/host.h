/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ncmbench host: this machine as the USB host of an NCM device: its driver's settings. */
#ifndef NCMBENCH_HOST_H
#define NCMBENCH_HOST_H

/*
 * argv[0] is "host". Prints to standard output, failures to standard error; returns ncmbench's exit
 * status: 0, 1 for a failure, 2 for a wrong command line.
 */
int host_main(int argc, char **argv);

#endif
