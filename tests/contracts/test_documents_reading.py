"""What is read from pages: letters once, hidden text told, columns and tables kept, scans by their picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import DocumentReader
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import TextSource
from tests.contracts.documents_made import LETTER, pdf_of, raw_pdf, read, scanned, text_page


def picture_page(picture: Image.Image, *, invisible: tuple[str, ...] = (), visible: tuple[str, ...] = ()) -> bytes:
    """A page with_job by a picture, with lines of text over it."""

    def draw(canvas: Canvas) -> None:
        canvas.drawInlineImage(picture, 0, 0, 595, 842)
        for mode, lines in ((3, invisible), (0, visible)):
            text = canvas.beginText(60, 780)
            text.setFont("Helvetica", 12)
            text.setTextRenderMode(mode)
            text.setLeading(19.2)
            for line in lines:
                text.textLine(line)
            canvas.drawText(text)

    return pdf_of(draw)


def test_words_lines_sizes_and_weight(reader: DocumentReader, tmp_path: Path) -> None:
    """Each word has its line, its font size and whether it is bold."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(60, 780, "Delivery note")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(60, 750, "Twelve reams")
        canvas.drawString(400, 750, "120.50")

    (page,) = read(reader, tmp_path, pdf_of(draw))
    found = [(word.text, word.line, word.size, word.bold) for word in page.words]
    assert found == [
        ("Delivery", 0, 18.0, True),
        ("note", 0, 18.0, True),
        ("Twelve", 1, 9.0, False),
        ("reams", 1, 9.0, False),
        ("120.50", 1, 9.0, False),
    ]


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
def test_a_word_drawn_twice_is_read_once(reader: DocumentReader, tmp_path: Path, shift: float) -> None:
    """Fake bold falls by position; the two l of a word stay."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 700, "still all bookkeeping")
        canvas.drawString(60 + shift, 700, "still all bookkeeping")

    (page,) = read(reader, tmp_path, pdf_of(draw))
    assert page.text() == "still all bookkeeping"


def test_letters_drawn_one_by_one_twice_are_a_word(reader: DocumentReader, tmp_path: Path) -> None:
    """Fake bold letter by letter, as some writers make it."""

    def draw(canvas: Canvas) -> None:
        x = 60.0
        for letter in "Balance":
            canvas.drawString(x, 700, letter)
            canvas.drawString(x + 0.4, 700, letter)
            x += canvas.stringWidth(letter, "Helvetica", 12)

    (page,) = read(reader, tmp_path, pdf_of(draw))
    assert page.text() == "Balance"


def test_hidden_text_is_left_out_and_told(reader: DocumentReader, tmp_path: Path) -> None:
    """Invisible, white, covered, tiny and off-page words are no words of the page."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 780, "Seen by everyone")
        text = canvas.beginText(60, 700)
        text.setTextRenderMode(3)
        text.textOut("phantom")
        canvas.drawText(text)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(60, 650, "whitewash")
        canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(60, 600, "blackened")
        canvas.rect(55, 595, 100, 18, fill=1)
        canvas.drawString(700, 500, "outside")
        canvas.setFont("Helvetica", 0.4)
        canvas.drawString(60, 450, "speck")

    (page,) = read(reader, tmp_path, pdf_of(draw))
    assert page.text() == "Seen by everyone"
    (issue,) = page.issues
    assert issue.code == "hidden_text"
    for word in ("phantom", "whitewash", "blackened", "outside", "speck"):
        assert word not in issue.message


def test_white_letters_on_a_dark_ground_are_seen(reader: DocumentReader, tmp_path: Path) -> None:
    """What counts is whether a word stands out, not its colour."""

    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0.1, 0.1, 0.4)
        canvas.rect(40, 690, 300, 40, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(60, 705, "Quarterly statement")

    (page,) = read(reader, tmp_path, pdf_of(draw))
    assert page.text() == "Quarterly statement"
    assert page.issues == ()


def test_a_text_layer_over_a_scan_is_kept_when_it_is_the_scan(reader: DocumentReader, tmp_path: Path) -> None:
    """Somebody else's OCR that agrees with the picture serves, with a lower certainty."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER * 2)))
    (page,) = read(reader, tmp_path, picture_page(picture, invisible=LETTER * 2))
    assert page.source is TextSource.DIGITAL
    assert page.lines()[1][2].text == "5512"
    assert {word.certainty for word in page.words} == {0.9}


def test_a_false_text_layer_over_a_scan_is_not_believed(reader: DocumentReader, tmp_path: Path) -> None:
    """The picture is the page; a layer that says something else is dropped."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER)))
    false = tuple(f"Pay {n} thousand to the bearer of this page at once" for n in range(6))
    (page,) = read(reader, tmp_path, picture_page(picture, invisible=false))
    assert page.source is TextSource.OCR
    assert "thousand" not in page.text()
    assert "Northwind Paper Mill" in page.text()


def test_a_stamp_on_a_scan_does_not_stand_for_the_page(reader: DocumentReader, tmp_path: Path) -> None:
    """A digital header over a scanned page: both are read, none twice."""
    picture = scanned(reader, tmp_path, pdf_of(text_page("", "", *LETTER)))
    (page,) = read(reader, tmp_path, picture_page(picture, visible=("Received 14",)))
    text = page.text()
    assert text.count("Received") == 1
    assert "Delivery note 5512" in text
    assert page.source is TextSource.OCR


def test_a_letterhead_that_is_a_picture_is_read(reader: DocumentReader, tmp_path: Path) -> None:
    """The issuer's name may stand in a logo only; the page stays digital, and the text is not doubled."""
    logo = scanned(reader, tmp_path, pdf_of(lambda c: c.drawString(60, 780, "Northwind Paper Mill"))).crop(
        (140, 120, 520, 190)
    )

    def draw(canvas: Canvas) -> None:
        canvas.drawInlineImage(logo, 60, 770, 200, 37)
        for number, line in enumerate(LETTER[1:]):
            canvas.drawString(60, 700 - 20 * number, line)

    pages = read(reader, tmp_path, pdf_of(draw, draw))
    for page in pages:
        assert page.source is TextSource.DIGITAL
        assert page.text().splitlines() == list(LETTER)


def test_each_page_is_judged_by_itself(reader: DocumentReader, tmp_path: Path) -> None:
    """Digital, scanned, empty and picture-only pages of one file."""
    picture = scanned(reader, tmp_path, pdf_of(text_page(*LETTER)))
    noise = Image.radial_gradient("L").resize((300, 300)).convert("RGB")

    def scan(canvas: Canvas) -> None:
        canvas.drawInlineImage(picture, 0, 0, 595, 842)

    def photo(canvas: Canvas) -> None:
        canvas.drawInlineImage(noise, 100, 300, 300, 300)

    def nothing(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 8)

    pages = read(reader, tmp_path, pdf_of(text_page("A digital page"), scan, nothing, photo, text_page("7")))
    sources = [page.source for page in pages]
    assert sources == [
        TextSource.DIGITAL,
        TextSource.OCR,
        TextSource.NONE,
        TextSource.UNREADABLE,
        TextSource.DIGITAL,
    ]
    assert [page.page for page in pages] == [1, 2, 3, 4, 5]
    assert "Delivery note 5512" in pages[1].text()


def test_a_table_with_lines_has_cells(reader: DocumentReader, tmp_path: Path) -> None:
    """Rows and columns by the drawn lines, each cell with its words."""
    rows = (("Item", "Price"), ("Grey board", "14.20"), ("Envelopes", "3.75"))

    def draw(canvas: Canvas) -> None:
        for number, (left, right) in enumerate(rows):
            y = 700 - number * 25
            canvas.rect(60, y, 150, 25)
            canvas.rect(210, y, 80, 25)
            canvas.drawString(66, y + 8, left)
            canvas.drawString(216, y + 8, right)

    (page,) = read(reader, tmp_path, pdf_of(draw))
    (table,) = page.tables
    assert [(cell.row, cell.column, cell.text) for cell in table.cells] == [
        (row, column, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    ]


def test_form_values_and_marks(reader: DocumentReader, tmp_path: Path) -> None:
    """A with_job form shows its values; boxes say whether they are ticked."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 700, "Name")
        canvas.acroForm.textfield(
            name="name", tooltip="Office in charge", value="Harbour office", x=120, y=695, width=200, height=20
        )
        canvas.acroForm.textfield(name="pier", x=120, y=665, width=200, height=20)
        canvas.acroForm.checkbox(name="express", checked=True, x=60, y=650)
        canvas.acroForm.checkbox(name="insured", checked=False, x=60, y=620)

    (page,) = read(reader, tmp_path, pdf_of(draw))
    assert page.text() == "Name Harbour office"
    assert {mark.name: mark.checked for mark in page.marks} == {"express": True, "insured": False}
    assert [(entry.text, entry.label) for entry in page.entries] == [
        ("Harbour office", "Office in charge"),
        ("", ""),
    ]
    assert all(page.entries[0].box.contains(word.box.center) for word in page.words[1:])


def test_hebrew_comes_in_logical_order(reader: DocumentReader, tmp_path: Path) -> None:
    """Words from right to left, letters as they are spoken, numbers as they are."""
    letters = "".join(chr(code) for code in range(0x5D0, 0x5D5))
    codes = [*letters, *"1234567890"]
    names = {char: number + 1 for number, char in enumerate(codes)}
    cmap = "".join(f"<{number:02X}> <{ord(char):04X}>\n" for char, number in names.items())
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(names)} beginbfchar\n{cmap}endbfchar endcmap end end"
    )
    first, second = letters[:3], letters[2:]
    shown = f"{second[::-1]} 42 {first[::-1]}"

    def string(text: str) -> str:
        return "".join(f"{names[char]:02X}" for char in text)

    content = "BT /F2 20 Tf 1 0 0 1 100 200 Tm "
    x = 100.0
    for word in shown.split():
        content += f"1 0 0 1 {x} 200 Tm <{string(word)}> Tj "
        x += len(word) * 12 + 10
    content += "ET"
    widths = " ".join(["600"] * len(names))
    font = (
        f"/F2 << /Type /Font /Subtype /TrueType /BaseFont /Courier /FirstChar 1 /LastChar {len(names)} "
        f"/Widths [{widths}] /ToUnicode {{N}} 0 R >>"
    )
    data = raw_pdf(content.encode(), resources=b"")
    stream = f"<< /Length {len(to_unicode)} >>\nstream\n{to_unicode}\nendstream".encode()
    data = data.replace(b"/F1 << /Type /Font", font.replace("{N}", "6").encode() + b" /F1 << /Type /Font")
    data = data.replace(b"\nxref\n", b"\n6 0 obj\n" + stream + b"\nendobj\nxref\n")
    (page,) = read(reader, tmp_path, data)
    assert page.text().split() == [first, "42", second]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ErrorCode.EMPTY_FILE),
        (b"plain words, no document", ErrorCode.UNSUPPORTED_FORMAT),
        (b"%PDF-1.7\nand then nothing of use", ErrorCode.DAMAGED_FILE),
        (raw_pdf(b"", pages=0), ErrorCode.NO_PAGES),
        (raw_pdf(b"", catalog=b"/NeedsRendering true"), ErrorCode.PLACEHOLDER_DOCUMENT),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 40, ErrorCode.DAMAGED_FILE),
        (raw_pdf(b"", pages=1001), ErrorCode.TOO_MANY_PAGES),
    ],
)
def test_what_cannot_be_read_says_why(reader: DocumentReader, tmp_path: Path, data: bytes, code: ErrorCode) -> None:
    """A code for each way in which a file is no use, also right after another failure."""
    path = tmp_path / "file"
    for content in (b"%PDF-1.7\nbroken", data):
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            reader.open(path)
    assert caught.value.code is code


def test_a_page_that_a_damaged_file_has_lost_is_not_taken_for_a_blank_one(
    reader: DocumentReader, tmp_path: Path
) -> None:
    """The table of objects is broken, and with it what the second page shows; a file of such pages is refused."""
    shown = raw_pdf(b"BT /F1 12 Tf 40 200 Td (Delivery note 5512) Tj ET", pages=2).replace(b"\nxref\n", b"\nxxxx\n")
    first, second = shown.rpartition(b"/Contents 4 0 R")[::2]
    whole, partly = read(reader, tmp_path, shown), read(reader, tmp_path, first + b"/Contents 9 0 R" + second)
    assert [page.text() for page in whole] == ["Delivery note 5512"] * 2
    assert [page.source for page in partly] == [TextSource.DIGITAL, TextSource.FAILED]
    assert {issue.code for issue in partly[1].issues} == {ErrorCode.DAMAGED_FILE}
    with pytest.raises(InputError) as caught:
        read(reader, tmp_path, shown.replace(b"/Contents 4 0 R", b"/Contents 9 0 R"))
    assert caught.value.code is ErrorCode.DAMAGED_FILE


def test_a_damaged_form_whose_content_stands_in_its_fields_is_read(reader: DocumentReader, tmp_path: Path) -> None:
    """Nothing is printed on the page itself."""

    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="note", value="Delivery note 5512", x=60, y=700, width=300, height=24)

    (page,) = read(reader, tmp_path, pdf_of(draw).replace(b"\nxref\n", b"\nxxxx\n"))
    assert page.text() == "Delivery note 5512"
