"""CPU time and memory of the processes under measurement, and what the rest of the machine took meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

CORES = len(os.sched_getaffinity(0))
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def roles_below(pid: int) -> dict[int, str]:
    """Every process below one, by what it does for the service."""
    try:
        found = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return {}
    return {process.pid: role for process in found if (role := _role(process))}


def _role(process: psutil.Process) -> str:
    try:
        command = " ".join(process.cmdline())
    except psutil.Error:
        return ""
    for mark, role in (
        ("service.documents.sandbox", "sandbox"),
        ("--queue io", "io"),
        ("--queue cpu", "cpu"),
        ("service.cli.main api", "api"),
    ):
        if mark in command:
            return role
    return "redis" if "redis" in command or "valkey" in command else ""


def cpu_s(pid: int) -> float:
    """User and system time of one process, its children not counted; 0 when it has ended."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def _busy_s() -> float:
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _wait, irq, soft, steal = (int(f) for f in fields[:8])
    return (user + nice + system + irq + soft + steal) * _TICK_S


@dataclass(slots=True)
class Meter:
    """What was used between its making and `read`."""

    serve_pid: int
    others: Mapping[str, int]
    """Further processes of ours, by role."""
    _began: float = field(default_factory=time.monotonic)
    _busy: float = field(default_factory=_busy_s)
    _start: dict[int, float] = field(default_factory=dict[int, float])

    def __post_init__(self) -> None:
        """Note where every process stands."""
        self._start = {pid: cpu_s(pid) for pid in self._pids()}

    def _pids(self) -> dict[int, str]:
        return {**roles_below(self.serve_pid), **{pid: role for role, pid in self.others.items()}}

    def read(self) -> tuple[dict[str, float], float]:
        """CPU seconds by role, and the cores that other programs left us on average."""
        wall = time.monotonic() - self._began
        used: dict[str, float] = {}
        for pid, role in self._pids().items():
            used[role] = used.get(role, 0.0) + cpu_s(pid) - self._start.get(pid, 0.0)
        foreign = max(0.0, _busy_s() - self._busy - sum(used.values()))
        return used, max(0.1, CORES - foreign / wall)
