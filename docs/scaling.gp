# The picture of scaling.md: what was measured, and its model; the model's tables are printed.
#
#     gnuplot docs/scaling.gp > docs/scaling.svg
#
# Milliseconds per iteration of conjugate gradients, Poisson3D n^3 with a byte a row, on H200.

set terminal svg size 960,420 font "sans-serif,13" background "white"

# One GPU, as measured, and what a rank takes more: launches and waits; by NCCL in place of that its
# launches, two gathers and a swap, as measured on one host.
t256 = 0.324; t512 = 2.56
wait = 0.015
nccl = 0.065

# Bytes of a halo, r, by the border of a rank: two planes of n^2 rows; or the surface of a cube.
bytes(rows) = 8.0 * rows
planes(n, P) = (P < 3 ? 1.0 : 2.0) * n**2
cube(n, P) = 6.0 * (n**3 / P)**(2.0 / 3)
link = 320e6    # bytes in a millisecond: NVLink, as measured
network = 50e6  # 400 Gbit/s a GPU, not measured

one_host(t, n, P) = t / P + wait + bytes(planes(n, P)) / link
strips(t, n, P) = t / P + nccl + bytes(planes(n, P)) / network
parts(t, n, P) = t / P + nccl + bytes(cube(n, P)) / network

$measured512 << END
1 2.56
2 1.28
4 0.668
END
$measured256 << END
1 0.324
2 0.179
4 0.107
END
$nccl512 << END
4 0.727
END
$nccl256 << END
4 0.160
END

set multiplot layout 1,2
set logscale xy
set xlabel "GPUs"
set ylabel "ms / iteration"
set xrange [0.8:1300]
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
set grid ytics lc rgb "#dddddd" lt 1
set border 3
set tics nomirror
set key top right samplen 2
set samples 400

set title "512^3"
set yrange [0.003:20]
plot t512 / x with lines dt 3 lc rgb "#999999" title "time of one GPU over GPUs", \
     (x >= 2 && x <= 8 ? one_host(t512, 512, x) : 1 / 0) with lines lw 2 lc rgb "#0072b2" \
         title "model: one host", \
     (x >= 8 ? strips(t512, 512, x) : 1 / 0) with lines lw 2 lc rgb "#d55e00" \
         title "model: hosts, strips", \
     (x >= 8 ? parts(t512, 512, x) : 1 / 0) with lines lw 2 lc rgb "#009e73" \
         title "model: hosts, cubes", \
     $measured512 with points pt 7 lc rgb "black" title "measured", \
     $nccl512 with points pt 6 lc rgb "black" title "measured, by NCCL"
set title "256^3"
plot t256 / x with lines dt 3 lc rgb "#999999" title "", \
     (x >= 2 && x <= 8 ? one_host(t256, 256, x) : 1 / 0) with lines lw 2 lc rgb "#0072b2" \
         title "", \
     (x >= 8 ? strips(t256, 256, x) : 1 / 0) with lines lw 2 lc rgb "#d55e00" title "", \
     (x >= 8 ? parts(t256, 256, x) : 1 / 0) with lines lw 2 lc rgb "#009e73" title "", \
     $measured256 with points pt 7 lc rgb "black" title "", \
     $nccl256 with points pt 6 lc rgb "black" title ""
unset multiplot

times(n) = n == 256 ? t256 : t512
do for [n in "256 512"] {
    do for [P in "2 4 8"] {
        print sprintf("%s^3, %s GPUs of a host: %.2f times faster than one; so many rows on each: %.0f %%", n, P, \
                      times(n) / one_host(times(n), n, P + 0), \
                      100 * times(n) / one_host(times(n) * P, n, P + 0))
    }
    do for [P in "16 64 256 1024"] {
        print sprintf("%s^3, %s GPUs of hosts: strips %.2f ms, cubes %.2f", n, P, strips(times(n), n, P + 0), \
                      parts(times(n), n, P + 0))
    }
}
print sprintf("512^3 on each GPU of hosts: %.0f %%", 100 * t512 / strips(8 * t512, 512, 8))
