"""Every word's box holds that word's ink and no other, however the page is boxed and turned."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import DocumentReader, RenderOptions
from service.domain.geometry import Box
from service.domain.pages import PageRange, PageText, TextSource
from tests.contracts.documents_made import PageShape, pdf_of, reshaped

COLOURS = {
    "Alpha": (255, 0, 0),
    "Beta": (0, 150, 0),
    "Gamma": (0, 0, 255),
    "Delta": (200, 0, 200),
    "Omega": (0, 150, 150),
}
CROP = (110.0, 190.0, 470.0, 690.0)
SHAPES = {
    "plain": PageShape(),
    "crop": PageShape(crop=CROP),
    "origin": PageShape(media=(-100.0, -50.0, 595.0, 842.0)),
    "origin and crop": PageShape(media=(-90.0, 20.0, 700.0, 900.0), crop=CROP),
    "crop beyond media": PageShape(crop=(-500.0, 150.0, 2000.0, 2000.0)),
    "user unit": PageShape(user_unit=2.5),
    "user unit and crop": PageShape(crop=CROP, user_unit=0.5),
}


def draw_words(canvas: Canvas) -> None:
    """Five words of one colour each: level ones, upward, downward, on its head."""
    places = {
        "Alpha": (150, 600, 0),
        "Beta": (300, 600, 0),
        "Gamma": (160, 300, 90),
        "Delta": (420, 400, 270),
        "Omega": (400, 260, 180),
    }
    canvas.setFont("Helvetica", 20)
    for word, (x, y, angle) in places.items():
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(angle)
        canvas.setFillColorRGB(*(channel / 255 for channel in COLOURS[word]))
        canvas.drawString(0, 0, word)
        canvas.restoreState()


def ink_box(image: np.ndarray, colour: tuple[int, int, int]) -> Box:
    """Where a colour stands in a picture, fractions."""
    apart = np.abs(image.astype(int) - np.array(colour)).sum(axis=2)
    rows, columns = np.nonzero(apart < 60)
    height, width = image.shape[:2]
    return Box(columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height)


def read_one(reader: DocumentReader, path: Path) -> PageText:
    """The first page."""
    return next(reader.read_pages(path, PageRange(1, 1)))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_the_pixels_under_a_box_are_the_word(
    reader: DocumentReader, tmp_path: Path, shape: PageShape, rotation: int
) -> None:
    """Boxes agree with the rendered page to within a pixel and a half at 100 dpi."""
    path = tmp_path / "words.pdf"
    turned = PageShape(rotation, shape.media, shape.crop, shape.user_unit)
    path.write_bytes(reshaped(pdf_of(draw_words), turned))
    page = read_one(reader, path)
    dpi = round(100 / shape.user_unit)
    image = np.asarray(
        Image.open(io.BytesIO(reader.render_page(path, 1, RenderOptions(dpi=dpi, image_format="png")))).convert("RGB")
    )
    assert {word.text for word in page.words} == set(COLOURS)
    for word in page.words:
        ink = ink_box(image, COLOURS[word.text])
        edges = zip((word.box.x0, word.box.y0, word.box.x1, word.box.y1), (ink.x0, ink.y0, ink.x1, ink.y1), strict=True)
        sides = (image.shape[1], image.shape[0]) * 2
        off = [abs(a - b) * side for (a, b), side in zip(edges, sides, strict=True)]
        assert max(off) <= 1.5, (word, ink)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_page_sizes_are_points_of_the_page_as_shown(reader: DocumentReader, tmp_path: Path, shape: PageShape) -> None:
    """Opening and reading say the same size, and the rendering has its proportions."""
    path = tmp_path / "words.pdf"
    path.write_bytes(reshaped(pdf_of(draw_words), PageShape(90, shape.media, shape.crop, shape.user_unit)))
    size = reader.open(path).info.pages[0]
    assert size == read_one(reader, path).size
    assert size.rotation == 90
    image = Image.open(io.BytesIO(reader.render_page(path, 1, RenderOptions(dpi=round(72 / shape.user_unit)))))
    assert image.width / image.height == pytest.approx(size.width / size.height, rel=0.01)


def test_user_unit_scales_the_page_and_its_letters(reader: DocumentReader, tmp_path: Path) -> None:
    """A page of unit 2 is twice as large in points, its letters too."""
    path = tmp_path / "units.pdf"
    path.write_bytes(reshaped(pdf_of(draw_words), PageShape(user_unit=2.0)))
    page = read_one(reader, path)
    assert (page.size.width, page.size.height) == (1190.0, 1684.0)
    assert {word.size for word in page.words} == {40.0}


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_crop_is_the_same_part_of_the_page(reader: DocumentReader, tmp_path: Path, rotation: int) -> None:
    """Drawing only a word's box shows that word's colour and no other."""
    path = tmp_path / "words.pdf"
    path.write_bytes(reshaped(pdf_of(draw_words), PageShape(rotation, crop=CROP)))
    for word in read_one(reader, path).words:
        drawn = reader.render_page(path, 1, RenderOptions(dpi=200, crop=word.box, image_format="png"))
        image = np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB")).astype(int)
        own = np.abs(image - np.array(COLOURS[word.text])).sum(axis=2) < 60
        assert own.mean() > 0.1
        for other, colour in COLOURS.items():
            if other != word.text:
                assert not (np.abs(image - np.array(colour)).sum(axis=2) < 60).any()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_scan_is_read_in_the_frame_it_is_shown_in(reader: DocumentReader, tmp_path: Path, rotation: int) -> None:
    """A picture of a page, turned by /Rotate in any way, gives the words where they are seen."""
    source = tmp_path / "source.pdf"
    source.write_bytes(pdf_of(draw_receipt))
    picture = Image.open(io.BytesIO(reader.render_page(source, 1, RenderOptions(dpi=200)))).convert("RGB")

    def draw(canvas: Canvas) -> None:
        canvas.drawInlineImage(picture, 0, 0, 595, 842)

    path = tmp_path / "scan.pdf"
    path.write_bytes(reshaped(pdf_of(draw), PageShape(rotation)))
    page = read_one(reader, path)
    assert page.source is TextSource.OCR
    shown = np.asarray(Image.open(io.BytesIO(reader.render_page(path, 1, RenderOptions(dpi=100)))).convert("L")) < 128
    words = {word.text for word in page.words}
    assert {"Invoice", "number", "INV-2041", "Total", "118.40"} <= words
    height, width = shown.shape
    covered = np.zeros_like(shown)
    for word in page.words:
        y0, y1 = int(word.box.y0 * height), int(word.box.y1 * height) + 1
        x0, x1 = int(word.box.x0 * width), int(word.box.x1 * width) + 1
        assert shown[y0:y1, x0:x1].mean() > 0.05, word
        covered[y0:y1, x0:x1] = True
    assert (shown & covered).sum() > 0.97 * shown.sum()


def draw_receipt(canvas: Canvas) -> None:
    """A few lines for the optical reader."""
    canvas.setFont("Helvetica", 14)
    for number, line in enumerate(
        ("Harbour Stationery", "Invoice number INV-2041", "Blue folders 40.00", "Ink cartridges 78.40", "Total 118.40")
    ):
        canvas.drawString(80, 700 - 40 * number, line)
