"""Which files a batch looks at: to the folder's depth, by patterns, one folder in memory at a time."""

from __future__ import annotations

import csv
import hashlib
import heapq
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from service.cli.batch.entries import shown
from service.cli.batch.ledger import FOLDER, LEDGER
from service.domain.errors import ErrorCode, InputError
from service.exports.csv_file import inert_text

_MAGIC = frozenset("*?[")
_TOKENS = re.compile(r"(?:^|(?<=/))\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", re.DOTALL)
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A file as the walk sees it."""

    path: bytes
    """Relative to the folder."""
    size: int
    mtime_ns: int
    is_regular: bool
    """Not a pipe, socket or device, which would never end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which of the files in a folder are meant."""

    include: tuple[str, ...] = ()
    """Patterns; none: every file. `*.pdf` fits a name at any depth, `2026/**/*.pdf` a path."""
    exclude: tuple[str, ...] = ()
    only: frozenset[str] | None = None
    """Paths as the books show them; None: all."""
    sample: int | None = None
    """So many of them, chosen by `seed`."""
    seed: int = 0

    @property
    def is_everything(self) -> bool:
        """Whether no file is left out."""
        return not (self.include or self.exclude) and self.only is None and self.sample is None


def split_pattern(argument: str) -> tuple[Path, tuple[str, ...]]:
    """What FOLDER means: a folder, or one and a pattern below it (`in/2026/**/*.pdf`).

    Raises:
        InputError: `invalid_option`, there is no such folder.
    """
    parts = Path(argument).parts
    plain = next((n for n, part in enumerate(parts) if _MAGIC & set(part)), len(parts))
    whole = Path(argument)
    folder, patterns = (whole, ()) if whole.is_dir() else (Path(*parts[:plain]), ("/".join(parts[plain:]),))
    if not folder.is_dir() or not all(patterns):
        raise InputError(ErrorCode.INVALID_OPTION, f"There is no folder {argument!r}.", param="FOLDER")
    return folder, patterns


def read_only_list(path: Path) -> frozenset[str]:
    """The column `path` of a CSV, such as the `failures.csv` of an earlier run.

    Raises:
        InputError: `invalid_option`, it cannot be read or has no such column.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if "path" in (rows.fieldnames or ()):
                return frozenset(row["path"] for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(ErrorCode.INVALID_OPTION, f"{str(path)!r} cannot be read: {error}.", param="only") from None
    raise InputError(ErrorCode.INVALID_OPTION, f"{str(path)!r} has no column `path`.", param="only")


def find_files(folder: Path, selection: Selection, beside: tuple[Path, ...]) -> Iterator[Sighting]:
    """Every file that is meant, each once, in an order of the file system's.

    Args:
        folder: searched to its depth, not through linked folders.
        selection: which of its files are meant.
        beside: folders that may lie inside and hold no input; results of other batches are left out too.
    """
    seen = (found for found in _walk(folder, frozenset(p.resolve() for p in beside)) if _fits(found.path, selection))
    if selection.sample is None:
        return seen
    return iter(heapq.nsmallest(selection.sample, seen, key=lambda found: _lot(found.path, selection.seed)))


def fits(path: str, pattern: str) -> bool:
    """Whether a path is meant by a pattern; capitals and small letters are the same."""
    target = path if "/" in pattern else path.rpartition("/")[2]
    return re.fullmatch(_expression(pattern.lower()), target.lower()) is not None


def _walk(folder: Path, beside: frozenset[Path]) -> Iterator[Sighting]:
    root = os.fsencode(folder)
    open_folders = [root]
    while open_folders:
        here = open_folders.pop()
        try:
            entries = os.scandir(here)
        except OSError:  # it may not be read: one row says so, rather than nothing of what is in it
            yield Sighting(path=os.path.relpath(here, root), size=0, mtime_ns=0, is_regular=True)
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not _is_output(Path(os.fsdecode(entry.path)), beside):
                        open_folders.append(entry.path)
                elif not _leads_to_folder(entry):
                    yield _sight(entry, root)


def _sight(entry: os.DirEntry[bytes], root: bytes) -> Sighting:
    path = os.path.relpath(entry.path, root)
    try:
        known = entry.stat()
    except OSError:  # a link to nowhere, or gone already: whoever opens it will say so
        return Sighting(path=path, size=0, mtime_ns=0, is_regular=True)
    return Sighting(path=path, size=known.st_size, mtime_ns=known.st_mtime_ns, is_regular=stat.S_ISREG(known.st_mode))


def _is_output(folder: Path, beside: frozenset[Path]) -> bool:
    try:
        return folder.resolve() in beside or (folder / FOLDER / LEDGER).exists()
    except OSError:  # nobody can have written into it; the walk will say that it cannot be read
        return False


def _leads_to_folder(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle or into a closed folder: whoever opens it will say so
        return False


def _fits(path: bytes, selection: Selection) -> bool:
    name = shown(path)
    if selection.only is not None and name not in selection.only and inert_text(name) not in selection.only:
        return False
    if selection.include and not any(fits(name, pattern) for pattern in selection.include):
        return False
    return not any(fits(name, pattern) for pattern in selection.exclude)


def _expression(pattern: str) -> str:
    """A pattern as a regular expression; `**` stands for any folders, also none."""
    return "".join(_piece(token) for token in _TOKENS.findall(pattern.strip("/")))


def _piece(token: str) -> str:
    if token[0] == "[" and len(token) > 1:
        return f"[{'^' if token[1] == '!' else ''}{re.escape(token[1:-1].removeprefix('!'))}]".replace(r"\-", "-")
    return _WILD.get(token) or re.escape(token)


def _lot(path: bytes, seed: int) -> bytes:
    """By which a file is drawn: the same for the same seed, whatever else lies beside it."""
    return hashlib.sha256(str(seed).encode() + b"\0" + path).digest()
