#!/bin/sh
# A step of Lanczos on a device, beside the speed of a copy there:
#
#     bench/lanczos.sh DIRECTORY [N]
#
# writes DIRECTORY/lanczos.md: Poisson3D N^3 (256), 10 smallest eigenvalues, a basis of 60, STEPS (300) steps, each
# kind of reorthogonalization. The bytes are those of solver/lanczos/lanczos.h, without restarts; the time is with them.
set -eu
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
n=${2:-256} steps=${STEPS:-300} kernel=${KERNEL:-cuda_sym_bitwise}
cd "$(dirname "$0")/.."
printf 'problem = { type = "poisson3d"; n = %s; };\nsolver = { method = "lanczos"; max_iterations = %s; };\n' "$n" "$steps" >"$out/config.cfg"
printf 'eigen = { count = 10; restart = 60; };\nkernels = ( "%s" );\noutput = { directory = "%s/run"; report = false; };\nrepeats = 3;\n' "$kernel" "$out" >>"$out/config.cfg"

copy=$(./cgsolve bench --kernels "$kernel" --set "problem={type=\"poisson3d\";n=$n;}" 2>&1 |
    sed -n 's/^a copy .* moves \([0-9.e+]*\) GB\/s.*/\1/p')
value() { # of the first member of that name in the summary
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$out/run/summary.json" | head -1
}
{
    printf '# Steps of Lanczos: Poisson3D %s^3, a basis of 60, %s\n\n' "$n" "$kernel"
    # shellcheck disable=SC2016 # the quotes of Markdown
    printf 'By `bench/lanczos.sh DIRECTORY %s`, %s, %s steps, the median of 3 runs.\n\n' "$n" "$(date -u +%Y-%m-%d)" "$steps"
    printf '| reorthogonalization | ms a step | GB a step | GB/s | %% of a copy |\n|---|--:|--:|--:|--:|\n'
    for kind in full selective none; do
        # the steps do not suffice: the exit status says so
        ./cgsolve --quiet --set "eigen.reorthogonalization=$kind" "$out/config.cfg" >"$out/log" 2>&1 || [ $? -eq 1 ]
        median=$(sed -n 's/^ *"seconds_per_iteration": \([^,]*\).*/\1/p' "$out/run/summary.json" | sort -g | sed -n 2p)
        echo "$kind $median $(value bytes_per_iteration) $copy" | awk '{
            printf "| %s | %.3f | %.2f | %.0f | %.0f |\n", $1, 1e3 * $2, 1e-9 * $3, 1e-9 * $3 / $2, 1e-9 * $3 / $2 / $4 * 100 }'
    done
    printf '\nA copy moves %s GB/s, on %s.\n' "$copy" "$(value device)"
} >"$out/lanczos.md"
cat "$out/lanczos.md"
