"""Typed candidates: every number, date, code, address of a document with its words; built once a document."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache

from service.domain.records import Scalar
from service.embedded.page.layout import Layout, Segment, Token
from service.embedded.words.normalise import (
    DASHES,
    date_pattern,
    fold,
    parse_currency,
    parse_date,
    parse_number,
    vote_day_first,
    vote_decimal,
    word_set,
)


class Kind(StrEnum):
    """What a span's text is by its shape."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    EMAIL = "email"
    URL = "url"
    PHONE = "phone"
    IBAN = "iban"
    BIC = "bic"
    TAX_ID = "taxid"
    CODE = "code"
    TEXT = "text"


@dataclass(frozen=True)
class Span:
    """Some words of one segment, or of a block of segments, and what they say."""

    kind: Kind
    tokens: tuple[Token, ...]
    raw: str
    value: Scalar
    segment: Segment
    start: int
    """Position of the first word in its segment, 0-based."""
    end: int
    """One past the last."""
    decimals: int = 0
    """Digits after the decimal sign, for numbers."""
    money: bool = False
    """A number beside a currency, or with two decimals."""
    percent: bool = False

    @property
    def page(self) -> int:
        """1-based."""
        return self.segment.page

    @property
    def x0(self) -> float:
        """Left edge, points."""
        return self.tokens[0].x0

    @property
    def x1(self) -> float:
        """Right edge, points."""
        return max(t.x1 for t in self.tokens)

    @property
    def y0(self) -> float:
        """Upper edge, points."""
        return min(t.y0 for t in self.tokens)

    @property
    def y1(self) -> float:
        """Lower edge, points."""
        return max(t.y1 for t in self.tokens)

    @property
    def ids(self) -> frozenset[int]:
        """The words it takes."""
        return frozenset(map(id, self.tokens))


CURRENCY_MARK = (
    r"(?:US\$|HK\$|S\$|A\$|C\$|R\$|NT\$|[€$£¥₩₹₽]|RM|Rs\.?|(?:EUR|USD|GBP|CHF|JPY|CNY|KRW|MYR|INR|"
    r"SGD|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|ZAR|HKD|THB|AED|DEM)(?=[\s\d.-]))"
)
_NUMBER = re.compile(
    rf"(?<![\w.,/:#'-])(?P<open>\()?(?P<sign>[-+]\s?)?(?P<cur>{CURRENCY_MARK})?\s?(?P<sign2>-\s?)?"
    r"(?P<body>\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d{1,4})?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{2})?|\d+(?:[.,]\d+)?|[.,]\d{2})"
    r"(?P<tail>\s?-(?![\w-])|\s?CR\b)?(?P<close>\s?\))?(?P<unit>\s?%|\s?(?:[€$£₩]|EUR|Euro?|USD|CHF|GBP|원|zł)(?!\w))?"
    r"(?!\w|[.,/:-]\d)"
)
_CENTS = re.compile(r"[.,]\d{2}$")
"""An amount: a dash that stands apart behind another number is where nothing is printed."""
_MARKED = re.compile(
    r"(?<!\S)[.·•:*'](?=[$€£]?\d{1,5}[.,]\d{2}(?!\d))"  # a dirty spot or a leader before an amount
    r"|(?<=\d[.,]\d{2})[ABCDEFHNOPRSTVWXY*#](?!\S)"  # the mark of its tax behind it; no unit is written so
)
_TICKS = str.maketrans("`´", "''")
_SIGNLESS = re.compile(r"(?<![\w.,:/-])[S$€£]?(\d{1,4}) (\d{2})$")
_PRICE_END = re.compile(r"\d[.,]\d{2}$")
_SAME_EDGE = 3
"""Prices at one edge from which they are a column."""
_MISREAD_DOLLAR = re.compile(r"(?<!\S)S(?=\d{1,5}\.\d{2}(?!\S))")
_SPACED = re.compile(r"(?<![\w.,])(?P<amount>-?\d{1,3}(?: \d{3}){1,9},\d{2})(?![\w.,]\d)")
_MARKED_SPACED = re.compile(
    rf"(?<!\w){CURRENCY_MARK}\s?(?P<amount>\d{{1,3}}(?: \d{{3}}){{1,4}}(?:[.,]\d{{2}})?)(?![\d.,])"
)
"""An amount with blanks between its thousands, told by the currency before it: `SEK 2 140`."""
_BOXED_DATE = re.compile(r"(\d{2}) (\d{2}) ((?:19|20)\d{2})")
"""As it is written into the boxes of a form: fills its segment."""
_BOXED_MONEY = re.compile(r"[$€£]\s?(\d{1,3}(?:,\d{3}){0,9}|\d{1,30}) (\d{2})")
_THOUSANDTHS = re.compile(r"(?<![\d.,])0\.\d{3}(?![\d.,])")
"""Shows that a point before three digits is a decimal one: `0.650` kg."""
_TIME = re.compile(
    r"(?<![\d:.,/-])(?:[01]?\d|2[0-3])[:.h]\s?[0-5]\d(?:[:.][0-5]\d)?(?:\s?[AaPp]\.?[Mm]\.?)?(?![\d.,/%])"
)
_EMAIL = re.compile(r"[\w.+-]++\s?@\s?[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"(?:https?://|www\.)[^\s,;]+|(?<![@\w.])[\w-]+\.(?:com|de|fr|net|org|eu|nl|it|es|co\.uk|at|ch)(?![\w.@])(?:/\S*)?"
)
_PHONE = re.compile(r"(?<![\w.,])\+?\(?\d[\d()./\s-]{5,18}\d(?![\w.,]\d)")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}(?:\s?[A-Z0-9]{1,3})?(?!\w)")
_BIC = re.compile(r"(?<!\w)[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?!\w)")
_TAX_ID = re.compile(
    r"(?<!\w)(?:(?:AT\s?U|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)"
    r"[\s-]?[A-Z0-9]{0,2}(?:[\s.-]?\d{2,3}){2,5}(?:[\s.]?B\d{2}|[A-Z])?|\d{2}-\d{7}|\d{3}-\d{2}-\d{4}|\d{3}-\d{2}-\d{5}"
    r"|\d{2,3}/\d{3,4}/\d{4,5})(?!\w)"
)
_CODE = re.compile(r"(?<![\w])[A-Za-z0-9#][\w\-/.#]*\d[\w\-/.]*(?<![.\-/])|(?<!\w)\d+(?!\w)")


class Spans:
    """The typed spans of a document, with the votes on its decimal sign, date order and currency."""

    def __init__(self, layout: Layout, *, day_first: bool | None = None) -> None:
        self.layout = layout
        texts = [s.text for s in layout.segments]
        self.decimal = vote_decimal(texts)
        whole = " ".join(texts[:4000])
        american = bool(re.search(r"(?<![A-Z])\$|\bUSD?\b|\b[A-Z]{2},? \d{5}(?:-\d{4})?\b", whole)) or any(
            abs(p.width - 612) < 2 for p in layout.pages
        )
        self.day_first = vote_day_first(texts, default=not american) if day_first is None else day_first
        self._by_kind: dict[Kind, tuple[Span, ...]] = {}
        self._thousandths = self.decimal == "." and any(_THOUSANDTHS.search(text) for text in texts)
        self._spaced = self.decimal == "," and not re.search(r"\d[.'’]\d{3},\d{2}", whole)

    def of(self, kind: Kind) -> tuple[Span, ...]:
        """All spans of a kind, in reading order."""
        if kind not in self._by_kind:
            self._by_kind[kind] = tuple(s for segment in self.layout.segments for s in self.inside(segment, kind))
        return self._by_kind[kind]

    def inside(self, segment: Segment, kind: Kind) -> list[Span]:
        """The spans of a kind in one segment, left to right."""
        if kind is Kind.NUMBER:
            return list(self._numbers(segment))
        if kind is Kind.DATE:
            return list(self._dates(segment))
        finder = _FINDERS.get(kind)
        if finder is None:
            return [self.cut(segment, 0, len(segment.tokens))]
        return [span for m in finder.finditer(segment.text) if (span := self._plain(segment, kind, m)) is not None]

    def cut(self, segment: Segment, start: int, end: int) -> Span:
        """Words `start` to `end` (exclusive) of a segment as text."""
        tokens = segment.tokens[start:end]
        raw = " ".join(t.text for t in tokens)
        return Span(Kind.TEXT, tokens, raw, raw.strip(" :;|"), segment, start, end)

    def _numbers(self, segment: Segment) -> Iterator[Span]:
        text = segment.text.translate(DASHES).translate(_TICKS)
        if not any(c.isdigit() for c in text):
            return
        if self.layout.scanned:
            text = _MISREAD_DOLLAR.sub("$", _MARKED.sub(" ", self._with_sign(segment, text)))
        boxed = _BOXED_MONEY.fullmatch(text)
        if boxed is not None:
            value = Decimal(f"{boxed[1].replace(',', '')}.{boxed[2]}")
            yield self._span(segment, Kind.NUMBER, (0, len(text)), text, value, decimals=2, money=True)
            return
        taken = [m.span() for m in date_pattern().finditer(fold(text))] if len(fold(text)) == len(text) else []
        spaced = list(self._with_blanks(segment, text, taken))
        taken += [m for m, _ in spaced]
        yield from (span for _, span in spaced)
        for match in _NUMBER.finditer(text):
            at, stop = match.span("body")
            if any(a < stop and at < b for a, b in taken):
                continue
            value = self._value_of(match)
            if value is None:
                continue
            sign = match["sign"] or ""
            minus = (
                (sign.strip() == "-" and not (self.layout.scanned and sign != "-"))
                or match["sign2"]
                or (match["tail"] and (match["tail"] != " -" or _CENTS.search(match["body"])))
            )
            if minus or (match["open"] and match["close"] and (match["cur"] or len(match["body"]) > 2)):
                value = -value
            exponent = value.as_tuple().exponent
            decimals = -exponent if isinstance(exponent, int) else 0
            unit = (match["unit"] or "").strip()
            yield self._span(
                segment, Kind.NUMBER, match.span(), match.group(0).strip(), value, decimals=decimals,
                money=bool(match["cur"]) or bool(unit and unit != "%") or decimals == 2, percent=unit == "%",
            )  # fmt: skip

    def _with_blanks(
        self, segment: Segment, text: str, taken: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], Span]]:
        """Amounts with blanks between their thousands, and the characters they take."""
        patterns = (_SPACED, _MARKED_SPACED) if self._spaced else (_MARKED_SPACED,)
        held = list(taken)
        for match in (m for pattern in patterns for m in pattern.finditer(text)):
            if any(a < match.end() and match.start() < b for a, b in held) and match.re is _MARKED_SPACED:
                continue
            held.append(match.span())
            value = Decimal(match["amount"].replace(" ", "").replace(",", "."))
            yield (
                match.span(),
                self._span(segment, Kind.NUMBER, match.span(), match.group(0), value, decimals=2, money=True),
            )

    def _with_sign(self, segment: Segment, text: str) -> str:
        """A price at the end of a line whose decimal sign was not read: `10 94` under `2.40`, at the same edge."""
        at = _SIGNLESS.search(text)
        near = (x for page, x in self._price_edges if page == segment.page)
        if at is None or sum(abs(x - segment.x1) < segment.height for x in near) < _SAME_EDGE:
            return text
        return f"{text[: at.end(1)]}{self.decimal}{text[at.start(2) :]}"

    @cached_property
    def _price_edges(self) -> list[tuple[int, float]]:
        """Page and right edge, points, of every line that ends with two decimals."""
        found = (s for s in self.layout.segments if _PRICE_END.search(s.text))
        return [(s.page, s.x1) for s in found]

    def _value_of(self, match: re.Match[str]) -> Decimal | None:
        """The amount of a number without its sign; the only mark in a percentage is a decimal one: `6.250 %`."""
        if "%" in (match["unit"] or "") and re.fullmatch(r"\d{1,2}[.,]\d{3}", match["body"]):
            return Decimal(match["body"].replace(",", "."))
        if self._thousandths and re.fullmatch(r"\d{1,3}\.\d{3}", match["body"]):
            return Decimal(match["body"])
        return parse_number(match["body"], self.decimal)

    def _dates(self, segment: Segment) -> Iterator[Span]:
        folded = fold(segment.text)
        text = segment.text if len(folded) == len(segment.text) else folded
        for match in date_pattern().finditer(folded):
            found = parse_date(match.group(0), day_first=self.day_first)
            if found is not None:
                raw = text[match.start() : match.end()]
                yield self._span(segment, Kind.DATE, match.span(), raw, found.isoformat())
        boxed = _BOXED_DATE.fullmatch(segment.text)
        found = parse_date("/".join(boxed.groups()), day_first=self.day_first) if boxed else None
        if found is not None:
            yield self._span(segment, Kind.DATE, (0, len(segment.text)), segment.text, found.isoformat())

    def _plain(self, segment: Segment, kind: Kind, match: re.Match[str]) -> Span | None:
        raw = match.group(0).strip()
        value: str = raw
        if kind is Kind.IBAN:
            value = re.sub(r"\s", "", raw)
        if kind is Kind.PHONE and (not 7 <= sum(c.isdigit() for c in raw) <= 15 or ("." in raw and "," in raw)):
            return None
        if kind is Kind.PHONE and date_pattern().fullmatch(fold(raw)):
            return None
        if kind in (Kind.EMAIL, Kind.TAX_ID):
            value = re.sub(r"\s", "", raw)
        return self._span(segment, kind, match.span(), raw, value)

    def _span(
        self, segment: Segment, kind: Kind, place: tuple[int, int], raw: str, value: str | Decimal, **more: int
    ) -> Span:
        start, end = token_range(segment, *place)
        plain: Scalar = value if isinstance(value, str) else _scalar(value)
        return Span(
            kind, segment.tokens[start:end], raw, plain, segment, start, end,
            decimals=more.get("decimals", 0), money=bool(more.get("money")), percent=bool(more.get("percent")),
        )  # fmt: skip


_FINDERS: dict[Kind, re.Pattern[str]] = {
    Kind.TIME: _TIME,
    Kind.EMAIL: _EMAIL,
    Kind.URL: _URL,
    Kind.PHONE: _PHONE,
    Kind.IBAN: _IBAN,
    Kind.BIC: _BIC,
    Kind.TAX_ID: _TAX_ID,
    Kind.CODE: _CODE,
}


def _scalar(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)


def token_range(segment: Segment, at: int, stop: int) -> tuple[int, int]:
    """The words (end exclusive) that hold characters `at` to `stop` of a segment's text."""
    starts, last = segment.starts, len(segment.tokens) - 1
    start = max(0, bisect_right(starts, at) - 1)
    if start < last and at >= starts[start] + len(segment.tokens[start].text):  # the blank behind it
        start += 1
    return start, max(bisect_left(starts, stop), start + 1)


def currency_votes(segments: Sequence[Segment]) -> dict[str, list[Span]]:
    """ISO code → the spans that name it, in reading order."""
    votes: dict[str, list[Span]] = {}
    for segment in segments:
        for index, token in enumerate(segment.tokens):
            code = token_currency(token.text)
            if code is not None:
                raw = segment.tokens[index].text
                span = Span(Kind.TEXT, (segment.tokens[index],), raw, code, segment, index, index + 1)
                votes.setdefault(code, []).append(span)
    return votes


@lru_cache(maxsize=20000)
def token_currency(text: str) -> str | None:
    """The currency that a word, or the mark before or behind its number, names."""
    head = re.match(rf"\(?-?({CURRENCY_MARK})\s?-?[\d.,]", text)
    tail = re.search(r"\d\s?(€|\$|£|EUR|Euro|USD|CHF|GBP|원)\)?$", text)
    mark = head[1] if head else tail[1] if tail else text.strip("():,.;")
    if not mark or len(mark) > 12 or any(c.isdigit() for c in mark):
        return None
    if (
        mark.isascii()
        and mark.isalpha()
        and not (mark.isupper() or mark.casefold() in ("euro", "euros", "dollars", "ringgit"))
    ):
        return None
    if (
        mark.isalpha()
        and mark.isascii()
        and mark not in _COMMON
        and mark.casefold() not in ("euro", "euros", "dollars", "ringgit")
    ):
        return None
    return parse_currency(mark)


_COMMON = word_set(
    "EUR USD GBP CHF JPY CNY KRW MYR INR SGD AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BGN TRY RUB BRL MXN "
    "ZAR HKD TWD THB IDR PHP VND AED SAR ILS DEM FRF ITL RM"
)
