/* How many processors this process may use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

/* The length of an array of cpu_set_t that holds all processors that Linux can have, 8192. */
enum { PROCESSOR_SETS = 8 };

/* Those that it may run on (its affinity), or as many as its control groups give it the time of,
 * rounded up, where that is less. The second is read once. */
int processors_available(void);

/* The second alone: the least quota over period of cpu.max (version 2) or cpu.cfs_quota_us and
 * cpu.cfs_period_us (version 1), at least 1; INT_MAX: no limit. `root` is "" but for tests. */
int processors_of_groups(const char *root);

/* The least of processors_available(), OMP_NUM_THREADS and OMP_THREAD_LIMIT, as they were when the
 * process began: what a program has that is not told how many threads it may have. */
int processors_wanted(void);

/* What the processors of the first function have done until now, in seconds of all of them
 * together, and how much of it this process has had. All 0 where the system does not say. */
struct processor_time {
    int processors;
    double all;  /* idle time too */
    double busy; /* with any program; on a virtual machine the time of others on its host too */
    double own;
};

struct processor_time processor_time_now(void);

/* The share of the processors' time, 0 to 1, that other programs took between two readings; below
 * 0: not known, or too short to tell. */
double processor_time_of_others(const struct processor_time *from, const struct processor_time *to);

/* "Other programs took 65 % of the processors' time: the times are not reliable." where they took
 * more than a tenth of it, else an empty text. Gives back text. */
const char *processors_shared_text(double others, char text[96]);

#endif
