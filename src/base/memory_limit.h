/* How much more memory this process may take, by the machine, its control groups and its own
 * limits. */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

struct memory_left {
    double bytes;
    const char *has; /* whose it is, as a sentence goes on: "this machine has"; static */
};

/* The least of the following, now: the memory that the machine has available (MemAvailable), that
 * its control group and those above it leave (memory.max less memory.current in version 2,
 * memory.limit_in_bytes less memory.usage_in_bytes in version 1), and that RLIMIT_AS and
 * RLIMIT_DATA leave. The pages of files that a group holds count as left, for the system gives them
 * up. All files are looked for below `root`: "" but for tests. One that is missing, or says no
 * number, sets no limit. Swap is not counted: no iteration ends in it. */
struct memory_left memory_left(const char *root);

/* The bytes that this process holds now, the pages of files that it has mapped not counted; 0 where
 * the system does not tell. */
double memory_held(void);

#endif
