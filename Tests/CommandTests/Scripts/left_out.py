"""left_out.py LIBRARY: the functions of scripts/left-out.c, built as LIBRARY, give what libm's do, to the bit."""

import ctypes
import math
import random
import struct
import sys

EDGES = [0.0, 0.5, 1.0, 1.5, 2.5, 1 - 2**-53, 2.0**52 - 0.5, 2.0**52 + 1, 2.0**53, 2.0**63, 2.0**1000, 5e-324, 1.7e308,
         math.inf, math.nan]
OF_ONE = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log2", "rint", "round", "sin",
          "sinh", "sqrt", "tan", "tanh", "trunc"]
OF_TWO = ["atan2", "fmod", "pow", "remainder"]


def bits(value):
    return "NaN" if math.isnan(value) else struct.pack("<d", value)


def check(ours, theirs, name, *values):
    results = []
    for library in (ours, theirs):
        function = getattr(library, name)
        function.restype = ctypes.c_double
        function.argtypes = [ctypes.c_double] * len(values)
        results.append(function(*values))
    if bits(results[0]) != bits(results[1]):
        sys.exit(f"{name}{values}: {results[0]!r}, libm has {results[1]!r}")


def main():
    ours, theirs = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libm.so.6")
    edges = EDGES + [-value for value in EDGES]
    others = [random.uniform(-1e6, 1e6) for _ in range(20_000)]
    others += [struct.unpack("<d", random.randbytes(8))[0] for _ in range(20_000)]
    for value in edges + others:
        check(ours, theirs, "floor", value)
        check(ours, theirs, "ceil", value)
    for value in edges:
        for name in OF_ONE:
            check(ours, theirs, name, value)
        for name in OF_TWO:
            check(ours, theirs, name, value, 0.75)
        check(ours, theirs, "fma", value, 3, 0.1)


main()
