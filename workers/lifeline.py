"""Ties a process to its parent, so that none is left over whatever way the parent ends. Standard library only.

As a program, `python -m workers.lifeline PARENT_PID PROGRAM [ARGUMENT…]` does the same for a program that is not ours.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

_LOOK_S = 0.5
_PR_SET_PDEATHSIG = 1
"""Source: Linux, prctl(2)."""


def die_with_parent(parent: int | None = None) -> None:
    """End this process at once when its parent ends. Call it early, in the main thread, and again after a fork.

    Linux does it by itself; elsewhere, and should that fail, a thread looks twice a second.

    Args:
        parent: who the parent must be; None: whoever it is now. If it is gone already, this process ends here.
    """
    expected = os.getppid() if parent is None else parent
    _ask_linux()
    if os.getppid() != expected:
        _end_at_once()
    threading.Thread(target=_watch, args=(expected,), name="lifeline", daemon=True).start()


def _ask_linux() -> None:
    """The signal is kept over exec, but not over fork."""
    if sys.platform.startswith("linux"):
        import ctypes  # only where it is used

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    _end_at_once()


def _end_at_once() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: list[str]) -> int:
    """Run a program that ends with the given parent."""
    parent, command = int(arguments[0]), arguments[1:]
    if sys.platform.startswith("linux"):
        _ask_linux()
        if os.getppid() != parent:
            return 1
        os.execv(command[0], command)  # noqa: S606 - this process becomes the program
    return _run_watched(parent, command)


def _run_watched(parent: int, command: list[str]) -> int:
    """Stay beside the program, pass signals on, and end it with the parent."""
    process = subprocess.Popen(command)  # noqa: S603 - the caller chose it
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: process.send_signal(received))
    while process.poll() is None and os.getppid() == parent:
        time.sleep(_LOOK_S)
    if process.poll() is None:
        process.kill()
    return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
