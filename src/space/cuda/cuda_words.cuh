/* Words by which the blocks of a resident grid tell each other doubles, through the L2 cache. A
 * word is both the value and its arrival: it is empty until its owner puts the value. Words have
 * three buffers, one for each round k modulo 3. In round k the owner puts two kinds of words: those
 * of a sum (the first meeting), and after all of these have arrived, those of a second meeting,
 * with more words beside them. Between its first and its second put the owner empties its words of
 * round k + 1.
 *
 * Nobody still needs what is emptied, the words of round k - 2: the owner has seen all second words
 * of round k - 1, and their owners had read all of round k - 2 before. Nobody takes an old word for
 * a new one: who looks for words of round k + 1 has seen the second words of round k, and their
 * owners had emptied before. For the memory model of PTX (ISA 8, section 8) both follow from
 *
 *     owner     empties; bar.warp.sync; fence; second put           (the fence is a release)
 *     reader    look at second words; fence; barrier of its block   (the fence is an acquire)
 *
 * The reader's fence lies between the two barriers that follow its looks, so it delays nobody. */
#ifndef SPACE_CUDA_CUDA_WORDS_CUH
#define SPACE_CUDA_CUDA_WORDS_CUH

#include "space/sum/cuda_sum.cuh"

enum { WORDS_BUFFERS = 3 };

typedef unsigned long long cuda_word;

constexpr cuda_word WORDS_EMPTY = CUDA_SUM_EMPTY;

/* By the upper half, which is one instruction. */
__device__ static inline bool words_is_empty(cuda_word word)
{
    return (unsigned int)(word >> 32) == ~0u;
}

/* The word of a value; another NaN in place of one that looks empty. */
__device__ static inline cuda_word words_of(double value)
{
    cuda_word word = (cuda_word)__double_as_longlong(value);
    unsigned int high = min((unsigned int)(word >> 32), ~1u);
    return (cuda_word)high << 32 | (unsigned int)word;
}

__device__ static inline double words_value(cuda_word word)
{
    return __longlong_as_double((long long)word);
}

__device__ static inline cuda_word words_look(const cuda_word *at)
{
    return cuda_slot_look((const double *)at);
}

__device__ static inline void words_put(cuda_word *at, cuda_word word)
{
    cuda_slot_write((double *)at, word);
}

/* One load without a branch, or none. */
__device__ static inline void words_look_again(cuda_word &word, const cuda_word *at)
{
    asm volatile("{\n\t"
                 ".reg .pred empty;\n\t"
                 "setp.eq.u32 empty, %2, 0xffffffff;\n\t"
                 "@empty ld.relaxed.gpu.global.u64 %0, [%1];\n\t"
                 "}"
                 : "+l"(word)
                 : "l"(at), "r"((unsigned int)(word >> 32))
                 : "memory");
}

template <int COUNT> __device__ bool words_any_empty(const cuda_word (&words)[COUNT])
{
    unsigned int most[2] = {0, 0};
#pragma unroll
    for (int u = 0; u < COUNT; u++)
        most[u % 2] = max(most[u % 2], (unsigned int)(words[u] >> 32));
    return max(most[0], most[1]) == ~0u;
}

__device__ static inline void words_fence()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* A barrier of some warps of a block, `threads` in all: those that only arrive do not wait. */
__device__ static inline void words_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ static inline void words_meet(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* So that the compiler does not keep in registers what follows from it. */
template <typename Number> __device__ void words_opaque(Number &number)
{
    asm volatile("" : "+r"(number));
}

#endif
