"""Whose section of a page a value stands in, where a schema asks for the same of several: mother and father."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Segment
from service.embedded.words.labels import canonical, read_text, similarity, split_name

_SAID = 0.75
"""How well a heading must say the name of an object."""
_LONGEST = 5
"""Words of a heading."""
_ELSEWHERE = 0.5
"""What a candidate counts that does not stand in the section of its object."""


@dataclass(frozen=True)
class _Section:
    """What stands under a heading, points."""

    page: int
    top: float
    bottom: float
    left: float
    right: float

    def holds(self, segment: Segment) -> bool:
        """Whether a segment begins in it."""
        inside = self.left <= segment.x0 < self.right and self.top < segment.y0 < self.bottom
        return segment.page == self.page and inside


def keep_sections(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """Weaken what stands outside its object's section, where two objects of the schema at least have one."""
    owners = {path: path.rpartition("/")[0] for path in (ask.path for ask in asks)}
    sections = _sections(evidence, {owner for owner in owners.values() if owner})
    if len(sections) < 2:
        return
    for path, owner in owners.items():
        section = sections.get(owner)
        if section is None:
            continue
        weighed = [c if section.holds(c.span.segment) else c.scaled(_ELSEWHERE) for c in options[path]]
        options[path] = sorted(weighed, key=lambda c: (-c.score, c.span.segment.index))


def _sections(evidence: Evidence, owners: set[str]) -> Mapping[str, _Section]:
    """Object → its section; only those whose name heads one place of the document."""
    heads = {owner: found[0] for owner in owners if len(found := _headings(evidence, owner)) == 1}
    if len({head.index for head in heads.values()}) < len(heads):
        return {}
    return {owner: _section(evidence, head, [h for h in heads.values() if h is not head])
            for owner, head in heads.items()}  # fmt: skip


def _headings(evidence: Evidence, owner: str) -> list[Segment]:
    """Short lines that say nothing but the name of an object, with something under them."""
    name = canonical(split_name(owner.rpartition("/")[2]))
    return [
        segment
        for segment in evidence.layout.segments
        if len(segment.tokens) <= _LONGEST
        and similarity(name, read_text(segment.text)) >= _SAID
        and evidence.layout.below(segment)
    ]


def _section(evidence: Evidence, head: Segment, others: Sequence[Segment]) -> _Section:
    """From a heading down to the next one, and across to that of a section beside it."""
    page = evidence.layout.page(head.page)
    beside = [o for o in others if o.page == head.page and abs(o.y0 - head.y0) < 2 * head.height]
    under = [o.y0 for o in others if o.page == head.page and o not in beside and o.y0 > head.y0]
    edge = 2 * head.height
    return _Section(
        head.page,
        head.y0,
        min((*under, page.height)),
        head.x0 - edge if any(o.x0 < head.x0 for o in beside) else 0.0,
        min((*(o.x0 - edge for o in beside if o.x0 > head.x0), page.width)),
    )
