"""Becomes another program that dies with the process that asked for it.

Run as `python -I -S launcher.py PARENT-PID PROGRAM ARGUMENTS...`. It stands between the daemon and its children since
code that runs after a fork and before an exec is not safe in a process with threads, as the daemon is.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before prctl took hold
            os._exit(1)
    os.execv(program[0], program)


main()
