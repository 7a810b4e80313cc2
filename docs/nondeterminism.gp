# The picture of README.md, from the history of one run:
#
#     ./cgsolve configs/nondeterminism.cfg
#     gnuplot docs/nondeterminism.gp > docs/nondeterminism.svg
#
# The colours are those of the kernels in src/program/report/plot_style.c.

set terminal svg size 960,420 font "sans-serif,13" background "white"
set datafile separator ","
if (!exists("history")) history = "results/nondeterminism/history.csv"
rows(label, run, every) = sprintf("<awk -F, '$1==\"%s\" && $2==%d && $3 %% %d == 0' %s", \
                                  label, run, every, history)
atomics = "#d55e00"
bitwise = "#0072b2"

set multiplot layout 1,2
set logscale y
set xlabel "iteration"
set ylabel "residual ||r||"
set key top right samplen 2
set grid ytics lc rgb "#dddddd" lt 1
set border 3
set tics nomirror

# A label for every second power of ten, and a minor tick for each between them.
set ytics ()
set for [k=-6:4:2] ytics add (sprintf("10^{%d}", k) 10.0**k)
set for [k=-7:5:2] ytics add ("" 10.0**k 1)
set title "Ten solves with each kernel, two threads"
plot for [run=1:10] rows("atomics", run, 5) using 3:4 with lines lw 1 lc rgb atomics \
         title (run == 1 ? "atomics: ten histories" : ""), \
     rows("bitwise", 1, 5) using 3:4 with lines lw 1 lc rgb bitwise \
         title "bitwise: one history"

# A label for each power of ten, and minor ticks for 2 to 9 times it.
set ytics 10
set mytics 10
set format y "10^{%T}"
set title "The last iterations"
set xrange [1520:1610]
set yrange [1e-6:3e-4]
plot for [run=1:10] rows("atomics", run, 1) using 3:4 with lines lw 1 lc rgb atomics title "", \
     rows("bitwise", 1, 1) using 3:4 with lines lw 2 lc rgb bitwise title ""
unset multiplot
