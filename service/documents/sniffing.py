"""What kind of file this is, by its bytes alone; a name proves nothing."""

from __future__ import annotations

from pathlib import Path

from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind

HEAD_BYTES = 4096
"""As much of a file's beginning as `sniff` wants to see."""
ACCEPTED = "PDF, PNG, JPEG, TIFF, WebP, BMP, GIF, HEIC, DOCX, XLSX, PPTX"

OFFICE_KINDS = (MediaKind.DOCX, MediaKind.XLSX, MediaKind.PPTX)
"""Kinds that are turned into a PDF first."""
_PDF_WITHIN = 1024
"""A PDF header may stand behind a byte order mark or other junk. Source: ISO 32000-1, annex H."""
_ZIP = b"PK\x03\x04"
_ARCHIVES: tuple[tuple[int, bytes, str], ...] = (
    (0, _ZIP, "ZIP"),
    (0, b"Rar!\x1a\x07", "RAR"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"\x1f\x8b", "gzip"),
    (257, b"ustar", "TAR"),
)
"""Where its signature stands, and the name. What lies in an archive as it is may look like the beginning of a PDF."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DIRECTORY_BYTES = 4_000_000
"""As much of a ZIP's end as is searched for names; no directory of an office file is longer."""
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_SIGNATURES: tuple[tuple[bytes, MediaKind], ...] = (
    (b"\x89PNG\r\n\x1a\n", MediaKind.PNG),
    (b"\xff\xd8\xff", MediaKind.JPEG),
    (b"II*\x00", MediaKind.TIFF),
    (b"MM\x00*", MediaKind.TIFF),
    (b"II+\x00", MediaKind.TIFF),
    (b"MM\x00+", MediaKind.TIFF),
    (b"GIF87a", MediaKind.GIF),
    (b"GIF89a", MediaKind.GIF),
)
_OFFICE_PARTS = ((b"word/", MediaKind.DOCX), (b"xl/", MediaKind.XLSX), (b"ppt/", MediaKind.PPTX))


def sniff(head: bytes) -> MediaKind | None:
    """The kind of a file from its first 4 KB; None for office files (see `sniff_file`) and the rest."""
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return MediaKind.WEBP
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC_BRANDS:
        return MediaKind.HEIC
    if head.startswith(b"BM") and head[6:10] == b"\x00\x00\x00\x00":
        return MediaKind.BMP
    if _archive(head) is None and b"%PDF-" in head[: _PDF_WITHIN + 5]:
        return MediaKind.PDF
    return None


def sniff_file(path: Path) -> MediaKind:
    """The kind of a file on disk.

    An encrypted office file does not show which of the three kinds it is: it counts as DOCX until it is opened.

    Raises:
        InputError: `empty_file` or `unsupported_format`.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if not head:
            raise InputError(ErrorCode.EMPTY_FILE, "The file is empty (0 bytes); send a file with content.")
        kind = sniff(head)
        if kind is None and head.startswith(_ZIP):
            file.seek(max(0, size - _DIRECTORY_BYTES))
            kind = sniff_zip(file.read(_DIRECTORY_BYTES))
    if kind is None and is_encrypted_office(path):
        kind = MediaKind.DOCX
    if kind is None:
        raise InputError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"{_what_it_is(head)} cannot be read{': unpack it' if _archive(head) else ''}; accepted are {ACCEPTED}.",
        )
    return kind


def is_encrypted_office(path: Path) -> bool:
    """Whether it is an OLE container around an encrypted DOCX, XLSX or PPTX."""
    with path.open("rb") as file:
        if file.read(len(_OLE)) != _OLE:
            return False
        overlap = b""
        while block := file.read(1_000_000):
            if _ENCRYPTED_PACKAGE in overlap + block:
                return True
            overlap = block[-len(_ENCRYPTED_PACKAGE) :]
    return False


def sniff_zip(tail: bytes) -> MediaKind | None:
    """The kind of an office file by the names in its directory, which stands at the end; nothing is unpacked."""
    if b"[Content_Types].xml" not in tail:
        return None
    return next((kind for part, kind in _OFFICE_PARTS if part in tail), None)


def _archive(head: bytes) -> str | None:
    return next((name for place, signature, name in _ARCHIVES if head.startswith(signature, place)), None)


def _what_it_is(head: bytes) -> str:
    if head.startswith(_ZIP):
        return "A ZIP archive (or a kind of office file other than DOCX, XLSX, PPTX)"
    archive = _archive(head)
    if archive is not None:
        return f"A {archive} archive"
    if head.startswith(_OLE):
        return "This OLE file (an old office file, an e-mail message or an HWP document)"
    return "The format of this file"
