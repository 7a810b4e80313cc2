"""Studies, made by the program that CGSOLVE names, for the tests of what others read from their files."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CGSOLVE", str(ROOT / "cgsolve"))


def begin(directory, config, *options):
    """Run a config, a path or a text, into the directory."""
    if isinstance(config, (str, bytes)):
        text = config.encode() if isinstance(config, str) else config
        config = pathlib.Path(f"{directory}.cfg")
        config.write_bytes(text)
    call = [PROGRAM, "--quiet", "--output", str(directory), *options, str(config)]
    return subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def study(directory, config, *options, ends=(0,)):
    """The same to its end; the exit status is one of `ends`."""
    running = begin(directory, config, *options)
    said = running.communicate()[0].decode(errors="replace")
    if running.returncode not in ends:
        raise AssertionError(f"{running.args}: exit status {running.returncode}\n{said}")
    return pathlib.Path(directory)
