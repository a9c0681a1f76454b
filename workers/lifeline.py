"""Ties a process to its parent, so that none is left over whatever way the parent ends."""

from __future__ import annotations

import os
import signal
import threading
import time

_LOOK_S = 0.5


def die_with_parent(grace_s: float = 3.0) -> None:
    """End this process soon after its parent: politely first, then at once. Call it early, from any thread."""
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent, grace_s), name="lifeline", daemon=True).start()


def _watch(parent: int, grace_s: float) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace_s)
    os.kill(os.getpid(), signal.SIGKILL)
