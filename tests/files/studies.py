"""Studies, made by the program that CGSOLVE names, for the tests of what others read from their files."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CGSOLVE", str(ROOT / "cgsolve"))


def study(directory, config, *options, ends=(0,)):
    """Run a config, a path or a text, into the directory; its exit status is one of `ends`."""
    if isinstance(config, (str, bytes)):
        text = config.encode() if isinstance(config, str) else config
        config = pathlib.Path(f"{directory}.cfg")
        config.write_bytes(text)
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    call = [PROGRAM, "--quiet", "--output", str(directory), *options, str(config)]
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, check=False)
    if done.returncode not in ends:
        said = (done.stdout + done.stderr).decode(errors="replace")
        raise AssertionError(f"{call}: exit status {done.returncode}\n{said}")
    return pathlib.Path(directory)
