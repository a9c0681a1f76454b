"""Names that hold the very word a field is called by: a `school` that is printed as `Stonebridge Primary School`."""

from __future__ import annotations

from collections.abc import Iterator

from service.domain.schema import FieldType
from service.embedded.anchors.hits import Hit, labelness
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice

_KINDS = frozenset({"text", "org", "place"})
_LEAST, _MOST = 2, 8
"""Words of such a name."""
_FAR_DOWN = 12
"""Lines of the first page among which it stands."""
_MOST_LABELS = 0.5
"""Share of its words that may be words of labels: `Delivery Note` names nothing."""
_SCORE = 0.7
_OF_A_LABEL = 0.6
"""What words count that only follow a name's own last word."""


def self_named(evidence: Evidence, ask: Ask) -> Iterator[Choice]:
    """Lines at the top that are a name with the field's word at its end or, before a small word, at its start."""
    if ask.kind not in _KINDS or ask.field.type is not FieldType.STRING or ask.field.enum or ask.field.format:
        return
    for hit in evidence.labels.of(ask)[:12]:
        if is_named(hit) and hit.segment.line < _FAR_DOWN:
            span = evidence.spans.cut(hit.segment, 0, len(hit.segment.tokens))
            yield Choice(span, span.value, _SCORE, "issuer")


def is_named(hit: Hit) -> bool:
    """Whether a label is but a word of a name."""
    tokens = hit.segment.tokens
    words = [t.text for t in tokens]
    if (
        hit.end - hit.start != 1
        or not _LEAST <= len(words) <= _MOST
        or any(c.isdigit() or c in ":?[☐☒" for c in hit.segment.text)
    ):
        return False
    ends = hit.end == len(words) and all(w[:1].isupper() for w in words if len(w) > 3)
    opens = not hit.start and len(words) > 2 and words[1].islower() and len(words[1]) <= 3 and words[-1][:1].isupper()
    others = (*tokens[: hit.start], *tokens[hit.end :])
    return words[hit.start][:1].isupper() and (ends or opens) and labelness(others) < _MOST_LABELS


def less_of_names(found: list[Choice]) -> list[Choice]:
    """Candidates at labels: what stands at a word of a name counts less, for that is no label."""
    return [c.scaled(_OF_A_LABEL) if c.label is not None and is_named(c.label) else c for c in found]
