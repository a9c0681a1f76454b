"""What a document proves of its own values: amounts that add up, rows that come to a total, what is printed again."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, islice

from service.embedded.anchors.places import Evidence
from service.embedded.candidates.totals import labelled_amounts, paid_before
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind, Span
from service.embedded.words.normalise import PERIOD, fold, parse_period, squash, vote_day_first

PARTS = ("total_gross", "amount_due", "total_net", "total_tax", "tip", "rounding", "discount", "shipping_cost",
         "prepaid_amount", "cash", "change")  # fmt: skip
"""Concepts of amounts that belong to one sum."""
TOTALS = ("total_gross", "amount_due")
"""Those of the whole."""
MOST_PARTS = 16
"""Labelled amounts beyond which sums hold by chance."""
MOST_AMOUNTS, MOST_RATES = 160, 4
"""Amounts and percentages beyond which one is a share of another by chance."""
MOST_RATE, LEAST_SHARE = 50, 9
"""Percentages below this and shares above it, in cents, are those of taxes."""
LONGEST_RUN = 60
"""Amounts under each other that are summed up at most."""
LEAST_RUN = 2
"""Amounts that are a sum; one alone is a repetition."""
BETWEEN = 4
"""Amounts that may stand between the last of a run and its sum."""
CENTS = 2
"""Digits after the decimal sign of an amount."""
MOST_TERMS = 40
"""Periods that are looked at."""
AGAIN = 4
"""Other lines that say the same beyond which more of them say no more."""
LEAST_KEY = 4
"""Letters and digits from which a text that is printed again says something."""


@dataclass(frozen=True, slots=True)
class _End:
    """The last amount of a line."""

    line: int
    page: int
    cents: int
    """With its sign."""


@dataclass(frozen=True)
class Proofs:
    """One document's amounts, days and texts as witnesses of each other; amounts in whole cents, without sign."""

    evidence: Evidence

    @cached_property
    def wholes(self) -> Counter[int]:
        """Amount → how many pairs of labelled amounts it is the sum of."""
        return Counter(a + b for a, b in combinations(self._labelled, 2) if a + b in self._labelled)

    @cached_property
    def parts(self) -> Counter[int]:
        """Amount → how many sums of labelled amounts it is a part of."""
        pairs = [pair for pair in combinations(self._labelled, 2) if sum(pair) in self._labelled]
        return Counter(part for pair in pairs for part in pair)

    def fits(self, span: Span, *, total: bool) -> bool:
        """Whether an amount has its place in a sum of labelled ones: as its whole for a total, else as a part."""
        return (self.wholes if total else self.parts)[cents(span)] > 0

    @cached_property
    def _labelled(self) -> tuple[int, ...]:
        """The distinct amounts beside labels of totals and their parts; none where there are too many."""
        found = {cents(span) for span in labelled_amounts(self.evidence, PARTS)} - {0}
        return tuple(sorted(found)) if len(found) <= MOST_PARTS else ()

    @cached_property
    def shares(self) -> frozenset[int]:
        """Amounts that are a printed percentage of another printed one, and those others."""
        numbers = self.evidence.spans.of(Kind.NUMBER)
        rates = {float(s.value) for s in numbers if s.percent and isinstance(s.value, (int, float))}
        amounts = {cents(s) for s in numbers if s.decimals == CENTS} - {0}
        if len(rates) > MOST_RATES or len(amounts) > MOST_AMOUNTS:
            return frozenset()
        held = [(round(a * rate / 100), a) for rate in rates if 0 < rate < MOST_RATE for a in amounts]
        return frozenset(x for pair in held if pair[0] in amounts and pair[0] > LEAST_SHARE for x in pair)

    @cached_property
    def _runs(self) -> tuple[dict[_End, int], dict[_End, int]]:
        """A sum → how many amounts right above come to it; one of such amounts → the same."""
        ends = self._ends
        sums: dict[_End, int] = {}
        members: dict[_End, int] = {}
        for place, end in enumerate(ends):
            for last in range(place - 1, max(-1, place - 2 - BETWEEN), -1):
                count = _run(ends, last, end)
                if count < LEAST_RUN:
                    continue
                sums[end] = max(count, sums.get(end, 0))
                for member in ends[last - count + 1 : last + 1]:
                    members[member] = max(count, members.get(member, 0))
        return sums, members

    @cached_property
    def _ends(self) -> Sequence[_End]:
        """The last amount of each line that has one."""
        found = {
            span.segment.line: _end(span)
            for span in self.evidence.spans.of(Kind.NUMBER)
            if span.decimals == CENTS and not span.percent
        }
        return [found[line] for line in sorted(found)]

    def summed(self, span: Span) -> int:
        """How many amounts above it come to this one; 0 for none."""
        return self._runs[0].get(_end(span), 0)

    def adds_to(self, span: Span) -> int:
        """Of how many amounts under each other that come to a printed sum it is one; 0 for none."""
        return self._runs[1].get(_end(span), 0)

    @cached_property
    def _lines(self) -> dict[object, set[int]]:
        """Amount in cents, or ISO date → the lines that print it."""
        found: dict[object, set[int]] = defaultdict(set)
        for span in self.evidence.spans.of(Kind.NUMBER):
            if span.decimals == CENTS and not span.percent:
                found[cents(span)].add(span.segment.line)
        for span in self.evidence.spans.of(Kind.DATE):
            found[span.value].add(span.segment.line)
        return found

    def elsewhere(self, span: Span, value: object) -> int:
        """On how many other lines the same amount, day or text is printed, up to `AGAIN`."""
        if span.kind is Kind.NUMBER and span.decimals != CENTS:
            return 0
        if span.kind in (Kind.NUMBER, Kind.DATE):
            lines = self._lines[cents(span) if span.kind is Kind.NUMBER else span.value]
            return min(AGAIN, len(lines) - (span.segment.line in lines))
        key = squash(str(value))
        if len(key) < LEAST_KEY:
            return 0
        taken = {id(t) for t in span.tokens}
        found = (s for s in self._with_key(key) if taken.isdisjoint(map(id, s.tokens)))
        return sum(1 for _ in islice(found, AGAIN))

    def _with_key(self, key: str) -> Iterator[Segment]:
        """The segments that have some letters and digits in a row."""
        text, starts = self._text
        at = text.find(key)
        while at >= 0:
            index = bisect_right(starts, at)
            yield self.evidence.layout.segments[index - 1]
            at = text.find(key, starts[index]) if index < len(starts) else -1

    @cached_property
    def _text(self) -> tuple[str, Sequence[int]]:
        """Letters and digits of each segment on a line of its own, and where each begins."""
        keys = [squash(segment.text) for segment in self.evidence.layout.segments]
        return "\n".join(keys), list(accumulate((len(key) + 1 for key in keys[:-1]), initial=0))

    @cached_property
    def domains(self) -> str:
        """Letters and digits of all addresses in the net."""
        spans = (*self.evidence.spans.of(Kind.EMAIL), *self.evidence.spans.of(Kind.URL))
        return " ".join(squash(span.raw) for span in spans)

    @cached_property
    def amounts(self) -> frozenset[int]:
        """All printed amounts."""
        numbers = self.evidence.spans.of(Kind.NUMBER)
        return frozenset(cents(s) for s in numbers if s.decimals == CENTS and not s.percent)

    @cached_property
    def paid(self) -> frozenset[int]:
        """The amounts at labels of what was paid before."""
        return frozenset(round(100 * abs(amount)) for amount in paid_before(self.evidence))

    def is_tendered(self, amount: int) -> bool:
        """Whether cents are what was given in cash less the change, of some pair that is labelled so."""
        given, back = self._tendered
        return amount > 0 and any(b > 0 and amount + b in given for b in back)

    @cached_property
    def _tendered(self) -> tuple[frozenset[int], frozenset[int]]:
        """The amounts that were given in cash, and those of the change, in cents."""
        given, back = (labelled_amounts(self.evidence, (concept,)) for concept in ("cash", "change"))
        return frozenset(map(cents, given)), frozenset(map(cents, back))

    @cached_property
    def terms(self) -> frozenset[int]:
        """Days that the document gives for something."""
        text = " ".join(s.text for s in self.evidence.layout.segments if any(map(str.isdigit, s.text)))
        told = (parse_period(m.group(0)) or "" for m in islice(PERIOD.finditer(fold(text)), MOST_TERMS))
        return frozenset(int(n) for n, _, unit in (t.partition(" ") for t in told) if unit in ("day", "days"))

    @cached_property
    def order_told(self) -> bool:
        """Whether the document itself tells if it prints the day before the month."""
        texts = [s.text for s in self.evidence.layout.segments]
        return vote_day_first(texts, default=True) == vote_day_first(texts, default=False)


def _run(ends: Sequence[_End], last: int, whole: _End) -> int:
    """How many amounts up from a place come to a whole; 0 if no number of them does."""
    rest = whole.cents
    for count, place in enumerate(range(last, max(-1, last - LONGEST_RUN), -1), start=1):
        rest -= ends[place].cents
        if ends[place].page != whole.page:
            return 0
        if rest == 0:
            return count
    return 0


def _end(span: Span) -> _End:
    return _End(span.segment.line, span.page, _signed(span))


def _signed(span: Span) -> int:
    return round(100 * float(span.value)) if isinstance(span.value, (int, float)) else 0


def cents(span: Span) -> int:
    """An amount in whole cents, without its sign."""
    return abs(_signed(span))
