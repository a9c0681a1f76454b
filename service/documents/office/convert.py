"""Office files to PDF: unlocking, reading with the python readers, laying out. In a sandbox only."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

from service.documents.office.blocks import OfficePage
from service.documents.sniffing import is_encrypted_office, sniff_zip
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind

_MAX_UNPACKED_BYTES = 600_000_000
"""More than this inside one office file is a bomb, not a document."""


class _LockedFile(Protocol):
    """What is used of msoffcrypto's file, which has no types."""

    def load_key(self, *, password: str, verify_password: bool) -> None: ...

    def decrypt(self, outfile: io.BytesIO) -> None: ...


def unlock(path: Path, password: str | None) -> tuple[MediaKind, bytes]:
    """The kind and the bytes of an office file, without its password.

    Raises:
        InputError: `password_required`, `password_wrong`, `unsupported_format` or `damaged_file`.
    """
    data = _decrypted(path, password) if is_encrypted_office(path) else path.read_bytes()
    kind = sniff_zip(data)
    if kind is None:
        raise InputError(ErrorCode.UNSUPPORTED_FORMAT, "The file is an office file of a kind that is not read.")
    return kind, data


def convert(path: Path, password: str | None) -> tuple[MediaKind, bytes]:
    """The kind of an office file and a PDF that holds its text on laid-out pages.

    Raises:
        InputError: as `unlock`.
    """
    kind, data = unlock(path, password)
    _check_size(data)
    read = _reader(kind)
    try:
        pages = read(data)
    except MemoryError:
        raise
    except Exception as error:  # the readers raise whatever a damaged file makes them trip over
        raise _damaged(kind) from error
    from service.documents.office.layout import lay_out  # late: loads slowly, for office files only

    return kind, lay_out(pages)


def _decrypted(path: Path, password: str | None) -> bytes:
    import msoffcrypto  # late: for encrypted files only
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError

    if not password:
        raise InputError(
            ErrorCode.PASSWORD_REQUIRED, "The file is encrypted; give its password in `password`.", param="password"
        )
    output = io.BytesIO()
    try:
        with path.open("rb") as file:
            locked = cast("_LockedFile", msoffcrypto.OfficeFile(file))
            locked.load_key(password=password, verify_password=True)
            locked.decrypt(output)
    except InvalidKeyError as error:
        raise InputError(ErrorCode.PASSWORD_WRONG, "The password does not open the file.", param="password") from error
    except (DecryptionError, FileFormatError, ParseError, ValueError, OSError) as error:
        raise InputError(
            ErrorCode.UNSUPPORTED_FORMAT,
            "The file is encrypted in a way that is not supported; save it without a password and send that.",
        ) from error
    return output.getvalue()


def _check_size(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:  # the last: a version of zip not known here
        raise InputError(ErrorCode.DAMAGED_FILE, "The office file is damaged and cannot be unpacked.") from error
    if unpacked > _MAX_UNPACKED_BYTES:
        raise InputError(
            ErrorCode.PAGE_TOO_LARGE,
            f"The office file unpacks to {unpacked} bytes; that is no document of a sane size.",
        )


def _reader(kind: MediaKind) -> Callable[[bytes], list[OfficePage]]:
    """The reader of one kind; each loads a large library, so only the one that is needed is imported."""
    if kind is MediaKind.DOCX:
        from service.documents.office.docx import read_docx

        return read_docx
    if kind is MediaKind.XLSX:
        from service.documents.office.xlsx import read_xlsx

        return read_xlsx
    from service.documents.office.pptx import read_pptx

    return read_pptx


def _damaged(kind: MediaKind) -> InputError:
    return InputError(
        ErrorCode.DAMAGED_FILE, f"The file is not a readable {kind.value.upper()}: it is damaged; send it again."
    )
