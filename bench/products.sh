#!/bin/sh
# One product y = A x on a CPU, and one iteration of conjugate gradients, by our kernels and by other
# libraries, in turns:
#
#     [THREADS=2] [ROUNDS=21] [KERNELS='NAME...'] bench/products.sh DIRECTORY [STAGE...]
#
# The stages, both by default, are
#
#     product    DIRECTORY/products.md and .csv: 128^3 cells of Poisson3D and two meshes of finite
#                elements
#     cg         DIRECTORY/products-cg.md and .csv: 100 iterations on the cells (ROUNDS / 3 rounds)
#
# KERNELS are our CPU kernels with threads, cpu_sym_bitwise if nothing is said, beside cpu_csr and
# cpu_sym, which are always there; one with parameters is written as a config does, without spaces:
# KERNELS='cpu_sym_atomic {name="cpu_sym_bitwise";block=65536;}'. CASES is what the product stage
# runs, "poisson sheet cube"; circuit, webbase, power_law and circuit5m, whose rows differ much in length, are the
# others.
#
# The others: PETSc (AIJ, BAIJ, SBAIJ, SELL, with THREADS ranks of one thread), librsb (the upper
# triangle, tuned by its autotuner), Eigen (the full matrix with OpenMP, and selfadjointView, which
# has one thread), MKL (mkl_sparse_d_mv on the full matrix). What is not installed is left out, and said;
# docs/building.md names the packages.
# Everybody is a process of its own that sleeps while another works, multiplies the same matrix by the
# same x, and enters when its result agrees with ours to 1e-13. Nobody is pinned. 10 GB of memory.
set -eu
[ $# -ge 1 ] || { sed -n '2,26s/^# \{0,1\}//p' "$0"; exit 2; }
cd "$(dirname "$0")/.."
out=$1
shift
command="bench/products.sh DIRECTORY${1:+ $*}"
[ $# -gt 0 ] || set -- product cg
threads=${THREADS:-2}
rounds=${ROUNDS:-21}
kernels=${KERNELS:-cpu_sym_bitwise}
cases=${CASES:-poisson sheet cube}
for case in $cases; do
    case $case in
    poisson | sheet | cube | circuit | webbase | power_law | circuit5m) ;;
    *)
        echo "products.sh: no case $case" >&2
        exit 2
        ;;
    esac
done
for name in CASES KERNELS ROUNDS THREADS; do # to be pasted again
    eval "value=\${$name:-}"
    [ -z "$value" ] || command="$name='$value' $command"
done

make -s CUDA=0 bench-peers >&2
bench=build/release/bench
peers=$bench/peers

# Open MPI's words; ranks on a machine with fewer cores are allowed, and so is root in a container.
mpirun="OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 \
OPENBLAS_NUM_THREADS=1 exec mpirun --host localhost:$threads -n $threads --bind-to none"

note="Without PETSc."
petsc_here=
if [ -x $peers/petsc ] && command -v mpirun >/dev/null; then
    petsc_here=1
    blas=$(readlink -f "$(ldd $peers/petsc | awk '/libblas/ { print $3; exit }')")
    note="$(mpirun --version | sed 's/[()]//g; q'); PETSc's BLAS is $(basename "$(dirname "$blas")")."
fi
note="$note Libraries as the system's packages have them; Eigen compiled with -O3 -march=native."

contestant() { # LABEL, STORAGE, THREADS, COMMAND
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4"
}

own() { # STAGE, KERNEL, STORAGE, THREADS, PROBLEM
    case $2 in
    {*) list="kernels=($2)" ;;
    *) list="kernels=(\"$2\")" ;;
    esac
    label=$(echo "$2" | sed 's/[{}"]//g; s/name=//; s/;$//; s/;/, /g')
    contestant "$label" "$3" "$4" "exec $bench/product_own $1 $4 '$list' $5"
}

storage_of() { # KERNEL, or a group of its name and parameters
    stem=$(echo "$1" | sed 's/.*name="\{0,1\}\([a-z_0-9]*\).*/\1/')
    case $stem in
    cpu_csr* | cpu_merge) echo full ;;
    *) echo upper ;;
    esac
}

petsc() { # STAGE, TYPE, BLOCK or nothing, STORAGE, PROBLEM
    [ -n "$petsc_here" ] || return 0
    what=MatMult
    [ "$1" = product ] || what=KSPCG
    contestant "$what, $2${3:+ in blocks of $3}" "$4" "$threads" \
        "$mpirun $peers/petsc $1 1 $2 ${3:-1} 'kernels=(\"cpu_csr\")' $5"
}

contest() { # STAGE, BLOCK, PROBLEM
    echo case
    own "$1" cpu_csr full "$threads" "$3"
    if [ "$1" = cg ]; then
        own cg cpu_sym upper "$threads" "$3" # its product has one thread, the rest has all
    elif [ "$threads" != 1 ]; then
        own product cpu_csr full 1 "$3"
        own product cpu_sym upper 1 "$3"
    else
        own product cpu_sym upper 1 "$3"
    fi
    for kernel in $kernels; do
        own "$1" "$kernel" "$(storage_of "$kernel")" "$threads" "$3"
    done
    petsc "$1" aij "" full "$3"
    [ -z "$2" ] || petsc "$1" baij "$2" full "$3"
    petsc "$1" sbaij "$2" upper "$3"
    [ "$1" = product ] || return 0
    petsc product sell "" full "$3"
    [ ! -x $peers/librsb ] ||
        contestant "symmetric, tuned" upper "$threads" \
            "exec $peers/librsb product $threads 'kernels=(\"cpu_csr\")' $3"
    if [ -x $peers/mkl ]; then
        for form in plain optimized; do
            contestant "mkl_sparse_d_mv, $form" full "$threads" \
                "exec $peers/mkl product $threads $form 'kernels=(\"cpu_csr\")' $3"
        done
    fi
    [ -x $peers/eigen ] || return 0
    contestant "row-major" full "$threads" \
        "exec $peers/eigen product $threads full 'kernels=(\"cpu_csr\")' $3"
    contestant "selfadjointView<Upper>" upper 1 \
        "exec $peers/eigen product 1 upper 'kernels=(\"cpu_csr\")' $3"
}

problem_of() { # CASE
    case $1 in
    poisson) echo "problem.n=128 configs/article-poisson3d-256.cfg" ;;
    sheet) echo "configs/article-fe-sheet.cfg" ;;
    cube) echo "problem.n=41 configs/article-fe-cube.cfg" ;;
    circuit | webbase | power_law | circuit5m) echo "problem.name=$1 problem.scale=1 configs/stand-in.cfg" ;;
    esac
}

block_of() { # CASE: the unknowns of a node
    case $1 in
    sheet) echo 5 ;;
    cube) echo 4 ;;
    esac
}

failed=0
for stage; do
    case $stage in
    product)
        for case in $cases; do
            contest product "$(block_of "$case")" "$(problem_of "$case")"
        done | "$bench/product_rounds" "$out" product "$rounds" "$command" "$note" || failed=1
        ;;
    cg)
        contest cg "" "solver.max_iterations=100 $(problem_of poisson)" |
            "$bench/product_rounds" "$out" cg "$(((rounds + 2) / 3))" "$command" "$note" || failed=1
        ;;
    *)
        echo "products.sh: no stage $stage" >&2
        exit 2
        ;;
    esac
done
exit $failed
