"""Where one document of a file ends and the next begins.

Each page is compared with the one before it. What is printed to tell it counts most: page numbers and document numbers;
then what first pages look like: a title, another letterhead, totals on the page before. Without a sign of an end the
document goes on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from service.domain.pages import PageRange, PageText, Word
from service.extraction.text_key import match_key

_BEGINS = 2.0
"""Evidence from which a page begins a document."""
_PROOF = 5.0
"""What a page number or document number is worth: more than all looks together."""
_TOP, _HEAD, _FOOT = 0.14, 0.4, 0.86
"""Ends of the letterhead and of the zone of titles, and begin of the foot, as fractions of the page's height."""
_SAME_HEAD = 80.0
_OTHER_HEAD = 45.0
"""Similarities (0–100) of letterheads."""
_TITLE_SIZE = 1.15
"""How much larger than the usual word a title is at least."""
_LONGEST_TITLE = 5
"""Words of a line that may be a title."""
_MOST_PAGES = 2000

_PAGE = r"(?:page|pg\.?|seite|blatt|pagina|página|pág\.?|strona|sida|side|sivu|стр\.?|страница|페이지|頁|页|ページ)"
_OF = r"\s*(?:of|/|von|de|di|van|z|av|af|из|sur|중|共)\s*"
_PAGE_OF = re.compile(rf"{_PAGE}\s*[:.#]?\s*(\d{{1,4}}){_OF}(\d{{1,4}})(?!\d)", re.IGNORECASE)
_BARE_PAGE_OF = re.compile(rf"(?<![\d/.,-])(\d{{1,4}}){_OF}(\d{{1,4}})[\s\])|-]*$", re.IGNORECASE)
"""Found at the end of a line at a page's edge alone: elsewhere it is a share or a day."""
_PAGE_WORD = re.compile(rf"\b{_PAGE}\s*[:.#]?\s*(\d{{1,4}})\b|第\s*(\d{{1,4}})\s*[页頁]", re.IGNORECASE)
_BARE_PAGE = re.compile(r"[-–—]?\s*(\d{1,4})\s*[-–—]?")
_NUMBER_LABEL = re.compile(
    r"(?:invoice|receipt|statement|credit note|contract|policy|document|reference|rechnungs|beleg|vertrags|auftrags"
    r"|gutschrift|kunden|facture|avoir|contrat|factura|fattura|factuur|faktura|fatura|счет|счёт|계약|청구서|請求書|发票)"
    r"[\s-]*(?:no\b|nr\b|num\b|number|nummer|n°|nº|numéro|numero|número|#|id\b|№|번호|番号|号码)?[.:\s#]*"
    r"([A-Z0-9][A-Z0-9./_-]*\d[A-Z0-9./_-]*)",
    re.IGNORECASE,
)
_TITLES = frozenset(
    match_key(title)
    for title in (
        "invoice",
        "tax invoice",
        "commercial invoice",
        "proforma invoice",
        "credit note",
        "receipt",
        "statement",
        "bank statement",
        "account statement",
        "statement of account",
        "purchase order",
        "order confirmation",
        "quote",
        "quotation",
        "delivery note",
        "packing slip",
        "contract",
        "agreement",
        "non-disclosure agreement",
        "policy",
        "certificate",
        "application form",
        "payslip",
        "remittance advice",
        "bill",
        "rechnung",
        "gutschrift",
        "lieferschein",
        "angebot",
        "auftragsbestätigung",
        "vertrag",
        "kontoauszug",
        "mahnung",
        "quittung",
        "facture",
        "avoir",
        "devis",
        "bon de commande",
        "bon de livraison",
        "contrat",
        "relevé de compte",
        "reçu",
        "factura",
        "recibo",
        "contrato",
        "presupuesto",
        "albarán",
        "fattura",
        "ricevuta",
        "contratto",
        "nota di credito",
        "factuur",
        "creditnota",
        "offerte",
        "faktura",
        "fatura",
        "счет",
        "счёт",
        "договор",
        "акт",
        "영수증",
        "세금계산서",
        "청구서",
        "계약서",
        "견적서",
        "請求書",
        "領収書",
        "契約書",
        "見積書",
        "发票",
        "發票",
        "收据",
        "合同",
    )
)  # fmt: skip - titles in rows
_TOTAL = re.compile(
    r"\b(?:grand total|total|amount due|balance due|closing balance|gesamtbetrag|gesamtsumme|summe|endsaldo"
    r"|total ttc|net à payer|importe total|totale|totaal|razem|итого)\b|합계|総額|合計|总计|合计",
    re.IGNORECASE,
)


def find_documents(pages: Sequence[PageText]) -> tuple[PageRange, ...]:
    """Cut a file into documents.

    Args:
        pages: every page of the file, in order; unread and blank ones without words. A blank page belongs to the
            document before it.

    Returns:
        Ranges in page order that hold every page once; nothing for no pages.
    """
    if not pages:
        return ()
    starts = [pages[0].page]
    before: _Face | None = None
    for page in pages:
        if not page.words:
            continue
        face = _Face(page)
        if before is not None and _evidence(before, face) >= _BEGINS:
            starts.append(page.page)
        before = face
    ends = [start - 1 for start in starts[1:]] + [pages[-1].page]
    return tuple(PageRange(first, last) for first, last in zip(starts, ends, strict=True))


class _Face:
    """What a page shows of the document it is from."""

    def __init__(self, page: PageText) -> None:
        self._page = page
        self._lines = page.lines()

    def _zone(self, top: float, bottom: float) -> list[tuple[Word, ...]]:
        return [line for line in self._lines if top <= line[0].box.center.y < bottom]

    @cached_property
    def head(self) -> str:
        """The letters of the top of the page; digits differ from page to page."""
        text = " ".join(word.text for line in self._zone(0, _TOP) for word in line)
        return match_key(re.sub(r"\d+", "", text))

    @cached_property
    def numbering(self) -> _Numbering | None:
        """Its page number within the document."""
        edges = [_text(line) for line in (*self._zone(_FOOT, 1.01), *self._zone(-0.01, _TOP))]
        for texts, pattern in ((map(_text, self._lines), _PAGE_OF), (edges, _BARE_PAGE_OF)):
            for text in texts:
                if found := _page_of(pattern, text):
                    return found
        for text in edges:
            if match := _PAGE_WORD.search(text):
                return _Numbering(int(match[1] or match[2]), None)
        bare = [match for line in self._zone(_FOOT, 1.01) if (match := _BARE_PAGE.fullmatch(_text(line)))]
        return _Numbering(int(bare[-1][1]), None) if bare else None

    @cached_property
    def document_number(self) -> str | None:
        """The first number that is labelled as that of the document."""
        for line in self._lines:
            if match := _NUMBER_LABEL.search(_text(line)):
                return match_key(match[1])
        return None

    @cached_property
    def has_title(self) -> bool:
        """Whether a short line near the top, larger than usual or alone, names a kind of document."""
        sizes = sorted(word.size for word in self._page.words)
        usual = sizes[len(sizes) // 2]
        for line in self._zone(0, _HEAD):
            key = match_key(re.sub(r"\d+", "", _text(line)))
            large = max(word.size for word in line) >= _TITLE_SIZE * usual
            starts = any(key.startswith(title) for title in _TITLES)
            if key in _TITLES or (large and starts and len(line) <= _LONGEST_TITLE):
                return True
        return False

    @cached_property
    def has_total(self) -> bool:
        """Whether it names a total or closing balance."""
        return any(_TOTAL.search(_text(line)) for line in self._lines)

    @property
    def shape(self) -> tuple[int, int]:
        """Its size, to a twentieth of an inch or so."""
        return round(self._page.size.width / 4), round(self._page.size.height / 4)


@dataclass(frozen=True, slots=True)
class _Numbering:
    """Page `number` of `total`, the total where it is printed."""

    number: int
    total: int | None


def _page_of(pattern: re.Pattern[str], text: str) -> _Numbering | None:
    for match in pattern.finditer(text):
        number, total = int(match[1]), int(match[2])
        if 1 <= number <= total <= _MOST_PAGES:
            return _Numbering(number, total)
    return None


def _text(line: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in line)


def _evidence(before: _Face, page: _Face) -> float:
    """How much speaks for a new document at `page`; negative where it goes on."""
    return (
        _numbering_evidence(before.numbering, page.numbering) + _identity_evidence(before, page) + _looks(before, page)
    )


def _numbering_evidence(before: _Numbering | None, page: _Numbering | None) -> float:
    if page is None:
        ended = before is not None and before.total == before.number
        return _BEGINS / 2 if ended else 0.0
    if page.number == 1:
        # A bare "1" in the foot may be anything, "1 of 2" is not.
        return _PROOF if page.total is not None or before is not None else _BEGINS / 2
    follows = before is not None and page.number == before.number + 1 and page.total == before.total
    return -_PROOF if follows else 0.0


def _identity_evidence(before: _Face, page: _Face) -> float:
    if before.document_number is None or page.document_number is None:
        return 0.0
    return -_PROOF if before.document_number == page.document_number else _PROOF / 2


def _looks(before: _Face, page: _Face) -> float:
    alike = fuzz.ratio(before.head, page.head) if before.head and page.head else None
    score = 0.0
    if page.has_title:
        score += 1.0 + 0.5 * before.has_total
        score += 0.5 * before.has_title
    if alike is not None and alike < _OTHER_HEAD:
        score += 0.5 + 0.5 * (before.has_total and page.has_title)
    if alike is not None and alike >= _SAME_HEAD and not page.has_title:
        score -= 0.5
    return score + 0.5 * (before.shape != page.shape)
