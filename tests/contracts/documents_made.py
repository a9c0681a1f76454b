"""PDF files made in memory for the tests of the documents room, and how they are read."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import DocumentReader, ReadingLimits, RenderOptions
from service.domain.pages import PageRange, PageText

Draw = Callable[[Canvas], None]
LIMITS = ReadingLimits(
    max_pages=1000,
    max_page_pixels=50_000_000,
    page_timeout_s=120.0,
    ocr_page_timeout_s=300.0,
    pdf_memory_bytes=2_000_000_000,
    ocr_memory_bytes=1_400_000_000,
)
LETTER = (
    "Northwind Paper Mill",
    "Delivery note 5512",
    "Ordered by the harbour office",
    "Twelve reams of grey board",
    "Four boxes of envelopes",
    "Signed for at the gate",
)


def pdf_of(*pages: Draw, size: tuple[float, float] = (595.0, 842.0)) -> bytes:
    """A PDF with one drawn page after the other."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, invariant=1)
    for draw in pages:
        canvas.setFont("Helvetica", 12)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def text_page(*lines: str, size: float = 12.0) -> Draw:
    """A page of plain lines."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", size)
        for number, line in enumerate(lines):
            canvas.drawString(60, 780 - number * size * 1.6, line)

    return draw


@dataclass(frozen=True, slots=True)
class PageShape:
    """Boxes and rotation to give the first page; boxes as left, bottom, right, top."""

    rotation: int = 0
    media: tuple[float, float, float, float] | None = None
    crop: tuple[float, float, float, float] | None = None
    user_unit: float = 1.0


def reshaped(data: bytes, shape: PageShape) -> bytes:
    """The file with its first page's boxes, rotation and user unit changed."""
    document = pdfium.PdfDocument(data)
    page = document[0]
    if shape.media is not None:
        page.set_mediabox(*shape.media)
    if shape.crop is not None:
        page.set_cropbox(*shape.crop)
    page.set_rotation(shape.rotation)
    page.close()
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    changed = buffer.getvalue()
    if shape.user_unit != 1.0:
        changed = changed.replace(b"/MediaBox", f"/UserUnit {shape.user_unit} /MediaBox".encode(), 1)
    return changed


_HELVETICA = b"/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def raw_pdf(
    content: bytes, *, resources: bytes = b"", pages: int = 1, catalog: bytes = b"", fonts: bytes = _HELVETICA
) -> bytes:
    """A small PDF written by hand, all pages with the same content stream; offsets are right."""
    kids = b" ".join(f"{5 + n} 0 R".encode() for n in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R " + catalog + b" >>",
        b"<< /Type /Pages /Kids [" + kids + b"] /Count " + str(pages).encode() + b" >>",
        b"<< /Font << " + fonts + b" >> " + resources + b" >>",
        b"<< /Length " + str(len(content)).encode() + b" >>\nstream\n" + content + b"\nendstream",
    ]
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources 3 0 R /Contents 4 0 R >>"
    objects += [page] * pages
    out = bytearray(b"%PDF-1.7\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def absent_font(name: bytes, *, serif: bool = False, width: int = 600) -> bytes:
    """A font's resource entry that names a font which the file does not bring and nobody has; all letters so wide."""
    described = b"/Ascent 700 /Descent -200 /CapHeight 700 /StemV 80 /ItalicAngle 0 /FontBBox [0 -200 1000 700]"
    return (
        b"/%b << /Type /Font /Subtype /TrueType /BaseFont /Absent%b /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar"
        b" 126 /Widths [%b] /FontDescriptor << /Type /FontDescriptor /FontName /Absent%b /Flags %d %b >> >>"
    ) % (name, name, b" ".join([b"%d" % width] * 95), name, 34 if serif else 32, described)


def read(reader: DocumentReader, folder: Path, data: bytes, name: str = "file.pdf") -> list[PageText]:
    """All pages of a file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return list(reader.read_pages(path, PageRange(1, len(reader.open(path).info.pages))))


def scanned(reader: DocumentReader, folder: Path, data: bytes, dpi: int = 200) -> Image.Image:
    """A picture of a file's first page."""
    path = folder / "to-scan.pdf"
    path.write_bytes(data)
    return Image.open(io.BytesIO(reader.render_page(path, 1, RenderOptions(dpi=dpi, image_format="png")))).convert(
        "RGB"
    )
