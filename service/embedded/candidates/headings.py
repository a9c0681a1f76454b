"""What heads a document: its title and its first line, for the fields that ask for just that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.domain.schema import FieldType
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Segment
from service.embedded.words.normalise import fold

_OF = r"(?:document|page|letter|form|report|file|dokument|seite|brief|formular|bericht|pagina|documento|lettre)"
_TITLE = re.compile(
    rf"\b(?:title|heading|headline|titel|uberschrift|titre|titulo|titolo)\b.{{0,30}}\b{_OF}|\b{_OF}\W?(?:title|titel)\b"
)
_FIRST = re.compile(r"\b(?:first (?:printed )?(?:line|words)|erste zeile|premiere ligne|primera linea|prima riga)\b")
_FAR_DOWN = 12
"""Lines among which a title is looked for."""
_LEAST_LETTERS = 3
_SCORE = 0.9
"""For what is asked for by name; the next best come right behind."""


def heading_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The lines that may be meant, the likeliest first; none for a field that asks for something else."""
    if ask.field.type is not FieldType.STRING or ask.field.format or ask.field.enum:
        return []
    wanted = fold(f"{ask.field.name.replace('_', ' ')}: {ask.field.description}")
    lines = list(_lines(evidence))
    if _TITLE.search(wanted):
        lines.sort(key=lambda segment: -round(segment.height, 1))
    elif not _FIRST.search(wanted):
        return []
    spans = (evidence.spans.cut(segment, 0, len(segment.tokens)) for segment in lines[:3])
    return [Choice(span, span.raw, _SCORE - 0.1 * rank, "heading") for rank, span in enumerate(spans)]


def _lines(evidence: Evidence) -> Iterator[Segment]:
    """What stands at the document's top, in reading order; a page number heads nothing."""
    for segment in evidence.layout.segments:
        if segment.line >= _FAR_DOWN:
            return
        if sum(c.isalpha() for c in segment.text) >= _LEAST_LETTERS:
            yield segment
