"""Picture files as pages: found by their bytes, turned, cut, refused before they unpack."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import DocumentReader, RenderOptions
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind, PageRange
from tests.contracts.documents_made import LETTER, pdf_of, read, scanned, text_page


def test_a_turned_photo_is_read_in_its_own_frame(reader: DocumentReader, tmp_path: Path) -> None:
    """A page photographed on its head or its side: words in reading order, boxes where they are seen."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER, size=16.0)), dpi=120)
    for turn, top_edge in ((90, "x0"), (180, "y1"), (270, "x1")):
        buffer = io.BytesIO()
        picture.rotate(turn, expand=True).save(buffer, "PNG")
        (page,) = read(reader, tmp_path, buffer.getvalue(), f"turned-{turn}.png")
        assert page.text().splitlines()[:2] == list(LETTER[:2]), turn
        box = page.words[0].box
        near = {"x0": box.x0, "x1": 1 - box.x1, "y1": 1 - box.y1}[top_edge]
        assert near < 0.12, (turn, box)


@pytest.mark.parametrize(
    ("image_format", "kind"),
    [("PNG", MediaKind.PNG), ("JPEG", MediaKind.JPEG), ("TIFF", MediaKind.TIFF), ("WEBP", MediaKind.WEBP),
     ("BMP", MediaKind.BMP), ("GIF", MediaKind.GIF)],
)  # fmt: skip
def test_pictures_of_every_format(reader: DocumentReader, tmp_path: Path, image_format: str, kind: MediaKind) -> None:
    """Found by their bytes, whatever they are called."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER, size=18.0)), dpi=100)
    buffer = io.BytesIO()
    picture.save(buffer, image_format)
    path = tmp_path / "file.bin"
    path.write_bytes(buffer.getvalue())
    assert reader.open(path).info.kind is kind
    assert reader.cut(path, PageRange(1, 1)) == buffer.getvalue()
    (page,) = reader.read_pages(path, PageRange(1, 1))
    assert "Delivery note 5512" in page.text()


def test_transparent_ink_lies_on_white(reader: DocumentReader, tmp_path: Path) -> None:
    """Black letters on nothing are black on white, not black on black."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER, size=18.0)), dpi=100).convert("L")
    layered = Image.merge("LA", (Image.new("L", picture.size, 0), picture.point(lambda value: 255 - value)))
    buffer = io.BytesIO()
    layered.save(buffer, "PNG")
    (page,) = read(reader, tmp_path, buffer.getvalue(), "clear.png")
    assert "Delivery note 5512" in page.text()


def test_exif_turns_the_page(reader: DocumentReader, tmp_path: Path) -> None:
    """A camera's orientation tag is obeyed in size, words and pictures."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER, size=18.0)), dpi=100)
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    picture.rotate(90, expand=True).save(buffer, "JPEG", exif=exif, quality=95)
    path = tmp_path / "photo.jpg"
    path.write_bytes(buffer.getvalue())
    size = reader.open(path).info.pages[0]
    assert size.rotation == 90
    assert size.width < size.height
    (page,) = reader.read_pages(path, PageRange(1, 1))
    assert page.words[0].text == "Northwind"
    assert page.words[0].box.y0 < 0.1
    shown = Image.open(io.BytesIO(reader.render_page(path, 1, RenderOptions(dpi=72))))
    assert shown.width < shown.height


def test_cutting_keeps_the_pages_and_drops_the_password(reader: DocumentReader, tmp_path: Path) -> None:
    """The part has the asked pages only and opens for everybody."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("open sesame", canPrint=0))
    for number in range(1, 8):
        canvas.drawString(60, 700, f"Sheet {number}")
        canvas.showPage()
    canvas.save()
    path = tmp_path / "locked.pdf"
    path.write_bytes(buffer.getvalue())
    part = tmp_path / "part.pdf"
    part.write_bytes(reader.cut(path, PageRange(3, 5), password="open sesame"))
    texts = [page.text() for page in reader.read_pages(part, PageRange(1, 3))]
    assert texts == ["Sheet 3", "Sheet 4", "Sheet 5"]
    with pytest.raises(InputError):
        reader.cut(path, PageRange(7, 8), password="open sesame")


def test_a_tiff_of_many_pages_is_cut_to_a_pdf(reader: DocumentReader, tmp_path: Path) -> None:
    """Its pages keep their size."""
    frames = [Image.new("L", (300, 400), 255 - 30 * number) for number in range(4)]
    path = tmp_path / "fax.tiff"
    frames[0].save(path, save_all=True, append_images=frames[1:], dpi=(100, 100))
    assert [(s.width, s.height) for s in reader.open(path).info.pages] == [(216.0, 288.0)] * 4
    part = pdfium.PdfDocument(reader.cut(path, PageRange(2, 3)))
    assert [tuple(round(side) for side in page.get_size()) for page in part] == [(216, 288)] * 2
    part.close()


def test_a_picture_of_too_many_pixels_is_refused_unopened(reader: DocumentReader, tmp_path: Path) -> None:
    """The header is believed before a pixel is unpacked."""
    path = tmp_path / "bomb.png"
    Image.new("1", (10_000, 10_000)).save(path)
    with pytest.raises(InputError) as caught:
        reader.open(path)
    assert caught.value.code is ErrorCode.PAGE_TOO_LARGE


@pytest.mark.parametrize(("image_format", "cut_format"), [("JPEG", "JPEG"), ("WEBP", "JPEG"), ("PNG", "PNG")])
def test_a_photo_that_a_person_turned_is_cut_about_as_large(
    reader: DocumentReader, tmp_path: Path, image_format: str, cut_format: str
) -> None:
    """So that a model that takes the file takes it turned too: a photo stays one, with the loss that it had."""
    rng = np.random.default_rng(7)
    grain = rng.normal(128, 40, (300, 400)).clip(0, 255).astype(np.uint8)
    picture = Image.fromarray(grain).convert("RGB").resize((1200, 900), Image.Resampling.BICUBIC)
    path = tmp_path / "photo"
    picture.save(path, image_format, quality=60)
    data = reader.cut(path, PageRange(1, 1), turns={1: 90})
    turned = Image.open(io.BytesIO(data))
    assert (turned.format, turned.size) == (cut_format, (900, 1200))
    assert len(data) <= 2 * path.stat().st_size
    upright = Image.open(path).convert("RGB").transpose(Image.Transpose.ROTATE_270)
    assert (
        np.abs(np.asarray(turned.convert("RGB"), float) - np.asarray(upright, float)).mean() < 4
    )  # of grain that deviates by 40
