"""What reading may cost: the bounds of a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """What one file and one page may cost."""

    max_pages: int
    max_page_pixels: int
    """Pixels of an image that is taken in."""
    page_timeout_s: float
    ocr_page_timeout_s: float
    pdf_memory_bytes: int
    """Address space of the process that opens files."""
    ocr_memory_bytes: int
    """Resident memory of the process that reads pictures."""

    @classmethod
    def of(cls, settings: Settings) -> ReadingLimits:
        """As an installation has them."""
        return cls(
            max_pages=settings.max_pages,
            max_page_pixels=settings.max_page_pixels,
            page_timeout_s=settings.page_timeout_s,
            ocr_page_timeout_s=settings.ocr_page_timeout_s,
            pdf_memory_bytes=settings.pdf_memory_bytes,
            ocr_memory_bytes=settings.ocr_memory_bytes,
        )
