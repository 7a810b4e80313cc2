#!/bin/sh
# The studies of docs/where-it-matters.md, and their pictures:
#
#     bench/where_it_matters.sh DIRECTORY [STAGE...]
#
# The stages, all of them by default, are
#
#     cpu        each config as it is, on two threads: DIRECTORY/cpu/NAME/
#     cuda       the same with the cuda_sym_* kernel of the same kind, 16 runs: DIRECTORY/cuda/NAME/
#     pictures   DIRECTORY/NAME.html, both side by side, and DIRECTORY/NAME-cpu.svg, NAME-cuda.svg
#
# A stage of another machine is copied into DIRECTORY before the pictures are made.
set -eu
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    set -- cpu cuda pictures
    case $(./cgsolve --list-kernels | grep -A 1 '^cuda_sym_atomic') in
    '' | *'not available'*)
        echo "$0: no stage cuda"
        set -- cpu pictures
        ;;
    esac
fi
names='well-conditioned network nearly-singular badly-scaled tied small-integers'
mkdir -p "$out"

# Exit status 1 says that a solve has not converged: some of these are here for that.
study() { # PLACE NAME CONFIG [OPTION...]
    place=$out/$1/$2
    config=$3
    shift 3
    mkdir -p "$place"
    echo "$config -> $place"
    ./cgsolve --output "$place" "$@" "$config" >"$place/table.txt" || [ $? -eq 1 ]
}

on_cpu() {
    for name in $names; do
        study cpu "$name" "configs/$name.cfg"
    done
}

on_device() {
    for name in $names; do
        config=$out/cuda-$name.cfg
        sed 's/"cpu_sym_/"cuda_sym_/' "configs/$name.cfg" >"$config"
        study cuda "$name" "$config" --set repeats=16
        rm "$config"
    done
}

# Of which graph the picture is: where the residuals themselves look alike, how far they lie apart.
graph() {
    case $1 in
    tied | small-integers) echo histories ;;
    *) echo ulps ;;
    esac
}

pictures() {
    for name in $names; do
        places=
        for place in cpu cuda; do
            [ -e "$out/$place/$name/summary.json" ] || continue
            places="$places $out/$place/$name"
            ./cgsolve report --picture "$out/$name-$place.svg" --of "$(graph "$name")" "$out/$place/$name"
        done
        # shellcheck disable=SC2086 # a list
        [ -z "$places" ] || ./cgsolve report --output "$out/$name.html" $places
    done
}

for stage; do
    case $stage in
    cpu) on_cpu ;;
    cuda) on_device ;;
    pictures) pictures ;;
    *)
        echo "$0: there is no stage $stage" >&2
        exit 2
        ;;
    esac
done
