"""A file inside a URL, the way requests carry it."""

from __future__ import annotations

import base64
import binascii

HEADER = "data:application/octet-stream;base64,"
"""With the media type that the vendor documents for every file."""
_WHITESPACE = b" \t\r\n"
_BASE64_MARK = ";base64"


def is_data_url(url: str) -> bool:
    """Whether the URL carries its data itself."""
    return url[:5].lower() == "data:"


def is_base64_header(header: str) -> bool:
    """Whether what stands before the comma of a data URL promises base64, whatever media type it declares."""
    return is_data_url(header) and header.lower().rstrip().endswith(_BASE64_MARK)


class Base64Reader:
    """Decodes base64 that comes in pieces of any length; line breaks and absent padding are accepted."""

    def __init__(self) -> None:
        self._rest = b""
        self._padded = False

    def feed(self, piece: bytes) -> bytes:
        """The bytes that this piece completes.

        Raises:
            ValueError: it is not base64.
        """
        plain = self._rest + piece.translate(None, _WHITESPACE)
        whole = len(plain) // 4 * 4
        self._rest = plain[whole:]
        return self._decoded(plain[:whole])

    def close(self) -> bytes:
        """The last bytes, those of a group without its padding.

        Raises:
            ValueError: it is not base64, or ends inside a byte.
        """
        rest, self._rest = self._rest.rstrip(b"="), b""
        return self._decoded(rest + b"=" * (-len(rest) % 4))

    def _decoded(self, groups: bytes) -> bytes:
        if not groups:
            return b""
        if self._padded:
            raise ValueError(_DAMAGED)
        self._padded = groups.endswith(b"=")
        try:
            return base64.b64decode(groups, validate=True)
        except binascii.Error as error:
            raise ValueError(_DAMAGED) from error


_DAMAGED = "the data URL's base64 is damaged or cut off"


def decode_data_url(url: str) -> bytes:
    """The bytes of a base64 data URL, whatever media type it declares.

    Raises:
        ValueError: it is no data URL, not base64, or holds no data.
    """
    if not is_data_url(url):
        raise ValueError("not a data URL: it must begin with 'data:'")
    header, comma, payload = url.partition(",")
    if not comma:
        raise ValueError("a data URL needs a comma between its media type and its data")
    if not is_base64_header(header):
        raise ValueError("the data URL must be base64: write 'data:application/octet-stream;base64,…'")
    reader = Base64Reader()
    data = reader.feed(payload.encode("utf-8", errors="replace"))
    data += reader.close()
    if not data:
        raise ValueError("the data URL holds no data")
    return data
