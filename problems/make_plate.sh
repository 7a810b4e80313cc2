#!/bin/sh
# A thin plate, simply supported, on m x m points: the 13-point biharmonic operator A = L L, where L is
# the 5-point Laplacian with zero boundary values (diagonal 4, neighbours -1). Symmetric positive
# definite, whole numbers; its eigenvalues are the squares of L's,
# (4 - 2 cos(i pi / (m + 1)) - 2 cos(j pi / (m + 1)))^2, so its condition number is about
# (2 (m + 1) / pi)^4: 4.6e5 for m = 40.
#
#     problems/make_plate.sh 40 | gzip -9n > problems/plate.mtx.gz
set -eu
awk -v m="${1:-40}" '
function L(a, b,    d) { # the entry of L for the points a and b
    d = (a % m - b % m) ^ 2 + (int(a / m) - int(b / m)) ^ 2
    return d == 0 ? 4 : d == 1 ? -1 : 0
}
function at(x, y) { return x < 0 || y < 0 || x >= m || y >= m ? -1 : x + m * y }
BEGIN {
    for (row = 0; row < m * m; row++) {
        x = row % m; y = int(row / m)
        for (dy = -2; dy <= 0; dy++)
            for (dx = -2; dx <= 2; dx++) {
                column = at(x + dx, y + dy)
                if (column < 0 || column > row) continue
                sum = 0
                for (k = 0; k < 5; k++) {
                    middle = at(x + (k == 1) - (k == 2), y + (k == 3) - (k == 4))
                    if (middle >= 0) sum += L(row, middle) * L(middle, column)
                }
                if (sum != 0) entry[++entries] = row + 1 " " column + 1 " " sum
            }
    }
    print "%%MatrixMarket matrix coordinate integer symmetric"
    print "% a simply supported plate on " m " x " m " points: problems/make_plate.sh"
    print m * m, m * m, entries
    for (k = 1; k <= entries; k++) print entry[k]
}'
