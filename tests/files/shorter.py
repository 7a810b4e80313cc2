"""The program that CGSOLVE names, with the sizes of its call made small: options behind the call's own, by rule.

Everything else of the call is as it was, so every option, key and file in it has to exist, and two equal calls are
two equal calls here too.
"""

import os
import pathlib
import re
import statistics
import sys

from studies import PROGRAM

POINTS = 64  # at most; a single number is the side of a cube
ONE_DIMENSION = "tied|power_law|chains|feature_graph"  # but of these
AS_THEY_ARE = {"convert", "check", "trace-diff", "report", "help", "version"}


def group(text):
    """Of a config: what stands between the braces of `problem`."""
    found = re.search(r"^\s*problem\s*[=:]\s*\{(.*?)\}", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def smaller(problem):
    """The keys that make a problem small. One of a file has the size of its file."""
    one_dimension = re.search(rf'\btype\s*=\s*"({ONE_DIMENSION})"', problem)
    n = re.search(r"\bn\s*=\s*(\[[^]]*\]|\d+)", problem)
    if n:
        sides = [int(number) for number in re.findall(r"\d+", n[1])]
        root = 1 / (1 if one_dimension else len(sides) if len(sides) > 1 else 3)
        factor = min(1, POINTS**root / statistics.geometric_mean(sides))
        return ["problem.n=" + re.sub(r"\d+", lambda side: str(round(int(side[0]) * factor)), n[1])]
    return ["problem.scale=0.02"] if re.search(r'\btype\s*=\s*"stand_in"', problem) else []


def shorter(arguments):
    if not arguments or AS_THEY_ARE & {arguments[0]} or not set(arguments).isdisjoint({"--help", "--version"}):
        return arguments
    own = [value for option, value in zip(arguments, arguments[1:]) if option == "--set"]
    configs = [pathlib.Path(word) for word in arguments if word.endswith(".cfg")]
    problems = [group(text) for text in own] + [group(path.read_text()) for path in configs if path.exists()]
    keys = smaller(next(filter(None, problems), ""))
    if arguments[0] == "bench":
        options = [] if "--certificate" in arguments else ["--rounds", "1"]
        keys = [*keys, "bench.seconds=1e-5"]
    else:
        options, keys = [], [*keys, "repeats=2", "output.report=false"] if configs else []
    return [*arguments, *options, *(word for key in keys for word in ("--set", key))]


if __name__ == "__main__":
    os.execv(PROGRAM, [PROGRAM, *shorter(sys.argv[1:])])
