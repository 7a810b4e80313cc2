/* A hot loop is compiled for several instruction sets, and the loader picks the best one of the
 * machine: one binary is portable and fast. The bits do not depend on the choice, because fma()
 * rounds once everywhere; without a hardware instruction it is a slow library call. Features name
 * the sets: "arch=" would also test the vendor, and send processors of other vendors to the slow
 * version. MULTIVERSION is empty if the baseline has the instruction (aarch64), and under a
 * sanitizer, whose runtime is not ready when the loader picks. */
#ifndef BASE_MULTIVERSION_H
#define BASE_MULTIVERSION_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CGSOLVE_NO_CLONES)
#define MULTIVERSION __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define MULTIVERSION
#endif

#endif
