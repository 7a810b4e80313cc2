# The picture of README.md, from the history of one run:
#
#     ./cgsolve configs/nondeterminism.cfg
#     gnuplot docs/nondeterminism.gp > docs/nondeterminism.svg

set terminal svg size 960,420 font "sans-serif,13" background "white"
set datafile separator ","
history = "results/nondeterminism/history.csv"
rows(label, run, every) = sprintf("<awk -F, '$1==\"%s\" && $2==%d && $3 %% %d == 0' %s", \
                                  label, run, every, history)

set multiplot layout 1,2
set logscale y
set format y "10^{%T}"
set xlabel "iteration"
set ylabel "residual ||r||"
set key top right samplen 2
set grid ytics lc rgb "#dddddd" lt 1
set border 3
set tics nomirror

set title "Ten solves with each kernel, two threads"
plot for [run=1:10] rows("atomics", run, 5) using 3:4 with lines lw 1 lc rgb "#d55e00" \
         title (run == 1 ? "atomics: ten histories" : ""), \
     rows("bitwise", 1, 5) using 3:4 with lines lw 1 lc rgb "#000000" \
         title "bitwise: one history"

set title "The last iterations"
set xrange [1520:1610]
set yrange [1e-6:3e-4]
plot for [run=1:10] rows("atomics", run, 1) using 3:4 with lines lw 1 lc rgb "#d55e00" title "", \
     rows("bitwise", 1, 1) using 3:4 with lines lw 2 lc rgb "#000000" title ""
unset multiplot
