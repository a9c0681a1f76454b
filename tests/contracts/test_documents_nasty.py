"""Every hostile or odd file of the evaluation folder gets what a correct service does with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from service.documents.reader import DocumentReader
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import PageRange, PageText, TextSource
from tests.contracts.documents_made import LIMITS

NASTY = Path(os.environ.get("FIELDMARK_EVAL") or Path(__file__).parents[2].parent / "shared" / "eval") / "nasty"
D, SCAN, N, U, F = TextSource.DIGITAL, TextSource.OCR, TextSource.NONE, TextSource.UNREADABLE, TextSource.FAILED

pytestmark = pytest.mark.eval


@dataclass(frozen=True, slots=True)
class Case:
    """What is to come out: texts in this order on the given page, sources page by page, or an error."""

    texts: tuple[str, ...] = ()
    sources: tuple[TextSource, ...] = (D,)
    """Of the first pages; the file has at least so many."""
    error: ErrorCode | None = None
    password: str | None = None
    page: int = 1
    absent: tuple[str, ...] = ()
    marks: tuple[bool, ...] = ()
    issue: str | None = None


def fails(code: ErrorCode, password: str | None = None) -> Case:
    """A file that cannot be opened."""
    return Case(error=code, password=password)


CASES: dict[str, Case] = {
    # active content, annotations, attachments
    "pdf.js__evaljs.pdf": Case(("Execute",), (D, D)),
    "pdf.js__annotation-freetext.pdf": Case(("FreeText content",)),
    "qpdf__annotations-rotated-90.pdf": Case(("Formy field", "Rot-ccw field"), marks=(True, True, True)),
    "pdf.js__attachment.pdf": Case(("one attachment, `foo.txt`",)),
    "sample-files__with-attachment.pdf": Case(("Lorem ipsum dolor sit amet",)),
    # damaged
    "amazon-textract-textractor__invalid.pdf": fails(ErrorCode.DAMAGED_FILE),
    "client-lib-test-data__broken_fixable.pdf": Case(sources=(U,)),  # the picture of a cat: no letter on it
    "ocrmypdf__invalid.pdf": fails(ErrorCode.DAMAGED_FILE),
    "paperless-ngx__invalid_pdf.pdf": Case(("Invoice number: 123456", "Bill to"), (D, D)),
    "paperless-ngx__test_with_bom.pdf": Case(("You may or may not have heard about paperless",), (D, D)),
    "pdf.js__GHOSTSCRIPT-698804-1-fuzzed.pdf": fails(ErrorCode.DAMAGED_FILE),
    "pdf.js__Pages-tree-refs.pdf": Case(("Pages loop",), (D, F), issue=ErrorCode.DAMAGED_FILE, page=2),
    "pdf.js__issue9105_reduced.pdf": Case(("Issue 9105",)),
    "pdf.js__poppler-742-0-fuzzed.pdf": fails(ErrorCode.DAMAGED_FILE),
    "pdf.js__xref_command_missing.pdf": Case(("Reduced test-case",)),
    "qpdf__bad-jpeg.pdf": Case(("/DeviceRGB with filter /DCTDecode",), issue="picture_damaged"),
    "qpdf__pages-loop.pdf": Case(("Potato",)),
    "unstructured__pdf-bad-color-space.pdf": Case(
        ("change is an urgent threat to human well-being and the health of the planet",)
    ),
    # nothing to read
    "camelot__only_page_number.pdf": Case(("13",)),
    "ocrmypdf__no_contents.pdf": Case(sources=(N,)),
    "qpdf__c-empty.pdf": fails(ErrorCode.NO_PAGES),
    # encrypted
    "client-lib-test-data__XfaForm_15p_encrypted.pdf": Case(("Page 1/15",), (D,) * 15),
    "paperless-ngx__password-is-test.pdf": Case(("Password Protected PDF test.",), password="test"),
    "pdf.js__saslprep-r6.pdf": fails(ErrorCode.PASSWORD_REQUIRED),
    "pypdf__encrypted_doc_no_id.pdf": Case(("OAPI patent",), (N, SCAN, N), page=2),
    "pypdf__r6-owner-password.pdf": Case(("pdf encryption test",)),
    "pypdf__r6-user-password.pdf": Case(("pdf encryption test",), password="asdfzxcv"),
    # forms
    "ocrmypdf__livecycle.pdf": fails(ErrorCode.PLACEHOLDER_DOCUMENT),
    "pdf.js__checkbox-bad-appearance.pdf": Case(("Checkbox 1 - not checked", "Checkbox 2"), marks=(False, True)),
    "pdf.js__xfa_issue14315.pdf": fails(ErrorCode.PLACEHOLDER_DOCUMENT),
    "pypdf__form_acrobatReader.pdf": Case(("foo Bar",)),
    "qpdf__form-no-need-appearances-filled.pdf": Case(("3.14 ÷ 0", "3.14 ÷ 0")),
    # geometry
    "camelot__anticlockwise_table_1.pdf": Case(("Table 1 : STATE WISE COVERAGE PARTICULARS BY PERIOD OF SURVEY",)),
    "camelot__vertical_header.pdf": Case(("PRIMARY ELECTION, AUGUST 7, 2018", "Brian Calley"), (D,) * 5),
    "ocrmypdf__hugemono.pdf": Case(("This is a very big image",), (SCAN,)),
    "olmocr__skinnypage.pdf": Case(("Main logs in Hole U1503A",), (D, D), page=2),
    "pdf.js__boundingBox_invalid.pdf": Case(("Empty /CropBox and /MediaBox intersection",), (D, D, D), page=3),
    "pdf.js__issue7872.pdf": Case(("MediaBox and CropBox with indirect objects.",)),
    "pdf.js__rotated.pdf": Case(("Rotated text", "Page 1")),
    "pdf.js__rotation.pdf": Case(("This is my second page.", "Second line here."), (D, D), page=2),
    # scans
    "ocrmypdf__ccitt.pdf": Case(("32 Track MIDI Sequence Recorder",), (SCAN,)),
    "ocrmypdf__jbig2.pdf": Case(("32 Track MIDI Sequence Recorder",), (SCAN,)),
    "ocrmypdf__skew.pdf": Case(("is a state-of-the-art composition and performance tool",), (SCAN,)),
    "olmocr__form_on_later_pages.pdf": Case(("Applicant(s) Declaration",), (D,) * 10, page=3),
    # office
    "docling__text_document_01.odt": fails(ErrorCode.UNSUPPORTED_FORMAT),
    "docling__word_tables.docx": Case(("Header 0.0 Header 0.1 Header 0.2", "Cell 1.0 Cell 1.1 Cell 1.2")),
    "msoffcrypto-tool__example_password.xlsx": Case(("lorem ipsum",), password="Password1234_"),
    "paperless-ngx__simple.zip": fails(ErrorCode.UNSUPPORTED_FORMAT),
    "poi__bug53475-password-is-pass.docx": fails(ErrorCode.UNSUPPORTED_FORMAT, "pass"),  # a key size no library reads
    "poi__bug56075-changeTracking_on.docx": Case(("Change Tracking",)),
    "pyhwp__table.hwp": fails(ErrorCode.UNSUPPORTED_FORMAT),
    "tika__testMSG_chinese.msg": fails(ErrorCode.UNSUPPORTED_FORMAT),
    "unstructured__empty.xlsx": Case(sources=(N,)),
    "unstructured__password_protected.xlsx": fails(ErrorCode.PASSWORD_REQUIRED),
    # pictures
    "client-lib-test-data__receipt.heic": Case(("34 Kingley Street", "Total £10.20"), (SCAN,)),
    "exif-orientation-examples__Portrait_6.jpg": Case(("top", "left", "right", "bottom"), (SCAN,)),
    "ocrmypdf__baiona_cmyk.jpg": Case(("BAIONA",), (SCAN,)),
    "paperless-ngx__multi-page-images-alpha.tiff": Case(
        ("This is a multi page document. Page 3.",), (SCAN, SCAN, SCAN), page=3
    ),
    "paperless-ngx__no-text-alpha.png": Case(sources=(U,)),
    "paperless-ngx__simple.gif": Case(("This is a test document.",), (SCAN,)),
    "pillow__12in16bit.tif": Case(sources=(U,)),  # a face in grey levels, and not black paper
    "pillow__decompression_bomb.gif": fails(ErrorCode.PAGE_TOO_LARGE),
    "pillow__dispose_bgnd.gif": Case(sources=(U,)),
    "pillow__g4_orientation_6.tif": Case(("This is a test file",), (SCAN,)),
    "pillow__mode_16bit.png": Case(sources=(N,)),
    "pillow__multipage_multiple_frame_loop.tiff": Case(sources=(N, N)),
    "pillow__png_decompression_dos.png": fails(ErrorCode.DAMAGED_FILE),
    # scripts
    "docling__right_to_left_02.pdf": Case(("الحكومة المصرية",), issue="hidden_text"),
    "pdf.js__SimFang-variant.pdf": Case(("全 世 界 无 产 者",)),
    "pdf.js__vertical.pdf": Case(("あいうえお", "日本語"), (D, N, N)),
    "unstructured__english-and-korean.png": Case(("RULES AND INSTRUCTIONS", "Use all your accounts"), (SCAN,)),
    "unstructured__korean-text-with-tables.pdf": Case(
        ("할인점·주유·온라인쇼핑몰", "빅포인트 적립"), issue="hidden_text"
    ),
    # several documents in one file
    "client-lib-test-data__default_sample_90.jpg": Case(("CHEZ ALAIN MIAM MIAM",), (SCAN,)),
    "client-lib-test-data__invoice_5p.pdf": Case(("INVOICE", "Invoice Number: 14"), (SCAN,) * 5, page=2),
    # signed
    "paperless-ngx__signed.pdf": Case(("This is a digitally signed PDF",)),
    "pdf.js__signed_verified.pdf": Case(("Digital signature properties",)),
    # text layers
    "ocrmypdf__truetype_font_nomapping.pdf": Case(("Phone",), (SCAN,)),
    "ocrmypdf__type3_font_nomapping.pdf": Case(("ua",), (SCAN,)),
    "paperless-ngx__multi-page-mixed.pdf": Case(("multi page document. Page 4.",), (SCAN, SCAN, SCAN, D, D, D), page=4),
    "paperless-ngx__tagged-but-no-text.pdf": Case(("This is a test.",), (SCAN,)),
    "pdf.js__TrueType_without_cmap.pdf": Case(sources=(SCAN,)),  # italics that hardly a person makes out
    "pdf.js__copy_paste_ligatures.pdf": Case(("abcdeffffiflffiffl",), absent=("ﬁ", "ﬂ", "ﬀ", "ﬃ", "ﬄ", "\ufffd")),
    "pypdf__Seige_of_Vicksburg_Sample_OCR.pdf": Case(("THE SIEGE OF VICKSBURG",), (D, D, D)),
    "tika__testOverlappingText.pdf": Case(("Text the first",), absent=("Text the first time Text",)),
    "unstructured__fake-bold-sample.pdf": Case(("BOLD TEXT SAMPLE",), absent=("BBOOLLDD TTEEXXTT",)),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """One warm reader, so that a file cannot spoil the next one's reading either."""
    made = DocumentReader(replace(LIMITS, max_pages=100, max_page_pixels=200_000_000))
    yield made
    made.close()


def test_every_file_of_the_folder_has_a_case() -> None:
    """The evaluation documents are there, and none is passed over."""
    assert NASTY.is_dir(), f"the evaluation documents are not at {NASTY}; set FIELDMARK_EVAL to their folder"
    assert {path.name for path in NASTY.iterdir()} - {"nasty.jsonl"} == set(CASES)


def read(reader: DocumentReader, path: Path, case: Case, folder: Path) -> list[PageText]:
    """All pages, of the PDF made of it for an office file."""
    opened = reader.open(path, password=case.password)
    password = case.password
    if opened.converted is not None:
        path, password = folder / "converted.pdf", None
        path.write_bytes(opened.converted)
    return list(reader.read_pages(path, PageRange(1, len(opened.info.pages)), password=password))


@pytest.mark.parametrize("name", CASES)
def test_a_nasty_file_gets_what_it_deserves(reader: DocumentReader, tmp_path: Path, name: str) -> None:
    """Its text in order, the way each page was read, or its error."""
    case = CASES[name]
    if case.error is not None:
        with pytest.raises(InputError) as caught:
            read(reader, NASTY / name, case, tmp_path)
        assert caught.value.code is case.error
        return
    pages = read(reader, NASTY / name, case, tmp_path)
    assert tuple(page.source for page in pages[: len(case.sources)]) == case.sources
    page = pages[case.page - 1]
    text = " ".join(page.text().split())
    at = 0
    for wanted in case.texts if page.source is not F else ():
        at = text.find(wanted, at)
        assert at >= 0, (wanted, text[:400])
        at += len(wanted)
    assert not [unwanted for unwanted in case.absent if unwanted in text]
    assert case.marks in ((), tuple(mark.checked for mark in page.marks))
    assert case.issue is None or case.issue in {issue.code for issue in page.issues}
    for word in (word for page in pages for word in page.words):
        assert 0 <= word.box.x0 < word.box.x1 <= 1
        assert 0 <= word.box.y0 < word.box.y1 <= 1


@pytest.mark.parametrize("name", ["paperless-ngx__password-is-test.pdf", "msoffcrypto-tool__example_password.xlsx"])
@pytest.mark.parametrize(("password", "code"), [(None, ErrorCode.PASSWORD_REQUIRED), ("no", ErrorCode.PASSWORD_WRONG)])
def test_a_locked_file_asks_for_its_password(
    reader: DocumentReader, name: str, password: str | None, code: ErrorCode
) -> None:
    """Without a password and with a wrong one the answers differ."""
    with pytest.raises(InputError) as caught:
        reader.open(NASTY / name, password=password)
    assert caught.value.code is code
    assert caught.value.message.isascii()
