/* How much memory this process may have, by the machine, its control groups and its own limits. */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

struct memory_limit {
    double bytes;
    const char *has; /* whose it is, as a sentence goes on: "this machine has"; static */
};

/* The least of the physical memory and of memory.max of the control group (version 2) or
 * memory.limit_in_bytes (version 1), and of those above it. Their files are looked for below
 * `root`: "" but for tests. One that is missing, or says no number, sets no limit. Swap is not
 * counted: no iteration ends in it. */
struct memory_limit memory_limit_around(const char *root);

/* The least of that, RLIMIT_AS and RLIMIT_DATA. */
struct memory_limit memory_limit_own(struct memory_limit around);

/* The bytes that this process holds now, the pages of files that it has mapped not counted; 0 where
 * the system does not tell. */
double memory_held(void);

#endif
