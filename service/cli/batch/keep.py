"""Puts what a batch made where it belongs: results beside one another as their files are, files moved when done.

Everything is written under a temporary name and renamed; a full disk is waited out.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import orjson

from service.cli.batch.causes import action_for
from service.cli.batch.entries import FoundPath, Work, shown
from service.cli.batch.ledger import FOLDER
from service.cli.batch.plan import Outputs
from service.domain.records import JsonObject
from service.exports.files import export_endings, export_tables
from service.exports.formats import ExportFormat
from service.exports.schema_set import SchemaSet

T = TypeVar("T")
_FULL = (errno.ENOSPC, errno.EDQUOT)
_PAUSE_S = 3.0
_LONGEST_NAME = 240
"""Bytes of a name; file systems allow 255."""


def with_room(action: Callable[[], T], paused: Callable[[str | None], None]) -> T:
    """Do something that writes; while the disk is full, wait and try again."""
    waited = False
    while True:
        try:
            done = action()
        except (OSError, sqlite3.OperationalError) as error:
            is_full = error.errno in _FULL if isinstance(error, OSError) else "full" in str(error)
            if not is_full:
                raise
            paused("the disk is full; it goes on once there is room")
            waited = True
            time.sleep(_PAUSE_S)
        else:
            if waited:
                paused(None)
            return done


class ResultFiles:
    """The folder of results, in which a file's results lie as the file itself lies in its own."""

    def __init__(self, outputs: Outputs, schemas: SchemaSet) -> None:
        self._outputs = outputs
        self._schemas = schemas
        self._endings = export_endings(schemas, outputs.written)

    @property
    def is_plain(self) -> bool:
        """Whether a result is kept as the service gives it."""
        return self._outputs.written.format is ExportFormat.JSON

    def mark(self, work: Work) -> str:
        """Names the result of a work in the format that is written."""
        return f"{work.job_id}.{self._outputs.written.format}"

    def is_there(self, row: FoundPath, work: Work) -> bool:
        """Whether this result lies under the name of a file; its first part is written last."""
        return row.written == self.mark(work) and self._target(row.label, self._endings[0]).is_file()

    def write(self, label: bytes, body: bytes) -> None:
        """Write the result of a file.

        Args:
            label: of the file.
            body: its result as JSON.
        """
        if self.is_plain:
            self._put(label, ".json", body)
            return
        result = cast(JsonObject, orjson.loads(body))
        parts = dict(export_tables(result, self._schemas, self._outputs.written))
        for ending in reversed(self._endings):
            if ending in parts:
                self._put(label, ending, parts[ending])
            else:  # of a schema that the document had before
                self._target(label, ending).unlink(missing_ok=True)

    def copy(self, label: bytes, to: bytes) -> None:
        """Give a file the result that another with its content has."""
        for ending in reversed(self._endings):
            source = self._target(label, ending)
            if source.is_file():
                self._put(to, ending, source.read_bytes())

    def _target(self, label: bytes, ending: str) -> Path:
        """Where a result lies. The whole name stays: `a.pdf` and `a.png` have results of their own."""
        folders, _, name = label.rpartition(b"/")
        parts = [os.fsdecode(part) for part in folders.split(b"/") if part]
        if parts and parts[0].lstrip("_") == FOLDER.lstrip("_"):
            parts[0] = f"_{parts[0]}"  # that name is the batch's own
        if len(name) + len(ending) > _LONGEST_NAME:
            name = name[: _LONGEST_NAME - len(ending) - 9] + b"~" + hashlib.sha256(name).hexdigest()[:8].encode()
        return self._outputs.out.joinpath(*parts, os.fsdecode(name) + ending)

    def _put(self, label: bytes, ending: str, content: bytes) -> None:
        target = self._target(label, ending)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file that is there entirely or not at all."""
    draft = draft_of(target)
    draft.write_bytes(content)
    draft.replace(target)


def draft_of(target: Path) -> Path:
    """The temporary name in the folder of a file; one is enough, for nobody else writes there."""
    return target.with_name(".fieldmark.part")


def move_away(source: Path, folder: Path, found: FoundPath, work: Work) -> Path:
    """Move a file that is done with, as it lay, and put the reason beside one that failed.

    Args:
        source: the file.
        folder: where it goes.
        found: what the ledger knows of it.
        work: how it ended.
    """
    target = folder / os.fsdecode(found.label)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not work.state.has_result:
        said = f"{shown(found.path)}\n{work.code}: {work.message}\nWhat to do: {action_for(work.code)}.\n"
        write_whole(target.with_name(f"{target.name[:_LONGEST_NAME]}.reason.txt"), said.encode())
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        draft = draft_of(target)  # on another disk: it is there before it is gone here
        shutil.copy2(source, draft)
        draft.replace(target)
        source.unlink()
    return target
