/* Functions that are compiled for the host and for a CUDA device, with the same roundings. */
#ifndef BASE_HOST_DEVICE_H
#define BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define CGSOLVE_HOST_AND_DEVICE __host__ __device__
#else
#define CGSOLVE_HOST_AND_DEVICE
#endif

/* Before a loop with dependent sums: unrolls it on a device, so that `times` loads are in
 * flight. */
#ifdef __CUDA_ARCH__
#define CGSOLVE_PRAGMA(text) _Pragma(#text)
#define CGSOLVE_UNROLL(times) CGSOLVE_PRAGMA(unroll times)
#else
#define CGSOLVE_UNROLL(times)
#endif

#endif
