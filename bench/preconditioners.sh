#!/bin/sh
# The table of docs/preconditioners.md: what each preconditioner does to conjugate gradients on five problems.
#
#     bench/preconditioners.sh DIRECTORY [OPTION...]
#
# DIRECTORY/preconditioners.csv is the table, DIRECTORY/PROBLEM/PRECONDITIONER/ what each study wrote. The options go to
# every call of ./cgsolve, as --threads 2. Iterations and products are the same on every machine; times are not.
set -eu
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
mkdir -p "$out"

# The first number or text of that name in a summary.json.
member() { # NAME FILE
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -n 1
}

study() { # PROBLEM SETTING PRECONDITIONER SETTING [OPTION...]
    place=$out/$1/$3 problem=$1 name=$3 setting=$2 preconditioner=$4
    shift 4
    mkdir -p "$place"
    # Exit status 1 says that a solve has not converged.
    ./cgsolve --quiet --set repeats=1 --set "vary={threads=[2];}" --set output.report=false --output "$place" --set "problem=$setting" --set "solver.preconditioner=$preconditioner" "$@" \
        configs/preconditioners.cfg >"$place/says.txt" || [ $? -eq 1 ]
    file=$place/summary.json
    iterations=$(member min "$file")
    each=$(member products_per_iteration "$file")
    echo "$problem,$name,$(member n "$file"),$(member reason "$file"),$iterations,$(((iterations + 1) * each)),$(member seconds_per_iteration "$file"),$(member setup_seconds "$file"),$(member bytes_per_iteration "$file")"
}

all() { # PROBLEM SETTING [OPTION...]
    problem=$1 setting=$2
    shift 2
    study "$problem" "$setting" none '{type="none";}' "$@"
    study "$problem" "$setting" jacobi '{type="jacobi";}' "$@"
    study "$problem" "$setting" block_jacobi-4 '{type="block_jacobi";block=4;}' "$@"
    for degree in 2 4 8; do
        study "$problem" "$setting" chebyshev-$degree "{type=\"chebyshev\";degree=$degree;}" "$@"
    done
    study "$problem" "$setting" fsai '{type="fsai";}' "$@"
    study "$problem" "$setting" multigrid '{type="multigrid";}' "$@"
}

{
    echo "problem,preconditioner,n,reason,iterations,products,seconds_per_iteration,setup_seconds,bytes_per_iteration"
    all poisson3d '{type="poisson3d";n=32;}' "$@"
    all poisson3d-jump '{type="poisson3d";n=24;jump=1e4;}' "$@"
    all fe_cube '{type="fe_cube";n=14;unknowns=4;}' "$@"
    all network '{type="network";n=16;decades=3;scaling=2;ground=0.01;}' "$@"
    all cantilever '{type="stand_in";name="cantilever";scale=0.1;shift=1e-3;}' "$@"
} | tee "$out/preconditioners.csv"
