#!/bin/sh
# Reads one large Matrix Market file with this project, two versions of SciPy (1.10 has a reader in
# Python, 1.12 and later one in C++ with threads) and Eigen, in turns, and prints a Markdown table of
# medians. What is not installed is left out, and said.
#
#     bench/read_matrix_market.sh DIRECTORY [REPEATS] [EDGE]
#
# The directory gets the files (EDGE = 120: 264 MB, and its gzipped and general forms), the virtual
# environments and the Eigen program, and is not emptied. Threads as OMP_NUM_THREADS says, or all.
set -eu
[ $# -ge 1 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
repeats=${2:-5}
edge=${3:-120}
threads=${OMP_NUM_THREADS:-$(nproc)}
export OMP_NUM_THREADS="$threads"

make -s -C "$root" CUDA=0 bench-programs >&2
reader=$root/build/release/bench/read_matrix_market

file() { # NAME KIND
    [ -s "$work/$1.mtx" ] || "$reader" make "$work/$1.mtx" "$edge" "$2"
}
file symmetric symmetric
file random random
file general general
[ -s "$work/symmetric.mtx.gz" ] || gzip -1 -k "$work/symmetric.mtx"

scipy() { # VERSION, NUMPY
    [ -x "$work/scipy-$1/bin/python" ] || python3 -m venv "$work/scipy-$1" >&2 || return 1
    "$work/scipy-$1/bin/python" -c 'import scipy.io' 2>/dev/null ||
        "$work/scipy-$1/bin/pip" -q install "scipy==$1" "numpy$2" >&2 || {
        echo "scipy $1 cannot be installed: left out" >&2
        return 1
    }
}

eigen() {
    [ -x "$work/eigen" ] && return
    cat >"$work/eigen.cpp" <<'EOF'
#include <Eigen/Sparse>
#include <chrono>
#include <cstdio>
#include <unsupported/Eigen/SparseExtra>
int main(int, char **words)
{
    Eigen::SparseMatrix<double> A;
    auto start = std::chrono::steady_clock::now();
    if (!Eigen::loadMarket(A, words[1]))
        return 1;
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.4f\n", seconds.count());
}
EOF
    for include in /usr/include/eigen3 /usr/local/include/eigen3; do
        [ -d "$include" ] || continue
        "${CXX:-c++}" -O3 -march=native -I"$include" "$work/eigen.cpp" -o "$work/eigen" >&2 && return
    done
    echo "Eigen is not installed (libeigen3-dev): left out" >&2
    return 1
}

time_reader() {
    "$reader" time "$work/$1" 1 | sed -n 's/^seconds //p'
}

time_scipy() { # FILE, VERSION
    "$work/scipy-$2/bin/python" - "$work/$1" <<'EOF'
import sys, time, scipy.io
start = time.perf_counter()
scipy.io.mmread(sys.argv[1])
print("%.4f" % (time.perf_counter() - start))
EOF
}

programs="reader"
scipy 1.14.1 '<2.3' && programs="$programs scipy-1.14.1"
scipy 1.10.1 '<1.27' && programs="$programs scipy-1.10.1"
eigen && programs="$programs eigen"

once() { # PROGRAM, FILE
    case $1 in
    reader) time_reader "$2" ;;
    eigen) "$work/eigen" "$work/$2" ;;
    scipy-*) time_scipy "$2" "${1#scipy-}" ;;
    esac
}

compared="symmetric.mtx"
alone="random.mtx general.mtx symmetric.mtx.gz"
times=$(mktemp)
trap 'rm -f "$times"' EXIT
turn=0
while [ "$turn" -lt "$repeats" ]; do
    turn=$((turn + 1))
    echo "turn $turn of $repeats" >&2
    for name in $compared; do
        for program in $programs; do
            echo "$program $name $(once "$program" "$name")" >>"$times"
        done
    done
    for name in $alone; do
        echo "reader $name $(once reader "$name")" >>"$times"
    done
done

median() { # PROGRAM, FILE
    awk -v p="$1" -v f="$2" '$1 == p && $2 == f { print $3 }' "$times" | sort -n |
        awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'
}

echo "| file | MB | reader | median s | MB/s | times cgsolve |"
echo "|---|---:|---|---:|---:|---:|"
row() { # PROGRAM, FILE
    name=$1
    [ "$1" = reader ] && name="cgsolve, $threads threads"
    awk -v s="$(median "$1" "$2")" -v own="$(median reader "$2")" -v file="$2" -v name="$name" \
        -v bytes="$(wc -c <"$work/$2")" 'BEGIN { printf "| %s | %.0f | %s | %.3f | %.0f | %.1f |\n",
        file, bytes / 1e6, name, s, bytes / 1e6 / s, s / own }'
}
for program in $programs; do
    row "$program" "$compared"
done
for name in $alone; do
    row reader "$name"
done
echo
echo "Memory (anonymous, peak while reading):"
echo
for name in $compared $alone; do
    echo "- $name: $("$reader" memory "$work/$name")"
done
