/* A hot loop is compiled for several instruction sets, and the loader picks the best one that the
 * machine has: one binary is portable and fast. The bits do not depend on the choice, because fma()
 * is exact about its single rounding everywhere; without a hardware instruction it is a slow
 * library call. The sets are named by their feature: an "arch=" would also ask for the maker's
 * name, and send every other maker's processor to the slow version. Where the baseline has the
 * instruction (aarch64), or under a sanitizer, whose runtime is not ready when the loader picks,
 * MULTIVERSION is empty. */
#ifndef BASE_MULTIVERSION_H
#define BASE_MULTIVERSION_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CGSOLVE_NO_CLONES)
#define MULTIVERSION __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define MULTIVERSION
#endif

#endif
