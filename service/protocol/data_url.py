"""A file inside a URL, the way requests carry it."""

from __future__ import annotations

import base64
import binascii

_PREFIX = "data:application/octet-stream;base64,"
_WHITESPACE = {ord(character): None for character in " \t\r\n"}


def encode_data_url(data: bytes) -> str:
    """The bytes as a base64 data URL with the media type that the vendor documents for every file."""
    return _PREFIX + base64.b64encode(data).decode("ascii")


def is_data_url(url: str) -> bool:
    """Whether the URL carries its data itself."""
    return url[:5].lower() == "data:"


def decode_data_url(url: str) -> bytes:
    """The bytes of a base64 data URL, whatever media type it declares; line breaks and absent padding are accepted.

    Raises:
        ValueError: it is no data URL, not base64, or holds no data.
    """
    if not is_data_url(url):
        raise ValueError("not a data URL: it must begin with 'data:'")
    header, comma, payload = url.partition(",")
    if not comma:
        raise ValueError("a data URL needs a comma between its media type and its data")
    if not header.lower().rstrip().endswith(";base64"):
        raise ValueError("the data URL must be base64: write 'data:application/octet-stream;base64,…'")
    try:
        data = _decode_base64(payload)
    except (binascii.Error, ValueError) as error:
        raise ValueError("the data URL's base64 is damaged or cut off") from error
    if not data:
        raise ValueError("the data URL holds no data")
    return data


def _decode_base64(payload: str) -> bytes:
    try:
        return base64.b64decode(payload, validate=True)
    except binascii.Error:  # second try only: cleaning a copy of a large file costs time and memory
        plain = payload.translate(_WHITESPACE).rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
