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
#     kernels  DIRECTORY/article-kernels.txt: solves by every kernel with its defaults
#
# The study's own matrices af_shell10 and Cube_Coup_dt0 are measured beside their stand-ins where they are:
# NAME.mtx or NAME.mtx.gz in MATRICES (problems/suitesparse, where `problems/fetch.sh NAME` puts them). The
# pages name them by their files.
#
# A quarter of an hour, and 60 GB of memory on the device as well as on the host.
set -eu
cd "$(dirname "$0")/.."
out=${1:-results/article}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- build time error cg solves kernels
bench=build/release-cuda/bench
. bench/support/matrices.sh
poisson=configs/article-poisson3d-256.cfg
sheet=configs/article-fe-sheet.cfg
cube=configs/article-fe-cube.cfg
mkdir -p "$out"

# The study's naive kernel is the plain loop; fe_cube's config tells why it has its own number of threads.
full='{name="cusparse_full";label="cusparse_full alg1";algorithm=1},
{name="cusparse_full";label="cusparse_full alg2";algorithm=2},"cusparse_half",
{name="cuda_csr_subwarp";label="naive";loop="plain"},"cuda_csr_subwarp"'
all='name="cuda_sym_compensated";label="cuda_sym_compensated all";compensate="all"'
upper="\"cuda_sym_atomic\",\"cuda_sym_compensated\",{$all}"
upper_cube="{name=\"cuda_sym_atomic\";threads_per_row=8},{name=\"cuda_sym_compensated\";threads_per_row=8},{$all;threads_per_row=8}"
for_time=$(printf 'kernels=(%s,%s)' "$full" "$upper" | tr -d '\n')
for_time_cube=$(printf 'kernels=(%s,%s)' "$full" "$upper_cube" | tr -d '\n')
for_error="kernels=(\"cuda_csr_subwarp\",$upper)"

# The study's own matrices, if they are there, in the place of what stands for them.
shell10=$(matrix_problem af_shell10)
coup=$(matrix_problem Cube_Coup_dt0)

solve() { # ARGUMENTS: that a run does not converge (1) is a result
    status=0
    ./cgsolve --set output.report=false "$@" || status=$?
    [ $status -le 1 ] || exit $status
}

# The kernels whose names begin so, as a list of a config.
kernels_of() { # PREFIX
    ./cgsolve --list-kernels | awk -v prefix="$1" \
        'index($1, prefix) == 1 { list = list (list ? "," : "") "\"" $1 "\"" } END { printf "kernels=(%s)", list }'
}

for stage; do
    case $stage in
    build)
        make CUDA=1 check-gpu
        make CUDA=1 build bench-programs
        ;;
    time)
        "$bench/article_time" "$out" 31 "$for_time" problem.n=512 "$poisson" \
            "$for_time" "$sheet" ${shell10:+"$for_time" "$shell10" "$sheet"} \
            "$for_time_cube" "$cube" ${coup:+"$for_time_cube" "$coup" "$cube"}
        ;;
    error)
        "$bench/article_error" "$out" 16 "$for_error" problem.n=512 "$poisson" \
            "$for_error" "$sheet" ${shell10:+"$for_error" "$shell10" "$sheet"} \
            "$for_error" "$cube" ${coup:+"$for_error" "$coup" "$cube"}
        ;;
    cg) # at 512 the first 100 of some 1140 iterations: most of the time passes between the solves
        "$bench/article_cg" "$out" 3 problem.n=64 "$poisson" problem.n=128 "$poisson" "$poisson" \
            "$sheet" ${shell10:+"$shell10" "$sheet"} "$cube" ${coup:+"$coup" "$cube"} \
            problem.n=512 solver.max_iterations=100 "$poisson"
        ;;
    solves)
        {
            echo "bench/article.sh DIRECTORY solves, $(date +%Y-%m-%d), driver" \
                "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)"
            for config in configs/article-[!p]*.cfg configs/article-poisson*.cfg; do
                solve "$config" # the largest last
            done
            [ -z "$shell10" ] || solve --output results/article-af_shell10 --set "$shell10" "$sheet"
            [ -z "$coup" ] || solve --output results/article-Cube_Coup_dt0 --set "$coup" "$cube"
            solve --set problem.jump=1e6 --set solver.max_iterations=100000 \
                configs/article-ill-conditioned.cfg
        } >"$out/article-solves.txt"
        ;;
    kernels)
        on_device=$(kernels_of cu)
        {
            echo "bench/article.sh DIRECTORY kernels, $(date +%Y-%m-%d), driver" \
                "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)"
            for system in "configs/article-ill-conditioned.cfg" "--set problem.n=128 $poisson" \
                "--set problem.n=[200,200] $sheet"; do
                # shellcheck disable=SC2086 # several words
                solve --set repeats=4 --set "$on_device" $system
            done
            solve --set repeats=4 --set "$(kernels_of cpu)" configs/nondeterminism.cfg
        } >"$out/article-kernels.txt"
        ;;
    *)
        echo "article.sh: no stage $stage" >&2
        exit 2
        ;;
    esac
done
