"""Enters what lies in a folder into the ledger, so that no list of files is held in memory."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

from service.cli.batch.entries import FoundPath, PathState
from service.cli.batch.find import Selection, Sighting, find_files
from service.cli.batch.ledger import Ledger
from service.documents.reader import sniff_file
from service.domain.errors import InputError

_SURE_S = 2.0
"""A file that was changed so shortly before it was noted may have been changed again without showing it."""


def list_files(
    ledger: Ledger, folder: Path, selection: Selection, beside: tuple[Path, ...], *, watch: bool = False
) -> int:
    """Note every file that is meant, for this run.

    Args:
        ledger: of the batch.
        folder: searched to its depth.
        selection: which files are meant.
        beside: folders that may lie inside and hold no input.
        watch: whether files may be arriving: one counts once it is seen twice with the same size and time.

    Returns:
        How many files are waiting that this run did not know before.
    """
    new = 0
    for seen in find_files(folder, selection, beside):
        known = _known(ledger, folder, seen)
        if _note(ledger, seen, known, watch=watch):
            new += 1
    return new


def digest_of(path: Path) -> bytes:
    """SHA-256 of a file that is of a kind that is read.

    Raises:
        InputError: `empty_file` or `unsupported_format`.
        OSError: it cannot be read.
    """
    sniff_file(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _note(ledger: Ledger, seen: Sighting, known: FoundPath, *, watch: bool) -> bool:
    """Enter one file; whether it is waiting now and was not before."""
    same = known.size == seen.size and known.mtime_ns == seen.mtime_ns and known.moved_to is None
    if same and known.run == ledger.run and known.state is not PathState.ARRIVING:
        return False
    sure = same and known.mtime_ns / 1e9 < known.noted_at - _SURE_S
    still = not watch or (same and known.noted_at > 0)
    found = FoundPath(
        label=known.label,
        path=seen.path,
        size=seen.size,
        mtime_ns=seen.mtime_ns,
        noted_at=time.time(),
        run=ledger.run,
        state=PathState.WAITING if still else PathState.ARRIVING,
        digest=known.digest if sure else None,
        written=known.written,
    )
    if not seen.is_regular:
        found = replace(found, state=PathState.IGNORED, message="a pipe, socket or device")
    ledger.put_path(found)
    return found.state is PathState.WAITING


def _known(ledger: Ledger, folder: Path, seen: Sighting) -> FoundPath:
    """The row of a file; of one that has the name of a moved one and another content, a row with a label of its own."""
    number = 1
    while True:
        label = seen.path if number == 1 else _numbered(seen.path, number)
        row = ledger.path(label)
        if row is None:
            return _unknown(seen, label)
        if row.path == seen.path and row.moved_to is None:
            return row
        if row.path == seen.path and row.size == seen.size and row.digest == _digest_or_none(folder, seen):
            return replace(row, moved_to=None, noted_at=0.0)  # put back
        number += 1


def _unknown(seen: Sighting, label: bytes) -> FoundPath:
    return FoundPath(label=label, path=seen.path, size=-1, mtime_ns=-1, noted_at=0.0, run=0, state=PathState.ARRIVING)


def _numbered(path: bytes, number: int) -> bytes:
    """`a/b~2.pdf` for the second file that came as `a/b.pdf`."""
    whole = PurePosixPath(os.fsdecode(path))
    return os.fsencode(whole.with_name(f"{whole.stem}~{number}{whole.suffix}"))


def _digest_or_none(folder: Path, seen: Sighting) -> bytes | None:
    try:
        return digest_of(folder / os.fsdecode(seen.path))
    except (OSError, InputError):
        return None
