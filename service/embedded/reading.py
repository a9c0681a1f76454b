"""What the rules choose for every leaf of a schema in one document, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.domain.memory import NO_LESSONS, Lessons
from service.domain.pages import PageText
from service.domain.schema import ExtractionSchema
from service.embedded.anchors.matching import Labels
from service.embedded.anchors.places import gather
from service.embedded.asked.fields import Ask
from service.embedded.asked.plan import Plan, plan_of
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.candidates.values import final_value
from service.embedded.choose import choose, propose_all
from service.embedded.evidence.findings import Findings, Leaf
from service.embedded.evidence.proofs import Proofs
from service.embedded.memory import Recall
from service.embedded.page.lines import build_layout
from service.embedded.page.spans import Spans
from service.embedded.tables.items import read_rows
from service.embedded.tables.lists import read_list
from service.embedded.tables.row_checks import Row


@dataclass(frozen=True)
class Reading:
    """One document under one schema."""

    plan: Plan
    rows: Mapping[str, Sequence[Row]]
    """Path of a table → its rows."""
    lists: Mapping[str, Sequence[Choice]]
    findings: Findings
    recall: Recall
    options: Mapping[str, Sequence[Choice]]
    """Path of a single field → all its candidates."""

    def without(self, paths: frozenset[str]) -> Reading:
        """The same where some single fields are left empty, and their words are free for the others."""
        singles = _singles(self.plan, self.options, self.recall, paths)
        leaves = tuple(leaf for leaf in self.findings.leaves if leaf.single is False)
        findings = self.findings.of([*_single_leaves(self.plan, singles), *leaves])
        return Reading(self.plan, self.rows, self.lists, findings, self.recall, self.options)


def read_document(schema: ExtractionSchema, pages: Sequence[PageText], lessons: Lessons = NO_LESSONS) -> Reading:
    """Lay a document out, find its labels, and choose for every leaf."""
    plan = plan_of(schema)
    hint = next((a.day_first for a in plan.asks if a.day_first is not None), None)
    layout = build_layout(pages)
    labels = Labels(layout, [*plan.singles, *plan.lists.values()], plan.columns)
    evidence = gather(layout, Spans(layout, day_first=hint), labels, plan.singles)
    prose = Prose(layout)
    recall = Recall(evidence, {page.page: page for page in pages}, lessons)
    options = propose_all(evidence, plan.singles, prose)
    singles = _singles(plan, options, recall, frozenset())
    rows = {path: recall.rows(path, asks) or read_rows(evidence, asks) for path, asks in plan.tables.items()}
    lists = {path: read_list(evidence, ask, prose) for path, ask in plan.lists.items()}
    leaves = (*_single_leaves(plan, singles), *_list_leaves(plan, lists), *_cells(plan, rows))
    findings = Findings(evidence, prose, leaves, rows, len(plan.singles), Proofs(evidence))
    return Reading(plan, rows, lists, findings, recall, options)


def _singles(
    plan: Plan, options: Mapping[str, Sequence[Choice]], recall: Recall, without: frozenset[str]
) -> Mapping[str, Sequence[Choice]]:
    """The chosen candidates of the single fields, what people taught included."""
    left = {path: [] if path in without else list(found) for path, found in options.items()}
    return recall.singles(plan.singles, choose(plan.singles, left))


def _single_leaves(plan: Plan, chosen: Mapping[str, Sequence[Choice]]) -> Iterator[Leaf]:
    for ask in plan.singles:
        if chosen[ask.path]:
            yield from _leaf(ask.path, ask, chosen[ask.path], single=True)


def _list_leaves(plan: Plan, lists: Mapping[str, Sequence[Choice]]) -> Iterator[Leaf]:
    for path, choices in lists.items():
        for place, choice in enumerate(choices):
            yield from _leaf(f"{path}/{place}", plan.lists[path], [choice])


def _cells(plan: Plan, rows: Mapping[str, Sequence[Row]]) -> Iterator[Leaf]:
    for table, asks in plan.tables.items():
        for number, row in enumerate(rows[table]):
            for ask in asks:
                if ask.path in row:
                    path = f"{table}/{number}{ask.path.removeprefix(f'{table}/*')}"
                    yield from _leaf(path, ask, [row[ask.path]], table=table, row=number)


def _leaf(
    path: str, ask: Ask, choices: Sequence[Choice], *, single: bool = False, table: str = "", row: int = 0
) -> Iterator[Leaf]:
    """A leaf, if what was chosen can be brought to the type that is asked for."""
    value = final_value(ask, choices[0])
    if value is not None:
        yield Leaf(path, ask, choices, value, single=single, table=table, row=row)
