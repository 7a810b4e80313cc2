#!/bin/sh
# Everything about the GPU kernels that docs/results/ tells, on a machine with a CUDA device:
#
#     bench/article.sh [DIRECTORY [STAGE...]]
#
# DIRECTORY is results/article if it is not given; the stages, all of them by default, are
#
#     build    build, and run the GPU's tests                          (needs a CUDA toolkit)
#     time     DIRECTORY/article-time.md: the time of a product
#     error    DIRECTORY/article-error.md: its error, and how often its bits differ
#     cg       DIRECTORY/article-cg.md: the time of an iteration, beside the libraries' loop
#     solves   DIRECTORY/article-solves.txt: every configs/article-*.cfg
#
# A quarter of an hour, and 60 GB of memory on the device as well as on the host.
set -eu
cd "$(dirname "$0")/.."
out=${1:-results/article}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- build time error cg solves
bench=build/release-cuda/bench
poisson=configs/article-poisson3d-256.cfg
sheet=configs/article-fe-sheet.cfg
cube=configs/article-fe-cube.cfg
own='kernels=("cuda_csr_subwarp","cuda_sym_atomic","cuda_sym_compensated")'
mkdir -p "$out"

solve() { # ARGUMENTS: that a run does not converge (1) is a result
    status=0
    ./cgsolve --set output.report=false "$@" || status=$?
    [ $status -le 1 ] || exit $status
}

for stage; do
    case $stage in
    build)
        make CUDA=1 check-gpu
        make CUDA=1 build bench-programs
        ;;
    time) "$bench/article_time" "$out" 31 problem.n=512 "$poisson" "$sheet" "$cube" ;;
    error)
        "$bench/article_error" "$out" 16 "$own" problem.n=512 "$poisson" "$own" "$sheet" \
            "$own" "$cube"
        ;;
    cg) # at 512 the first 100 of some 1140 iterations: most of the time passes between the solves
        "$bench/article_cg" "$out" 3 problem.n=64 "$poisson" problem.n=128 "$poisson" "$poisson" \
            "$sheet" "$cube" problem.n=512 solver.max_iterations=100 "$poisson"
        ;;
    solves)
        {
            echo "bench/article.sh DIRECTORY solves, $(date +%Y-%m-%d), driver" \
                "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)"
            for config in configs/article-[!p]*.cfg configs/article-poisson*.cfg; do
                solve "$config" # the largest last
            done
            solve --set problem.jump=1e6 --set solver.max_iterations=100000 \
                configs/article-ill-conditioned.cfg
        } >"$out/article-solves.txt"
        ;;
    *)
        echo "article.sh: no stage $stage" >&2
        exit 2
        ;;
    esac
done
