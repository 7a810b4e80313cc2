# The pages of bench/systems.sh, of a CSV that `cgsolve bench` wrote (docs/bench.md):
#
#     awk -v stage=STAGE -v page=NAME -v title=TITLE -v machines=FILE -v twelve=NAMES \
#         -f systems.awk CSV
#
# stage is the one that wrote the CSV, page the CSV's name without .csv; machines has a line for each stage that
# systems.sh wrote; twelve are the matrices of the geometric mean. Of rows of the same matrix and
# kernel the last one counts.

# ---- reading -------------------------------------------------------------------------------------

# The fields of the line, and how many.
function cut(line,    count, at) {
    for (count = 0; ; line = substr(line, 2)) {
        if (match(line, /^"([^"]|"")*"/)) {
            field[++count] = substr(line, 2, RLENGTH - 2)
            gsub(/""/, "\"", field[count])
            line = substr(line, RLENGTH + 1)
        } else {
            at = index(line, ",") ? index(line, ",") : length(line) + 1
            field[++count] = substr(line, 1, at - 1)
            line = substr(line, at)
        }
        if (line == "")
            return count
    }
}

# What of a matrix's name is not the standard.
function short(name) {
    sub(/^stand_in, /, "", name)
    sub(/, scale 1,/, ",", name)
    sub(/, shift 1,/, ",", name)
    sub(/, general/, "", name)
    sub(/, seed 1$/, "", name)
    return name
}

function fail(text) {
    print FILENAME ":" FNR ": " text >"/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    kernel[0] = "" # of the row that stands for a matrix alone
    # Sean Baxter's kernel over cuSPARSE on a GTX 570, 2011 (docs/sources.md), of the twelve
    baxter["systems"] = "1.65990 1.83037 2.05642 2.01992 2.43449 2.72919 1.97966 3.12688 2.10099 2.50494" \
        " 2.92598 1.94037"
    baxter["systems-float-double"] = "1.76457 2.06819 2.22412 2.18713 2.64285 3.07786 2.20049 3.05169 2.19352" \
        " 2.78746 3.16430 2.02053"
    baxter["systems-single"] = "2.17766 2.54489 2.74985 2.67110 3.29606 3.82771 2.68316 4.02870 2.59489 3.10195" \
        " 3.84192 2.45225"
}

FNR == 1 {
    names = cut($0)
    for (c = 1; c <= names; c++)
        name[c] = field[c]
    if (name[2] != "matrix" || name[3] != "kernel")
        fail("not a CSV of cgsolve bench")
    next
}

{
    if (cut($0) != names)
        fail("not " names " fields")
    m = short(field[2])
    k = field[3]
    for (c = 1; c <= names; c++)
        cell[m, k, name[c]] = of_matrix[m, name[c]] = field[c]
    if (!(m in known))
        matrix[known[m] = ++matrices] = m
    if (k != "" && !((k, "") in known))
        kernel[known[k, ""] = ++kernels] = k
    has[k]
}

# ---- numbers -------------------------------------------------------------------------------------

function passed(m, k) {
    return (m, k, "status") in cell && cell[m, k, "status"] == "pass"
}

function seconds(m, k) {
    return cell[m, k, "median_seconds"] + 0
}

# Where the product runs: 0 on a device.
function on_cpu(m, k) {
    return cell[m, k, "threads"] > 0
}

# A time, about three digits.
function digits(value) {
    return sprintf(value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value)
}

function ratio(value) {
    return sprintf(value < 0.1 ? "%.1g" : value < 10 ? "%.2f" : "%.1f", value)
}

# A speed or percents.
function whole(value) {
    return sprintf(value < 10 ? "%.2g" : "%.0f", value)
}

# The shortest time of the kernels, or only of those whose label begins with cusparse; 0: none passed.
function shortest(m, only_cusparse,    i, best) {
    for (i = 1; i <= kernels; i++)
        if (passed(m, kernel[i]) && (!only_cusparse || kernel[i] ~ /^cusparse/))
            if (!best || seconds(m, kernel[i]) < best)
                best = seconds(m, kernel[i])
    return best
}

# ---- what a cell holds, by the table -------------------------------------------------------------

function microseconds(m, k,    text) {
    text = digits(1e6 * seconds(m, k))
    return seconds(m, k) == shortest(m, 0) ? "**" text "**" : text
}

function times_cusparse(m, k) {
    return shortest(m, 1) ? ratio(shortest(m, 1) / seconds(m, k)) : ""
}

function shown(table, m, k) {
    if (!((m, k, "status") in cell))
        return (m, "", "status") in cell ? cell[m, "", "status"] : "" # it could not be had
    if (!passed(m, k))
        return cell[m, k, "status"]
    if (table == "microseconds")
        return microseconds(m, k)
    if (table == "times")
        return times_cusparse(m, k)
    if (table == "copy")
        return whole(100 * cell[m, k, "of_copy"])
    return whole(1e-9 * cell[m, k, "bytes_per_second"])
}

# ---- tables --------------------------------------------------------------------------------------

# The first line, and the second: `texts` columns to the left, `numbers` to the right before the kernels'.
function print_head(first, texts, numbers,    i, ruler) {
    for (i = 1; i <= texts; i++)
        ruler = ruler "---|"
    for (i = 1; i <= numbers + kernels; i++)
        ruler = ruler "--:|"
    for (i = 1; i <= kernels; i++)
        first = first " | " kernel[i]
    print "\n" first " |\n|" ruler
}

function print_cells(first, table, m,    i) {
    for (i = 1; i <= kernels; i++)
        first = first " | " shown(table, m, kernel[i])
    print first " |"
}

# Nothing of a matrix that could not be had.
function mean_of(m) {
    return of_matrix[m, "row_mean"] == "" ? "" : sprintf("%.4g", of_matrix[m, "row_mean"])
}

function print_table(table,    i, m) {
    print_head("| matrix | rows | entries | a row | longest", 1, 4)
    for (i = 1; i <= matrices; i++) {
        m = matrix[i]
        print_cells("| " m " | " of_matrix[m, "rows"] " | " of_matrix[m, "entries"] " | " \
                        mean_of(m) " | " of_matrix[m, "row_longest"], table, m)
    }
}

# How often a kernel is as fast as cuSPARSE, in the geometric mean over those of the matrices list[1 ... count] that
# both passed: how many these are, and mean_times.
function times_of(k, list, count,    t, sum, both) {
    for (t = 1; t <= count; t++)
        if (passed(list[t], k) && shortest(list[t], 1)) {
            sum += log(shortest(list[t], 1) / seconds(list[t], k))
            both++
        }
    mean_times = both ? exp(sum / both) : 0
    return both
}

# With the best of a kernel's parameters marked, where the columns are one kernel's.
function print_mean_of(words, list, count,    i, both, best, times, line) {
    line = "| geometric mean of " words " | | | |"
    for (i = 1; i <= kernels; i++)
        if (kernel[i] !~ /^cusparse/ && times_of(kernel[i], list, count) && mean_times > best)
            best = mean_times
    for (i = 1; i <= kernels; i++) {
        both = times_of(kernel[i], list, count)
        times = both ? ratio(mean_times) : ""
        if (both && mean_times == best && (stage == "values" || stage == "rode"))
            times = "**" times "**"
        line = line " | " times (both && both < count ? " (" both " of " count ")" : "")
    }
    print line " |"
}

# The matrices that were read from files.
function files_of(list,    i, count) {
    for (i = 1; i <= matrices; i++)
        if (matrix[i] ~ /\.mtx(\.gz)?$/)
            list[++count] = matrix[i]
    return count + 0
}

# A matrix of the twelve has its scale in its name where that is not 1.
function print_means(    list, twelves, files, t, i, prefix) {
    twelves = split(twelve, list, " ")
    for (t = 1; t <= twelves; t++) {
        prefix = list[t] ", scale "
        for (i = 1; i <= matrices && !(list[t] in known); i++)
            if (substr(matrix[i], 1, length(prefix)) == prefix)
                list[t] = matrix[i]
    }
    print_mean_of("the twelve", list, twelves)
    files = files_of(list)
    if (files)
        print_mean_of("those from files", list, files)
}

# Beside Baxter: what its kernel was to the cuSPARSE of its day, and ours is to that of ours.
function print_baxter(    list, theirs, t, ours, count, sum, sum_ours) {
    if (!(page in baxter))
        return
    split(twelve, list, " ")
    split(baxter[page], theirs, " ")
    print "\n## cuda_segscan beside the kernel that it follows\n\nTimes as fast as cuSPARSE: Sean Baxter's kernel on a" \
        " GTX 570 and the cuSPARSE of 2011 (`docs/sources.md`), with the originals; and" \
        " `cuda_segscan` here, beside the better algorithm of today's, with their stand-ins." \
        (stage == "float_double" ? " In both the values are single, the sums double, and cuSPARSE is single throughout." : "") \
        "\n\n| matrix | Baxter | here |\n|---|--:|--:|"
    for (t = 1; t in list; t++) {
        ours = passed(list[t], "cuda_segscan") && shortest(list[t], 1) ? \
            shortest(list[t], 1) / seconds(list[t], "cuda_segscan") : 0
        print "| " list[t] " | " ratio(theirs[t]) " | " (ours ? ratio(ours) : "") " |"
        if (ours) {
            count++
            sum += log(theirs[t])
            sum_ours += log(ours)
        }
    }
    if (count)
        print "| geometric mean" (count < t - 1 ? " (" count " of " t - 1 ")" : "") " | " \
            ratio(exp(sum / count)) " | " ratio(exp(sum_ours / count)) " |"
}

# ---- what stands before and behind them ----------------------------------------------------------

function print_start(    line, part, command, machine) {
    command = "bench/systems.sh DIRECTORY " stage
    machine = "The machine was not noted."
    while ((getline line < machines) > 0)
        if (split(line, part, "\t") == 4 && part[1] == stage) {
            rounds = part[2]
            command = part[3]
            machine = part[4]
        }
    close(machines)
    print "# " title "\n\n    " command " tables\n\n" machine copy_speed()
}

# Of a copy on the device: each run of the program measures it.
function copy_speed(    i, j, m, k, rate, least, most) {
    for (i = 1; i <= matrices; i++)
        for (j = 1; j <= kernels; j++) {
            m = matrix[i]
            k = kernel[j]
            if (!passed(m, k) || on_cpu(m, k) || cell[m, k, "of_copy"] <= 0)
                continue
            rate = 1e-12 * cell[m, k, "bytes_per_second"] / cell[m, k, "of_copy"]
            least = !least || rate < least ? rate : least
            most = rate > most ? rate : most
        }
    return most ? sprintf(" A copy on the device moves %.2f to %.2f TB/s.", least, most) : ""
}

function print_rounds() {
    print "\nMedians of " (rounds ? rounds : "the") " rounds, in each of which every kernel has its turn: " \
        (stage == "cold" ? \
         "one product, before which a buffer of 256 MiB is overwritten. So the matrix and x come from memory." : \
         "a batch of products of the same x, one behind the other, on a device recorded as one CUDA graph and timed" \
         " by events. So launches cost nothing, and the caches are warm: what fits into them is not read from memory" \
         " again.") \
        " The matrices are those of `docs/test-matrices.md`; one named by a file is the user's own;" \
        " `docs/bench.md` tells how it is measured."
}

# Whatever is not as it should be, or not as a reader would think.
function print_notes(    i, j, k, count, line) {
    for (j = 1; j <= kernels; j++) {
        count = 0
        for (i = 1; i <= matrices; i++)
            count += passed(matrix[i], kernel[j]) && cell[matrix[i], kernel[j], "distinct"] > 1
        if (count)
            line = line (line ? ", " : "") kernel[j] " " count
    }
    if (line)
        print "\nMatrices of which a kernel had results with different bits over the rounds: " line "."
    for (j = 0; j <= kernels; j++)
        for (i = 1; i <= matrices; i++)
            if ((matrix[i], kernel[j], "status") in cell)
                note_cell(matrix[i], kernel[j])
    for (i = 1; i <= notes; i++)
        print (i == 1 ? "\n- " : "- ") note[i] " (" of_note[note[i]] ")"
    if (runs[0] > 1 || runs[1] > 1)
        print "\nNot of one run: the rows differ in rounds, threads, version or machine."
}

# Matrices with the same to be said of the same kernel stand in one note.
function note_cell(m, k,    text, run) {
    if (!passed(m, k))
        text = cell[m, k, "status"] (cell[m, k, "reason"] == "" ? "" : ", " cell[m, k, "reason"])
    else if (cell[m, k, "in_turns"] == "no")
        text = "measured alone, not in turns"
    if (text) {
        text = (k == "" ? "" : k ": ") text
        if (!(text in of_note))
            note[++notes] = text
        of_note[text] = of_note[text] (of_note[text] == "" ? "" : ", ") m
    }
    run = on_cpu(m, k) SUBSEP cell[m, k, "run"]
    if (passed(m, k) && !(run in runs)) {
        runs[run] = 1
        runs[on_cpu(m, k)]++
    }
}

# ---- the pages -----------------------------------------------------------------------------------

function page_of_kernels() {
    print_rounds()
    if ("cuda_sym_atomic" in has)
        print "\n`cuda_sym_*` keep and read the upper triangle, the others the full matrix."
    if (stage == "float_double")
        print "\nThe values are single and the sums double; those of cuSPARSE are single throughout, as in Baxter's" \
            " table, because it has no such mixture."
    if (stage == "values")
        print "\nV is the entries that a thread of `cuda_segscan` adds one after the other. Baxter found 12 the" \
            " best in double and 16 in single precision, and asked why more are not better still."
    if (stage == "rode")
        print "\nThe columns are N_S / N_B of `cuda_rode`: at most so many entries in a regular part, in multiples of" \
            " so many. RoDe has 512 / 32. `pipeline`: its entries go through shared memory, in two buffers."
    print "\n## Microseconds a product\n\nIn bold the shortest."
    print_table("microseconds")
    print_notes()
    print "\n## Times as fast as cuSPARSE\n\nThe time of the better algorithm of cuSPARSE over the kernel's: above 1" \
        " the kernel is faster."
    print_table("times")
    print_means()
    print_baxter()
    print "\n## % of the copy speed\n\nThe bytes that a product must move, by the kernel's byte model, over its time," \
        " in percent of the speed of a copy. Above 100 they come from a cache."
    print_table("copy")
}

function page_of_flat(    i, j, m, equal, line, a, b) {
    print_rounds()
    print "\n## GB/s\n\nThe bytes that a product must move, by the kernel's byte model, over its time: of the rows as" \
        " drawn, and of as many entries, in each column too, in rows of equal length. Drawn / equal below 1: the" \
        " lengths make the product slower. In the equal rows the columns lie anywhere. So they do in the drawn" \
        " rows of power_law and dense_row; in those of circuit and webbase they lie in a wide window around the" \
        " diagonal, and what that is worth is in the ratio too."
    print_head("| matrix | rows | a row | longest", 2, 2)
    for (i = 1; i <= matrices; i++) {
        m = matrix[i]
        equal = m ", rows made equal"
        if (!(equal in known))
            continue
        print_cells("| " m " | drawn | " mean_of(m) " | " of_matrix[m, "row_longest"], "rate", m)
        print_cells("| " m " | equal | " mean_of(equal) " | " of_matrix[equal, "row_longest"],
                    "rate", equal)
        line = "| " m " | drawn / equal | |"
        for (j = 1; j <= kernels; j++) {
            a = passed(m, kernel[j]) ? cell[m, kernel[j], "bytes_per_second"] : 0
            b = passed(equal, kernel[j]) ? cell[equal, kernel[j], "bytes_per_second"] : 0
            line = line " | " (a && b ? "**" ratio(a / b) "**" : "")
        }
        print line " |"
    }
    print_notes()
}

# Kernels on a device by their block size, beside one thread of the CPU. The last is a stand-in.
function page_of_blocks(    i, generated) {
    print_rounds()
    print "\nVilla's report (`docs/sources.md`), on a GPU of Google Colab: the fastest block" \
        " has 1024 threads, with 256 and 512 it takes less than 5 % longer; a warp a row is up to 3 times as fast as one" \
        " thread a row, and up to 250 times as fast as one thread of the CPU."
    for (i = 1; i <= matrices; i++)
        if (matrix[i] ~ /\.mtx(\.gz)?$/)
            print_blocks(matrix[i])
        else
            generated = matrix[i]
    print_blocks(generated)
    print_notes()
}

function print_blocks(m,    base, j, k, p, s, series, size, place, by, head, ruler, line) {
    for (j = 1; j <= kernels; j++) {
        k = kernel[j]
        if (passed(m, k) && cell[m, k, "threads"] == 1)
            base = k
        if (!((m, k, "status") in cell) || !match(cell[m, k, "parameters"], / block_size=[0-9]+/))
            continue
        p = substr(cell[m, k, "parameters"], 1, index(cell[m, k, "parameters"], " ") - 1)
        s = substr(cell[m, k, "parameters"], RSTART + 12, RLENGTH - 12)
        if (!(p in place))
            series[place[p] = ++series[0]] = p
        if (!(s in place))
            size[place[s] = ++size[0]] = s
        by[place[p], place[s]] = k
    }
    if (base == "")
        fail("no product of one thread of the CPU, which the others are compared with")
    printf "\n%s: %s rows, %s entries, %s a row, at most %s. One thread of the CPU, in a run of its own:" \
        " `%s`, %s ms, %s GB/s.\n", m, of_matrix[m, "rows"], of_matrix[m, "entries"],
        mean_of(m), of_matrix[m, "row_longest"], base, digits(1e3 * seconds(m, base)),
        shown("rate", m, base)
    head = "| threads a block"
    ruler = "|--:|"
    for (p = 1; p <= series[0]; p++) {
        head = head " | " series[p] ", ms | GB/s | times the CPU's thread"
        ruler = ruler "--:|--:|--:|"
    }
    print "\n" head " |\n" ruler
    for (s = 1; s <= size[0]; s++) {
        line = "| " size[s]
        for (p = 1; p <= series[0]; p++) {
            k = by[p, s]
            if (passed(m, k))
                line = line " | " digits(1e3 * seconds(m, k)) " | " shown("rate", m, k) " | " \
                    ratio(seconds(m, base) / seconds(m, k))
            else
                line = line " | " shown("rate", m, k) " | |"
        }
        print line " |"
    }
}

# The bytes a second of Merrill and Garland: 8 for x with each entry, so 20 an entry, and 12 a row.
function merge_rate(m, time) {
    return whole(1e-9 * (20 * of_matrix[m, "entries"] + 12 * of_matrix[m, "rows"]) / time)
}

function merge_row(m, k) {
    return shown("microseconds", m, k) (passed(m, k) ? \
        " | " sprintf("%.2f", cell[m, k, "gflops"]) " | " merge_rate(m, seconds(m, k)) " | " shown("rate", m, k) : " | | |")
}

# What runs on the device, then the CPU by its threads.
function page_of_merge(    i, j, m, k) {
    print_rounds()
    print "\nThe figures of circuit5M are those that Merrill and Garland's repository prints (`docs/sources.md`):" \
        " two Xeon E5-2695 v2 with 48 threads, and a Tesla K40m. Their GB/s count 8" \
        " bytes of x with every entry, (20 entries + 12 rows) / time, as if no x_j were found in a cache; ours count x" \
        " once. So ours stand in both models here. The numbers of different machines are not to be compared: their" \
        " ratios to the library beside them are."
    print "\n| circuit5M, published | us | GFLOP/s | GB/s, x with every entry |\n|---|--:|--:|--:|"
    print "| merge path, CPU, 48 threads | 12635.6 | 9.42 | 99.5 |\n| MKL CsrMV, CPU | 53623.4 | 2.22 | 23.4 |"
    print "| merge path, GPU | 6923.9 | 17.19 | 182 |\n| cuSPARSE CsrMV, GPU | 316782 | 0.38 | 4.0 |"
    print "| cuSPARSE HybMV, GPU (after 1060 ms of set-up) | 8639.8 | 13.78 | 146 |"
    for (i = 1; i <= matrices; i++) {
        m = matrix[i]
        print "\n## " m ": " of_matrix[m, "rows"] " rows, " of_matrix[m, "entries"] " entries, " mean_of(m) \
            " a row, at most " of_matrix[m, "row_longest"]
        print "\n| kernel | us | GFLOP/s | GB/s, x with every entry | GB/s, x once |\n|---|--:|--:|--:|--:|"
        for (j = 1; j <= kernels; j++) {
            k = kernel[j]
            if ((m, k, "status") in cell && !on_cpu(m, k))
                print "| " k " | " merge_row(m, k) " |"
        }
        for (j = 1; j <= kernels; j++)
            if ((m, kernel[j], "status") in cell && on_cpu(m, kernel[j]))
                print "| " kernel[j] " | " merge_row(m, kernel[j]) " |"
    }
    print_notes()
}

END {
    if (failed)
        exit 1
    print_start()
    if (stage == "flat")
        page_of_flat()
    else if (stage == "blocks")
        page_of_blocks()
    else if (stage == "merge")
        page_of_merge()
    else
        page_of_kernels()
}
