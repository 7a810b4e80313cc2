/* Functions that are compiled for the host and for a CUDA device, with the same roundings. */
#ifndef CGSOLVE_HOST_DEVICE_H
#define CGSOLVE_HOST_DEVICE_H

#ifdef __CUDACC__
#define CGSOLVE_HOST_AND_DEVICE __host__ __device__
#else
#define CGSOLVE_HOST_AND_DEVICE
#endif

#endif
