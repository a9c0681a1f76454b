"""Where one document of a file ends and the next begins.

Each page is compared with the one before it. What is printed to tell it counts most: page numbers and document numbers;
then what first pages look like: a title, another letterhead, totals on the page before; then how the pages are set and
worded. Without a sign of an end the document goes on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from service.domain.pages import PageRange, PageText, Word
from service.extraction.splitting.page_habits import Habits, change_of_habits, habits_of
from service.extraction.text.keys import match_key

_BEGINS = 2.0
"""Evidence from which a page begins a document."""
_ENDED = 1.5
"""What an unnumbered page after the last of n is worth."""
_PROOF = 5.0
"""What a page number or document number is worth."""
_MOST = 4.0
"""What all that is printed is worth together; as much as a page that is set quite otherwise."""
_JUMP = 2.5
"""What a page number that does not follow is worth."""
_TOP, _HEAD, _FOOT = 0.14, 0.4, 0.86
"""Ends of the letterhead and of the zone of titles, and begin of the foot, as fractions of the page's height."""
_SAME_HEAD = 0.7
_OTHER_HEAD = 0.25
"""Shares of common words, 0–1, from and under which letterheads are one and another."""
_TITLE_SIZE = 1.15
"""How much larger than the usual word a title is at least."""
_LONGEST_TITLE = 9
"""Words of a line that may be a title."""
_LONGEST_SHARED = 6
"""Words of a line in which a title may stand beside other things, such as an address."""
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
_END = re.compile(
    r"\b(?:grand total|total|amount due|balance due|closing balance|gesamtbetrag|gesamtsumme|summe|endsaldo"
    r"|in witness whereof|signature|signed by|unterschrift"
    r"|total ttc|net à payer|importe total|totale|totaal|razem|итого)\b|합계|総額|合計|总计|合计",
    re.IGNORECASE,
)

_SEPARATOR = re.compile(
    r"\b(?:separator|separation|document break|patch ?code|divider|trennblatt|trennseite|feuille de séparation"
    r"|separador|separatore|scheidingsblad)\b",
    re.IGNORECASE,
)
_MOST_ON_SEPARATOR = 15
"""Words of a separator sheet."""


def find_documents(pages: Sequence[PageText]) -> tuple[PageRange, ...]:
    """Cut a file into documents.

    Args:
        pages: every page of the file, in order; unread and blank ones without words. A blank page and
            a separator sheet belong to the document before them.

    Returns:
        Ranges in page order that hold every page once; nothing for no pages.
    """
    if not pages:
        return ()
    starts = [pages[0].page]
    before: _Face | None = None
    is_parted = False
    for page in pages:
        if _is_separator(page):
            is_parted = before is not None
        elif page.words:
            face = _Face(page)
            if before is not None and (is_parted or _evidence(before, face) >= _BEGINS):
                starts.append(page.page)
            before, is_parted = face, False
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
    def head(self) -> frozenset[str]:
        """The words of the top of the page; figures differ from page to page."""
        keys = (match_key(re.sub(r"\d+", "", word.text)) for line in self._zone(0, _TOP) for word in line)
        return frozenset(filter(None, keys))

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
    def titles(self) -> frozenset[str]:
        """Lines near the top that name a kind of document: short, and larger than usual or written as a heading."""
        return frozenset(
            match_key(re.sub(r"\d+", "", _text(line))) for line in self._zone(0, _HEAD) if self._is_title(line)
        )

    def _is_title(self, line: tuple[Word, ...]) -> bool:
        keys = [key for word in line if (key := match_key(re.sub(r"\d+", "", word.text)))]
        if not 0 < len(keys) <= _LONGEST_TITLE or "signature" in keys:
            return False
        if "".join(keys) in _TITLES:
            return True
        shared = line if len(line) <= _LONGEST_SHARED else ()
        if any(match_key(word.text) in _TITLES and self._stands_out(word) for word in shared):
            return True
        ends = {"".join(keys[:n]) for n in (1, 2, 3)} | {"".join(keys[-n:]) for n in (1, 2, 3)}
        return not ends.isdisjoint(_TITLES) and _is_heading(line)

    def _stands_out(self, word: Word) -> bool:
        return word.text.isupper() or word.size >= _TITLE_SIZE * self._usual_size

    @cached_property
    def _usual_size(self) -> float:
        sizes = sorted(word.size for word in self._page.words)
        return sizes[len(sizes) // 2]

    @cached_property
    def has_end(self) -> bool:
        """Whether it has what documents end with: a total, a closing balance, a signature."""
        return any(_END.search(_text(line)) for line in self._lines)

    @cached_property
    def habits(self) -> Habits:
        """How it is set and worded."""
        return habits_of(self._page)


def _is_separator(page: PageText) -> bool:
    """Whether it is a sheet that says that it parts documents, or that shows a bar code and hardly anything else."""
    if len(page.words) > _MOST_ON_SEPARATOR:
        return False
    return bool(page.codes) or any(_SEPARATOR.search(_text(line)) for line in page.lines())


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


def _is_heading(line: tuple[Word, ...]) -> bool:
    """Whether its longer words begin with capitals and it ends without a stop."""
    words = [word.text for word in line if word.text[:1].isalpha() and len(word.text) > 3]
    return all(text[:1].isupper() for text in words) and not line[-1].text.endswith((".", ",", ";", ":"))


def _text(line: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in line)


def _evidence(before: _Face, page: _Face) -> float:
    """How much speaks for a new document at `page`; negative where it goes on."""
    printed = _numbering_evidence(before.numbering, page.numbering)
    printed += _identity_evidence(before, page) + _looks(before, page)
    return max(-_MOST, min(_MOST, printed)) + change_of_habits(before.habits, page.habits)


def _numbering_evidence(before: _Numbering | None, page: _Numbering | None) -> float:
    if page is None:
        if before is None or before.total is None:
            return 0.0
        return _ENDED if before.total == before.number else -_ENDED
    if page.number == 1:
        # A bare "1" in the foot may be anything, "1 of 2" is not.
        return _PROOF if page.total is not None or before is not None else _BEGINS / 2
    if before is None:
        return 0.0
    if page.number != before.number + 1:
        return _JUMP
    return -_PROOF if page.total == before.total else 0.0


def _identity_evidence(before: _Face, page: _Face) -> float:
    if before.document_number is None or page.document_number is None:
        return 0.0
    return -_PROOF if before.document_number == page.document_number else _PROOF / 2


def _looks(before: _Face, page: _Face) -> float:
    score = 0.0
    other_number = before.has_end and page.document_number != before.document_number
    # A title on every page is a running head, unless the document's number changes under it.
    has_title = bool(page.titles) and (other_number or not page.titles <= before.titles)
    if has_title:
        score += 1.0 + 0.5 * before.has_end
    if before.head and page.head:
        alike = len(before.head & page.head) / len(before.head | page.head)
        if alike < _OTHER_HEAD:
            score += 0.5 + 1.5 * (before.has_end and has_title)
        elif alike >= _SAME_HEAD and not has_title:
            score -= 0.5
    return score
