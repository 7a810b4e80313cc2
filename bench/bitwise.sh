#!/bin/sh
# What bitwise reproducible products cost on a GPU, beside other kernels and cuSPARSE with cuBLAS:
#
#     bench/bitwise.sh DIRECTORY [STAGE...]
#
# The stages, all of them but build by default, are
#
#     build      build the programs                                  (needs a CUDA toolkit)
#     time       DIRECTORY/bitwise-time.md and .csv: the time of a product
#     cg         DIRECTORY/bitwise-cg.md and .csv: the time of an iteration of conjugate gradients,
#                beside the libraries' loop, the same with scalars on the device, and as one graph
#     largest    DIRECTORY/bitwise-largest.txt: a solve of Poisson3D 1000^3, 10^9 unknowns
#     prove      DIRECTORY/bitwise-prove.txt: scripts/prove-bitwise
#     reductions DIRECTORY/bitwise-reductions.txt: configs/reductions.cfg on the CPU and on the GPU, and
#                500 iterations of Poisson3D 256^3 on the GPU: each way of summing dot products
#
# time and cg want 60 GB of memory on the device and on the host; the matrix of largest alone has
# 56 GB there.
set -eu
[ $# -ge 1 ] || { sed -n '2,19s/^# \{0,1\}//p' "$0"; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- time cg largest prove reductions
bench=build/release-cuda/bench
poisson=configs/article-poisson3d-256.cfg
sheet=configs/article-fe-sheet.cfg
cube=configs/article-fe-cube.cfg
mkdir -p "$out"

cusparse='{name="cusparse_full";label="cusparse_full alg1";algorithm=1},
{name="cusparse_full";label="cusparse_full alg2";algorithm=2}'
bitwise='"cuda_sym_bitwise",
{name="cuda_sym_bitwise";label="cuda_sym_bitwise plain";compress="never"}'

list() { # KERNELS: as KEY=VALUE, in one line
    printf 'kernels=(%s)' "$1" | tr -d '\n'
}

# fe_cube's config tells why it has its own number of threads.
compensated='name="cuda_sym_compensated";label="cuda_sym_compensated all";compensate="all"'
for_time=$(list "$cusparse,\"cuda_csr_subwarp\",\"cuda_sym_atomic\",{$compensated},$bitwise,\"cuda_sym_exact\"")
for_time_cube=$(list "$cusparse,{name=\"cuda_sym_atomic\";threads_per_row=8},
{$compensated;threads_per_row=8},$bitwise,\"cuda_sym_exact\"")
for_cg=$(list "\"cuda_csr_subwarp\",\"cuda_sym_atomic\",$bitwise")
for_cg_cube=$(list "\"cuda_csr_subwarp\",{name=\"cuda_sym_atomic\";threads_per_row=8},$bitwise")

time_products() {
    unstructured='problem.unknowns=1 problem.diagonals=random problem.numbering=random
        problem.reorder=rcm'
    # shellcheck disable=SC2086 # several words
    "$bench/article_time" --page=bitwise-time --title="The time of one product" "$out" 31 \
        "$for_time" problem.n=512 "$poisson" "$for_time" "$sheet" "$for_time_cube" "$cube" \
        "$for_time" $unstructured "problem.n=[1200,1200]" "$sheet" \
        "$for_time" $unstructured "problem.n=[110,110,110]" "$cube"
}

for stage; do
    case $stage in
    build)
        make CUDA=1 build bench-programs
        ;;
    time) time_products ;;
    cg) # at 512 the first 100 of some 1140 iterations: most of the time passes between the solves
        "$bench/article_cg" --page=bitwise-cg \
            --title="The time of an iteration of conjugate gradients" "$out" 3 \
            "$for_cg" problem.n=64 "$poisson" "$for_cg" problem.n=128 "$poisson" \
            "$for_cg" "$poisson" "$for_cg" "$sheet" "$for_cg_cube" "$cube" \
            "$for_cg" problem.n=512 solver.max_iterations=100 "$poisson"
        ;;
    largest)
        {
            echo "bench/bitwise.sh DIRECTORY largest, $(date +%Y-%m-%d), driver" \
                "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)"
            status=0 # that a run does not converge (1) is a result
            ./cgsolve --output "$out/bitwise-largest" --set output.report=false --set problem.n=1000 \
                --set solver.tolerance=1e-6 --set 'kernels=("cuda_sym_bitwise")' --set repeats=1 \
                configs/article-poisson3d-512.cfg || status=$?
            [ $status -le 1 ] || exit $status
        } >"$out/bitwise-largest.txt"
        ;;
    reductions)
        {
            echo "bench/bitwise.sh DIRECTORY reductions, $(date +%Y-%m-%d), driver" \
                "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)"
            on_gpu='kernels=({name="cuda_sym_bitwise";label="bitwise"})'
            for run in "" "$on_gpu" "$on_gpu problem.n=256 problem.jump=1 solver.max_iterations=500 repeats=3"; do
                set --
                for change in $run; do
                    set -- "$@" --set "$change"
                done
                status=0 # that a run does not converge (1) is a result
                ./cgsolve --output "$out/bitwise-reductions" --set output.report=false "$@" \
                    configs/reductions.cfg || status=$?
                [ $status -le 1 ] || exit $status
            done
        } >"$out/bitwise-reductions.txt"
        ;;
    prove)
        {
            echo "RUNS=${RUNS:-100} THREADS=\"${THREADS:-1 2 3 7 16}\" scripts/prove-bitwise," \
                "$(date +%Y-%m-%d), $(nvidia-smi --id=0 --query-gpu=name,driver_version \
                    --format=csv,noheader)"
            scripts/prove-bitwise
        } >"$out/bitwise-prove.txt"
        ;;
    *)
        echo "bitwise.sh: no stage $stage" >&2
        exit 2
        ;;
    esac
done
