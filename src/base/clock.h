/* Wall time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some fixed moment, monotonic. */
double clock_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
