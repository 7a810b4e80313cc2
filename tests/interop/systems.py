"""A system as the program and PETSc read it."""

import pathlib
import random
import struct


def grid(side, shift=0.01, scale=1.0):
    """The rows of a grid with random couplings, dictionaries of the entries by their columns."""
    draw = random.Random(3)
    rows = [{} for _ in range(side * side)]

    def couple(i, j):
        weight = scale * draw.uniform(0.1, 10)
        for a, b in ((i, j), (j, i)):
            rows[a][b] = -weight
            rows[a][a] = rows[a].get(a, 0) + weight

    for i in range(side * side):
        rows[i][i] = rows[i].get(i, 0) + scale * shift
        if (i + 1) % side:
            couple(i, i + 1)
        if i + side < side * side:
            couple(i, i + side)
    return rows


def blocks(rows):
    """Each entry becomes a block of 2 x 2, so that what is definite remains so."""
    parts = ((2, 0.5), (0.5, 1))
    return [{2 * j + l: value * part for j, value in row.items() for l, part in enumerate(parts[k])}
            for row in rows for k in range(2)]


def right_hand_side(n):
    draw = random.Random(5)
    return [draw.uniform(-1, 1) for _ in range(n)]


def write_petsc(path, rows, b):
    entries = [(j, row[j]) for row in rows for j in sorted(row)]
    n, nnz = len(rows), len(entries)
    columns, values = zip(*entries)
    path.write_bytes(struct.pack(f">4i{n}i{nnz}i", 1211216, n, n, nnz, *map(len, rows), *columns) +
                     struct.pack(f">{nnz}d2i{n}d", *values, 1211214, n, *b))


def write_vector(path, v):
    path.write_bytes(struct.pack(f">2i{len(v)}d", 1211214, len(v), *v))


def read_petsc(path):
    """The vectors of a file, each as bytes in this machine's order."""
    data, vectors = pathlib.Path(path).read_bytes(), []
    while data:
        kind, n = struct.unpack_from(">2i", data)
        assert kind == 1211214
        vectors.append(struct.pack(f"={n}d", *struct.unpack_from(f">{n}d", data, 8)))
        data = data[8 + 8 * n:]
    return vectors


def write_market(path, rows):
    lower = [f"{i + 1} {j + 1} {row[j]!r}" for i, row in enumerate(rows) for j in sorted(row) if j <= i]
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real symmetric",
                               f"{len(rows)} {len(rows)} {len(lower)}", *lower, ""]), encoding="ascii")


def write_text(path, vector):
    path.write_text("".join(f"{v!r}\n" for v in vector), encoding="ascii")


def read_npy(path):
    """The numbers of an .npy file of version 1, as bytes."""
    data = path.read_bytes()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]
