#!/bin/sh
# Every kernel on every structure (docs/test-matrices.md), and the two studies beside them:
#
#     bench/systems.sh DIRECTORY [STAGE...]
#
# The stages, all of them but build by default, are
#
#     build      build the program                                   (needs a CUDA toolkit)
#     time       DIRECTORY/systems.csv: kernels x stand-ins, values in double precision
#     single     DIRECTORY/systems-single.csv: the same with precision = "float"
#     flat       DIRECTORY/systems-flat.csv: rows as drawn against rows of equal length, with the same columns
#     blocks     DIRECTORY/systems-blocks.csv: time against block size on a k-mer graph, one thread of the CPU beside it
#     tables     DIRECTORY/systems*.md, of those that are there, and systems-blocks.svg (wants gnuplot)
#
# When a stage has measured something it notes date and machine in DIRECTORY/systems-machine.txt, for the tables.
# A bench that fails does not stop the others; it is named at the end, and the exit status is 1.
# ROUNDS (11) is how often the kernels take turns, SCALE (1) the size of the k-mer graph.
set -eu
[ $# -ge 1 ] || { sed -n '2,18s/^# \{0,1\}//p' "$0"; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- time single flat blocks tables
rounds=${ROUNDS:-11}
mkdir -p "$out"

twelve='protein spheres cantilever wind_tunnel harbor qcd ship economics epidemiology accelerator circuit webbase'
cusparse='{name="cusparse_full";label="cusparse alg1";algorithm=1},{name="cusparse_full";label="cusparse alg2";algorithm=2}'
full='"cuda_csr_scalar","cuda_csr_vector","cuda_csr_subwarp","cuda_segscan","cuda_rode","cuda_merge"'
upper='"cuda_sym_atomic","cuda_sym_compensated","cuda_sym_bitwise","cuda_sym_exact"'
failed= # a line for each bench that did

product() { # CSV PROBLEM KERNELS [OPTION...]
    csv=$1
    problem=$2
    printf 'problem = { %s };\nkernels = ( %s );\noutput = { directory = "%s"; };\n' "$2" "$3" \
        "$out" >"$out/config.cfg"
    shift 3
    status=0
    ./cgsolve bench --rounds "$rounds" --output "$out/$csv" "$@" "$out/config.cfg" || status=$?
    [ "$status" = 0 ] || failed="$failed
  $csv, exit status $status: $problem${*:+ $*}"
    rm "$out/config.cfg"
}

time_all() {
    for name in $twelve; do
        product systems.csv "type = \"stand_in\"; name = \"$name\";" "$cusparse,$full,$upper"
    done
    for name in power_law dense_row empty_rows kmer; do
        product systems.csv "type = \"stand_in\"; name = \"$name\"; kind = \"general\";" "$cusparse,$full"
    done
}

single() { # the list of kernels, each with precision = "float"
    echo "$1" | sed 's/"\(cuda_[a-z_]*\)"/{name="\1";precision="float"}/g; s/algorithm/precision="float";algorithm/g'
}

time_single() {
    for name in $twelve; do
        product systems-single.csv "type = \"stand_in\"; name = \"$name\";" \
            "$(single "$cusparse,$full,\"cuda_sym_atomic\"")"
    done
}

time_flat() {
    for name in power_law dense_row webbase circuit; do
        for rows in drawn equal; do
            product systems-flat.csv \
                "type = \"stand_in\"; name = \"$name\"; kind = \"general\"; rows = \"$rows\";" "$cusparse,$full"
        done
    done
}

time_blocks() {
    kmer="type = \"stand_in\"; name = \"kmer\"; kind = \"general\"; scale = ${SCALE:-1};"
    product systems-blocks.csv "$kmer" '{name="cpu_csr";precision="float";threads=1}'
    product systems-blocks.csv "$kmer" "$(single '"cuda_csr_scalar","cuda_csr_vector"')" \
        --sweep block_size=32,64,128,256,512,1024
}

# What the pages tell and the CSVs do not: a line STAGE, rounds, command, and date with machine, between tabs.
note() { # STAGE
    about=$(./cgsolve bench --rounds 1 --kernels cpu_csr,cuda_csr_scalar \
        --set 'problem={type="poisson3d";n=4;}' | sed -n 's/^\(machine\|device\)  *//p')
    driver=$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader \
        2>/dev/null) || driver=unknown
    machines=$out/systems-machine.txt
    {
        [ ! -e "$machines" ] || awk -F '\t' -v stage="$1" '$1 != stage' "$machines"
        printf '%s\t%s\t%s\t%s\n' "$1" "$rounds" \
            "ROUNDS=$rounds${SCALE:+ SCALE=$SCALE} bench/systems.sh DIRECTORY $1" \
            "$(date +%Y-%m-%d). $(echo "$about" | sed -n 2p); driver $driver; $(echo "$about" |
                sed -n 1p); $(./cgsolve --version)."
    } >"$machines.new"
    mv "$machines.new" "$machines"
}

measure() { # STAGE CSV FUNCTION
    before=$(cksum 2>/dev/null <"$out/$2") || before=
    "$3"
    [ "$(cksum <"$out/$2")" = "$before" ] || note "$1"
}

page() { # STAGE NAME TITLE: NAME.md of NAME.csv
    [ -e "$out/$2.csv" ] || { echo "no $out/$2.csv, so no $2.md" && return; }
    LC_ALL=C awk -v stage="$1" -v title="$3" -v machines="$out/systems-machine.txt" \
        -v twelve="$twelve" -v points="$out/$2.points" -f bench/support/systems.awk \
        "$out/$2.csv" >"$out/$2.md" || { rm "$out/$2.md"; exit 1; }
    echo "$out/$2.md"
}

pages() {
    page time systems "The time of a product, by structure"
    page single systems-single "The time of a product, by structure, in single precision"
    page flat systems-flat "What rows of different lengths cost"
    page blocks systems-blocks "Time against block size, on a k-mer graph in single precision"
    points=$out/systems-blocks.points
    if [ -e "$points" ]; then
        picture=$out/systems-blocks.svg
        gnuplot -e "points = '$points'" bench/support/systems_blocks.gp >"$picture" ||
            { rm "$picture"; exit 1; }
        rm "$points"
    fi
}

for stage; do
    case $stage in
    build) make CUDA=1 build ;;
    time) measure time systems.csv time_all ;;
    single) measure single systems-single.csv time_single ;;
    flat) measure flat systems-flat.csv time_flat ;;
    blocks) measure blocks systems-blocks.csv time_blocks ;;
    tables) pages ;;
    *)
        echo "$0: there is no stage $stage" >&2
        exit 2
        ;;
    esac
done

[ -z "$failed" ] || {
    echo "$0: FAILED:$failed" >&2
    exit 1
}
