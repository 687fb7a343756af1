/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target: LLVMFuzzerTestOneInput() for libFuzzer, and seeds from which
 * fuzz_main.c makes its own inputs where there is no libFuzzer.
 */
#ifndef NCMD_TESTS_FUZZ_H
#define NCMD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; aborts if the code under test broke a promise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes seed number `i` into `buf` and returns its length; 0 if there is no such seed. */
size_t fuzz_seed(size_t i, uint8_t *buf, size_t cap);

#endif
