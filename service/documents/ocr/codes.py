"""Bar codes and two-dimensional codes on a picture: that there are some, not what they say. In a sandbox only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.documents.ocr.models import Picture

MOST_WORDS = 15
"""Words of a page on which codes are looked for: beside more of them a code says nothing of the page."""


def find_codes(picture: Picture) -> tuple[str, ...]:
    """The formats of the codes on a picture, each once, such as `Code 128` or `QR Code`."""
    import zxingcpp  # late: few pages need it

    return tuple(sorted({str(code.format) for code in zxingcpp.read_barcodes(picture)}))
