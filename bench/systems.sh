#!/bin/sh
# Every kernel on every structure (docs/test-matrices.md), and the two studies beside them:
#
#     bench/systems.sh DIRECTORY [STAGE...]
#
# The stages, all of them but build and counters by default, are
#
#     build         build the program                                   (needs a CUDA toolkit)
#     time          DIRECTORY/systems.csv: kernels x stand-ins, values in double precision
#     single        DIRECTORY/systems-single.csv: the same with precision = "float"
#     float_double  DIRECTORY/systems-float-double.csv: precision = "float_double", beside cuSPARSE in single precision
#     values        DIRECTORY/systems-values*.csv: cuda_segscan by its values_per_thread, in each precision
#     cold          DIRECTORY/systems-cold.csv: the caches overwritten before each product
#     rode          DIRECTORY/systems-rode.csv: cuda_rode by its N_S and N_B, with and without its pipeline
#     merge         DIRECTORY/systems-merge.csv: cuda_merge and cpu_merge beside others on circuit5m and power_law
#     counters      DIRECTORY/systems-counters.md: what the device's counters say of a product (wants ncu)
#     flat          DIRECTORY/systems-flat.csv: rows as drawn against rows of equal length, with the same columns
#     blocks        DIRECTORY/systems-blocks.csv: time against block size on a k-mer graph, one thread of the CPU beside it
#     tables        DIRECTORY/systems*.md, of those that are there
#
# When a stage has measured something it notes date and machine in DIRECTORY/systems-machine.txt, for the tables.
# A bench that fails does not stop the others; it is named at the end, and the exit status is 1.
# ROUNDS (11) is how often the kernels take turns, SCALE (1) the size of the k-mer graph and of what is cold, THREADS
# (1 2 4 8 16, up to the processors there are) the CPU's threads of merge. A matrix that a stand-in stands for is
# measured too where it is: pdb1HYS.mtx or .mtx.gz and so on in MATRICES (problems/suitesparse, where
# `problems/fetch.sh Williams/pdb1HYS` puts it); the pages have it by the name of its file.
set -eu
[ $# -ge 1 ] || { sed -n '2,28s/^# \{0,1\}//p' "$0"; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- time single float_double values cold rode merge flat blocks tables
. bench/support/matrices.sh
rounds=${ROUNDS:-11}
mkdir -p "$out"

twelve='protein spheres cantilever wind_tunnel harbor qcd ship economics epidemiology accelerator circuit webbase'
originals='pdb1HYS consph cant pwtk rma10 conf5_4-8x8-05 shipsec1 mac_econ_fwd500 mc2depi cop20k_A scircuit webbase-1M'
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

# The original of a stand-in, where the user has it.
original() { # CSV NAME KERNELS [OPTION...]
    file=$(matrix_file "$2")
    [ -n "$file" ] || return 0
    into=$1
    of=$3
    shift 3
    product "$into" "type = \"mtx\"; path = \"$file\";" "$of" "$@"
}

# The twelve, and their originals.
time_twelve() { # CSV KERNELS SCALE [OPTION...]
    csv_of_twelve=$1
    kernels=$2
    scale=$3
    shift 3
    for name in $twelve; do
        product "$csv_of_twelve" "type = \"stand_in\"; name = \"$name\"; scale = $scale;" "$kernels" "$@"
    done
    for name in $originals; do
        original "$csv_of_twelve" "$name" "$kernels" "$@"
    done
}

time_all() {
    time_twelve systems.csv "$cusparse,$full,$upper" 1
    for name in power_law dense_row empty_rows kmer; do
        product systems.csv "type = \"stand_in\"; name = \"$name\"; kind = \"general\";" "$cusparse,$full"
    done
}

precise() { # PRECISION KERNELS: each with that precision, cuSPARSE single
    echo "$2" | sed "s/\"\(cuda_[a-z_]*\)\"/{name=\"\1\";precision=\"$1\"}/g
        s/algorithm/precision=\"float\";algorithm/g"
}

time_single() {
    time_twelve systems-single.csv "$(precise float "$cusparse,$full,\"cuda_sym_atomic\"")" 1
}

time_float_double() {
    time_twelve systems-float-double.csv "$(precise float_double "$cusparse,$full,$upper")" 1
}

segscans=
for v in 4 6 8 10 12 16; do
    segscans="$segscans,{name=\"cuda_segscan\";label=\"V = $v\";values_per_thread=$v}"
done

time_values() {
    time_twelve systems-values.csv "$cusparse$segscans" 1
}

time_values_float_double() {
    time_twelve systems-values-float-double.csv "$(echo "$cusparse$segscans" |
        sed 's/algorithm/precision="float";algorithm/g; s/values_per/precision="float_double";values_per/g')" 1
}

time_values_single() {
    time_twelve systems-values-single.csv "$(echo "$cusparse$segscans" |
        sed 's/algorithm/precision="float";algorithm/g; s/values_per/precision="float";values_per/g')" 1
}

time_cold() {
    time_twelve systems-cold.csv \
        "$cusparse,\"cuda_csr_subwarp\",\"cuda_segscan\",\"cuda_rode\",\"cuda_merge\",\"cuda_sym_atomic\",\"cuda_sym_bitwise\"" \
        "${SCALE:-1}" --cold
}

rodes=
for cuts in 512/32 128/32 256/32 1024/32 2048/32 512/16 512/64; do
    for pipeline in off on; do
        rode="name=\"cuda_rode\";split=${cuts%/*};block=${cuts#*/};pipeline=\"$pipeline\""
        case $pipeline in
        off) rodes="$rodes,{label=\"$cuts\";$rode}" ;;
        on) rodes="$rodes,{label=\"$cuts pipeline\";$rode}" ;;
        esac
    done
done

time_rode() {
    time_twelve systems-rode.csv "$cusparse$rodes" 1
    for name in power_law dense_row; do
        product systems-rode.csv "type = \"stand_in\"; name = \"$name\"; kind = \"general\";" "$cusparse$rodes"
    done
}

threads_here() { # of THREADS, those that there are processors for, with commas
    list=
    for count in ${THREADS:-1 2 4 8 16}; do
        [ "$count" -gt "$(nproc)" ] || list=${list:+$list,}$count
    done
    echo "$list"
}

time_merge() {
    on_gpu="$cusparse,\"cuda_merge\",\"cuda_segscan\",\"cuda_rode\",\"cuda_csr_vector\",\"cuda_csr_subwarp\""
    for name in circuit5m power_law; do
        general="type = \"stand_in\"; name = \"$name\"; kind = \"general\";"
        product systems-merge.csv "$general" "$on_gpu"
        product systems-merge.csv "$general" '"cpu_csr","cpu_merge"' --sweep "threads=$(threads_here)"
    done
    original systems-merge.csv circuit5M "$on_gpu"
    original systems-merge.csv circuit5M '"cpu_csr","cpu_merge"' --sweep "threads=$(threads_here)"
}

# What ncu counts of one product, the third: a row of a table.
count_product() { # PROBLEM KERNEL LABEL
    printf 'problem = { %s };\nkernels = ( %s );\noutput = { directory = "%s"; };\n' "$1" "$2" "$out" >"$out/config.cfg"
    metrics=gpu__time_duration.sum,smsp__thread_inst_executed_per_inst_executed.ratio
    metrics=$metrics,l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio
    metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,lts__t_sector_hit_rate.pct,dram__bytes.sum
    metrics=$metrics,sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread
    ncu --csv --print-units base --metrics "$metrics" --kernel-name regex:multiply --launch-skip 2 --launch-count 1 \
        ./cgsolve bench --rounds 1 "$out/config.cfg" | LC_ALL=C awk -F '","' -v row="$3" '
        /^"[0-9]/ { gsub(/[",]/, "", $NF); value[$(NF - 2)] = $NF }
        END {
            if (!("gpu__time_duration.sum" in value))
                exit 1
            printf "| %s | %.1f | %.1f | %.1f | %.2f | %.0f | %.1f | %.0f | %d |\n", row, \
                value["gpu__time_duration.sum"] / 1e3, value["smsp__thread_inst_executed_per_inst_executed.ratio"], \
                value["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"], \
                value["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / 1e6, value["lts__t_sector_hit_rate.pct"], \
                value["dram__bytes.sum"] / 1e6, value["sm__warps_active.avg.pct_of_peak_sustained_active"], \
                value["launch__registers_per_thread"]
        }' || failed="$failed
  counters, no figures: $3"
    rm "$out/config.cfg"
}

count_all() {
    echo "# What the device's counters say of one product"
    printf '\n    bench/systems.sh DIRECTORY counters\n\n%s. %s; driver %s; %s.\n' "$(date +%Y-%m-%d)" \
        "$(nvidia-smi --id=0 --query-gpu=name --format=csv,noheader)" \
        "$(nvidia-smi --id=0 --query-gpu=driver_version --format=csv,noheader)" "$(ncu --version | tail -n 1)"
    cat <<'END'

One product alone by the profiler, which empties the caches before it and slows the clocks down: the times compare these
rows, and nothing else.

- threads: of 32, how many took part in an instruction, in the mean: what divergence costs
- sectors a load: of 32 bytes each, for a load of a warp: 4 where 32 single values stand side by side, 32 where each is elsewhere
- M sectors: all of them; L2: how many of a hundred the L2 cache had; MB: from memory
- warps: of those that fit into a multiprocessor, the share that was there

| kernel | us | threads | sectors a load | M sectors | L2, % | MB | warps, % | registers |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
END
    for name in 'kmer, scale 0.1' economics protein; do # rows of 2, of 6 and of 119 entries
        of="type = \"stand_in\"; name = \"${name%,*}\";"
        case $name in
        kmer*) of="$of kind = \"general\"; scale = 0.1;" ;;
        economics) of="$of kind = \"general\";" ;;
        esac
        for kernel in cuda_csr_scalar cuda_csr_vector; do
            count_product "$of" "{name=\"$kernel\";precision=\"float\"}" "$name, $kernel, float"
        done
    done
    for name in economics webbase; do
        of="type = \"stand_in\"; name = \"$name\"; kind = \"general\";"
        for precision in float float_double double; do
            for v in 10 16; do
                count_product "$of" "{name=\"cuda_segscan\";precision=\"$precision\";values_per_thread=$v}" \
                    "$name, cuda_segscan, $precision, V = $v"
            done
        done
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
    textbook=$(precise float '"cuda_csr_scalar","cuda_csr_vector"')
    product systems-blocks.csv "$kmer" "$textbook" --sweep block_size=32,64,128,256,512,1024
    for name in kmer_V2a kmer_V4a; do
        original systems-blocks.csv "$name" '{name="cpu_csr";precision="float";threads=1}'
        original systems-blocks.csv "$name" "$textbook" --sweep block_size=32,64,128,256,512,1024
    done
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
                sed -n 1p); $(./cgsolve --version | awk '{ printf "%s%s", comma, $0; comma = ", " }')."
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
        -v twelve="$twelve" -v page="$2" -f bench/support/systems.awk \
        "$out/$2.csv" >"$out/$2.md" || { rm "$out/$2.md"; exit 1; }
    echo "$out/$2.md"
}

pages() {
    page time systems "The time of a product, by structure"
    page single systems-single "The time of a product, by structure, in single precision"
    page float_double systems-float-double "The time of a product, by structure, single values and double sums"
    page values systems-values "cuda_segscan by its values_per_thread, in double precision"
    page values systems-values-single "cuda_segscan by its values_per_thread, in single precision"
    page values systems-values-float-double "cuda_segscan by its values_per_thread, single values and double sums"
    page cold systems-cold "The time of a product with cold caches, by structure"
    page rode systems-rode "cuda_rode by N_S / N_B, and its pipeline"
    page merge systems-merge "The merge path on circuit5M's structure, on a GPU and a CPU"
    page flat systems-flat "What rows of different lengths cost"
    page blocks systems-blocks "Time against block size, on a k-mer graph in single precision"
}

for stage; do
    case $stage in
    build) make CUDA=1 build ;;
    time) measure time systems.csv time_all ;;
    single) measure single systems-single.csv time_single ;;
    float_double) measure float_double systems-float-double.csv time_float_double ;;
    values)
        measure values systems-values.csv time_values
        measure values systems-values-single.csv time_values_single
        measure values systems-values-float-double.csv time_values_float_double
        ;;
    cold) measure cold systems-cold.csv time_cold ;;
    rode) measure rode systems-rode.csv time_rode ;;
    merge) measure merge systems-merge.csv time_merge ;;
    counters) count_all >"$out/systems-counters.md" ;;
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
