"""Passwords for encrypted files: each is tried where it may fit, before a file is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.cli.batch.causes import PASSWORD_CODES
from service.cli.batch.entries import shown
from service.cli.batch.find import fits
from service.documents.reader import DocumentReader, ReadingLimits
from service.documents.sniffing import is_encrypted_office
from service.domain.errors import ErrorCode, InputError, ServiceError
from service.settings import Settings

_BLOCK = 1_000_000
_MARK = b"/Encrypt"


@dataclass(frozen=True, slots=True)
class Password:
    """One line of the file."""

    pattern: str
    """Of the paths it may fit; empty: all."""
    word: str


def read_passwords(path: Path) -> tuple[Password, ...]:
    r"""A password a line, or `PATTERN<tab>PASSWORD`; empty lines count for nothing.

    Raises:
        InputError: `invalid_option`, the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = f"The passwords in {str(path)!r} cannot be read ({type(error).__name__})."
        raise InputError(ErrorCode.INVALID_OPTION, why, param="passwords") from None
    parted = (line.rpartition("\t") for line in lines if line.strip())
    return tuple(Password(pattern.strip(), word) for pattern, _, word in parted)


def open_reader(settings: Settings) -> DocumentReader:
    """Sandboxes for a command that has files at hand and no use for the rest of a service."""
    return DocumentReader(ReadingLimits.of(settings))


class PasswordFinder:
    """Opens encrypted files until one word fits. The reading is done in a sandbox."""

    def __init__(self, passwords: tuple[Password, ...], reader: DocumentReader) -> None:
        self._passwords = passwords
        self._reader = reader

    def find(self, file: Path, name: bytes) -> str | None:
        """The password of a file; None: it needs none, or none fits."""
        if not self._passwords or not _may_be_encrypted(file) or self._opens(file, None):
            return None
        words = [one.word for one in self._passwords if not one.pattern or fits(shown(name), one.pattern)]
        return next((word for word in words if self._opens(file, word)), None)

    def _opens(self, file: Path, word: str | None) -> bool:
        """Whether a password opens a file; what else is wrong with it is found out by those who read it."""
        try:
            self._reader.open(file, password=word)
        except ServiceError as error:
            return error.code not in PASSWORD_CODES
        return True


def _may_be_encrypted(file: Path) -> bool:
    if is_encrypted_office(file):
        return True
    overlap = b""
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            if _MARK in overlap + block:
                return True
            overlap = block[-len(_MARK) :]
    return False
