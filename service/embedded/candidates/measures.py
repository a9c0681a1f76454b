"""Numbers told by their unit: a field that is called `weight_kg` has a value in kilograms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import NUMERIC, Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.spans import Kind, Span
from service.embedded.words.labels import split_name
from service.embedded.words.units import named_unit, unit_behind

_LONE = 0.6
"""Score of the only number with a unit that only one field asks for."""
_OTHER_UNIT = 0.75
"""What a number without the unit counts, where one with it stands at the same label."""


def asked_unit(ask: Ask) -> str:
    """The unit that a field's name tells, or nothing."""
    return named_unit(split_name(ask.field.title or ask.field.name)) if ask.kind in NUMERIC else ""


def in_asked_unit(ask: Ask, found: Sequence[Choice]) -> list[Choice]:
    """Candidates of a number: less of another unit, where one of the asked unit stands at the same label."""
    unit = asked_unit(ask)
    told = {id(c.label) for c in found if unit and unit_of_span(c.span) == unit}
    return [
        c.scaled(_OTHER_UNIT) if id(c.label) in told and unit_of_span(c.span) != unit else c for c in found
    ]  # fmt: skip


def lone_measures(evidence: Evidence, asks: Sequence[Ask]) -> Iterator[tuple[str, Choice]]:
    """Path and candidate where a document has one number of a unit, and one field asks for it."""
    units = {ask.path: unit for ask in asks if (unit := asked_unit(ask))}
    wanted = {unit for unit, times in Counter(units.values()).items() if times == 1}
    if not wanted:
        return
    printed: dict[str, list[Span]] = {unit: [] for unit in wanted}
    for span in evidence.spans.of(Kind.NUMBER):
        if (unit := unit_of_span(span)) in wanted:
            printed[unit].append(span)
    for path, unit in units.items():
        if unit in wanted and len(printed[unit]) == 1:
            span = printed[unit][0]
            yield path, Choice(span, span.value, _LONE, "fact")


def unit_of_span(span: Span) -> str:
    """The unit that is printed behind a number, or nothing."""
    if span.percent:
        return "percent"
    last = span.tokens[-1].text
    behind = last.rpartition(span.raw.rpartition(" ")[2])[2] if span.raw else ""
    following = span.segment.tokens[span.end].text if span.end < len(span.segment.tokens) else ""
    return unit_behind(behind or following)
