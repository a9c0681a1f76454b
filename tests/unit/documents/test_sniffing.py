"""Kinds of files by their first bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.documents.sniffing import sniff, sniff_file
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.4\n", MediaKind.PDF),
        (b"\xef\xbb\xbf%PDF-1.4\n", MediaKind.PDF),
        (b"junk\r\n" * 100 + b"%PDF-2.0", MediaKind.PDF),
        (b"\x89PNG\r\n\x1a\nrest", MediaKind.PNG),
        (b"\xff\xd8\xff\xe0", MediaKind.JPEG),
        (b"II*\x00", MediaKind.TIFF),
        (b"MM\x00*", MediaKind.TIFF),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", MediaKind.WEBP),
        (b"BM\x00\x00\x00\x00\x00\x00\x00\x00", MediaKind.BMP),
        (b"GIF89a", MediaKind.GIF),
        (b"\x00\x00\x00\x18ftypheic", MediaKind.HEIC),
        (b"PK\x03\x04", None),
        (b"PK\x03\x04" + b"\0" * 26 + b"in/a.pdf%PDF-1.4", None),
        (b"a.pdf".ljust(257, b"\0") + b"ustar".ljust(255, b"\0") + b"%PDF-1.4", None),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"\x00\x00\x00\x18ftypmp42", None),
        (b"x" * 2000 + b"%PDF-1.4", None),
        (b"", None),
    ],
)
def test_kinds_by_their_bytes(head: bytes, kind: MediaKind | None) -> None:
    """A PDF header may stand a little late, but not inside an archive, whose other files would be lost silently."""
    assert sniff(head) is kind


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(head: bytes) -> None:
    """No bytes are too odd to be asked about."""
    assert sniff(head) is None or sniff(head) in MediaKind


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", ErrorCode.EMPTY_FILE, "empty"),
        (b"PK\x03\x04 no office file", ErrorCode.UNSUPPORTED_FORMAT, "DOCX"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", ErrorCode.UNSUPPORTED_FORMAT, "e-mail"),
        (b"hello", ErrorCode.UNSUPPORTED_FORMAT, "PDF, PNG"),
        (b"7z\xbc\xaf\x27\x1c%PDF-1.4", ErrorCode.UNSUPPORTED_FORMAT, "A 7z archive cannot be read: unpack it"),
    ],
)
def test_a_refusal_says_what_is_accepted(tmp_path: Path, data: bytes, code: ErrorCode, says: str) -> None:
    """Empty and unknown files."""
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        sniff_file(path)
    assert caught.value.code is code
    assert says in caught.value.message
