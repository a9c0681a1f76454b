"""What can wait is done once it is quiet, each thing once, whatever another one does."""

from __future__ import annotations

import threading

from service.jobs.process.quiet_time import QuietTime


def _fail() -> None:
    raise ValueError("this one fails")


def test_what_is_put_off_is_done_although_another_fails() -> None:
    """And so is what is put off when all that came before is done."""
    quiet = QuietTime()
    for _ in range(3):
        done = threading.Event()
        quiet.then(_fail)
        quiet.then(done.set)
        assert done.wait(60)
    quiet.stop()


def test_who_stops_forgets_what_waits() -> None:
    """The process ends, and a sweeper elsewhere rings instead."""
    quiet, done = QuietTime(), threading.Event()
    blocked, go = threading.Event(), threading.Event()
    quiet.then(lambda: (blocked.set(), go.wait(60)))
    assert blocked.wait(60)
    quiet.then(done.set)
    threading.Timer(0.2, go.set).start()
    quiet.stop()
    assert not done.is_set()
