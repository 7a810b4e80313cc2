/* How many processors this process may use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

/* The length of an array of cpu_set_t that holds all processors that Linux can have, 8192. */
enum { PROCESSOR_SETS = 8 };

/* The smaller of two numbers: the processors of its affinity; and the quota of its control groups
 * in processors, rounded up, which is read once. */
int processors_available(void);

/* The second alone: the least quota over period of cpu.max (version 2) or cpu.cfs_quota_us and
 * cpu.cfs_period_us (version 1), at least 1; INT_MAX: no limit. `root` is "" but for tests. */
int processors_of_groups(const char *root);

/* The default number of threads: the least of processors_available(), OMP_NUM_THREADS and
 * OMP_THREAD_LIMIT, as they were at the start of the process. */
int processors_wanted(void);

/* Times of the processors of processors_available() until now, summed over them, in seconds, and
 * the share of this process. All 0 if the system does not say. */
struct processor_time {
    int processors;
    double all;  /* idle time too */
    double busy; /* with any program; on a virtual machine also the time of other guests */
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
