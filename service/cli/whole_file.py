"""Files that are there whole under their name, or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(target: Path) -> Generator[BinaryIO]:
    """A file that takes its place once all of it is written and on the disk; nothing does if the writing fails."""
    draft = target.with_name(f".{target.name}.part")
    with draft.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)
