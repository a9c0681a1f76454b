"""Approved documents as an evaluation set: a folder with their files and a `truth.jsonl`."""

from __future__ import annotations

import re
from pathlib import Path

import orjson

from service.cli.desk.base import Desk
from service.cli.whole_file import whole_file
from service.domain.errors import ErrorCode, InputError
from service.evaluation.cases import TRUTH_FILE

_FILES = "files"


def write_reviewed(desk: Desk, folder: Path) -> int:
    """Write the approved documents to a folder; how many there are.

    Only what a person confirmed or corrected is truth. A set that was written there before is replaced.

    Raises:
        InputError: `invalid_option`, the folder holds something else; `no_file`, nothing is approved yet.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / TRUTH_FILE).is_file():
        message = f"The folder {str(folder)!r} holds something else; name an empty one, or one written by --reviewed."
        raise InputError(ErrorCode.INVALID_OPTION, message, param="reviewed")
    (folder / _FILES).mkdir(parents=True, exist_ok=True)
    lines: list[bytes] = []
    for document in desk.reviewed():
        name = re.sub(r"[^A-Za-z0-9._-]", "_", document.name)
        (folder / _FILES / name).write_bytes(document.data)
        row = {
            "file": f"{_FILES}/{name}",
            "schema": document.schema,
            "truth": document.truth,
            "absent": list(document.absent),
        }
        lines.append(orjson.dumps(row))
    if not lines:
        message = "No document is approved in which somebody looked at a value; review some first."
        raise InputError(ErrorCode.NO_FILE, message, param="reviewed")
    with whole_file(folder / TRUTH_FILE) as truth:
        truth.write(b"\n".join(lines) + b"\n")
    return len(lines)
