# The picture of bench/systems.sh, of the points that systems.awk writes:
#
#     gnuplot -e "points = 'FILE'" bench/support/systems_blocks.gp > systems-blocks.svg
#
# Colours (Okabe, Ito), marks and dashes, by the place of a kernel in the file.

set terminal svg size 720,420 font "sans-serif,13" background "white"
colors = "#d55e00 #0072b2 #009e73 #cc79a7 black #e69f00 #56b4e9"
marks = "7 5 9 11 13 6 4 8"

stats points using 1 name "SIZE" nooutput
stats points using 2 name "SPEED" nooutput
if (SPEED_max > 10 * SPEED_min) {
    set logscale y
    set ytics 10
} else {
    set yrange [0:*]
}
set logscale x 2
set xrange [SIZE_min / 1.2:SIZE_max * 1.2] noextend
set xlabel "threads a block"
set ylabel "times as fast as one thread of the CPU"
set border 3 lw 0.8
set tics nomirror out
set grid ytics lt 1 lw 0.5 lc rgb "#dddddd"
set key tmargin left Left reverse horizontal samplen 3 noenhanced

plot for [k=0:SIZE_blocks-1] points index k using 1:2:xtic(1) with linespoints lw 2 ps 0.8 \
         lc rgb word(colors, k + 1) pt int(word(marks, k + 1)) dt k + 1 title columnheader(1)
