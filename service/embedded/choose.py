"""One choice for each field, all together: no two on one span, amounts that add up, dates in order, or nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.check_marks import boolean_choices, enum_choices
from service.embedded.candidates.crossings import crossing_choices
from service.embedded.candidates.facts import fact_choices, named_beside_role, role_choices
from service.embedded.candidates.headings import heading_choices
from service.embedded.candidates.in_order import ordered_choices
from service.embedded.candidates.label_codes import code_choices
from service.embedded.candidates.label_texts import text_choices
from service.embedded.candidates.measures import in_asked_unit, lone_measures
from service.embedded.candidates.own_days import dates_a_signature, own_day_choices, own_place_choices
from service.embedded.candidates.parted import parted_choices
from service.embedded.candidates.priors import lone_choices
from service.embedded.candidates.proposals import TYPED, Choice, typed_choices
from service.embedded.candidates.propose_entries import settle_entries
from service.embedded.candidates.prose import Prose, leaves_date_open, prose_choices
from service.embedded.candidates.references import reference_choices
from service.embedded.candidates.sections import keep_sections
from service.embedded.candidates.self_named import less_of_names, self_named
from service.embedded.candidates.senders import lone_address
from service.embedded.candidates.standing import heading_name, standing_choices
from service.embedded.candidates.tax_sides import of_its_side
from service.embedded.candidates.told_addresses import told_addresses
from service.embedded.candidates.told_days import told_day_choices
from service.embedded.candidates.told_texts import told_choices
from service.embedded.candidates.totals import fall_back_on_total, settle_totals

ACCEPT = 0.5
"""A best choice under this score is no choice: the field is absent."""
_UNKNOWN_FORM = 0.9
"""What an identifier counts that has not the form which is asked for."""
LABELLED = 0.6
"""Score from which a label tells a value, and sentences are not looked at."""
SHORT_ANSWER = 6
"""Words up to which what stands at a label is an answer and not a sentence."""
_SIGNING = 0.75
"""What the day beside one signature counts as that of the agreement."""
MONEY_FAMILY = frozenset({"total_gross", "amount_due", "total_net"})
ISSUERS = frozenset({"seller_name", "sender_name", "bank_name"})
"""Who issues a document: of a statement of an account it is the bank."""


def propose(evidence: Evidence, ask: Ask, prose: Prose) -> list[Choice]:
    """All candidates of one field, best first."""
    if ask.kind == "boolean":
        found = boolean_choices(evidence, ask)
    elif ask.kind == "enum":
        found = enum_choices(evidence, ask, text_choices(evidence, ask))
    elif ask.kind in TYPED:
        found = in_asked_unit(ask, typed_choices(evidence, ask))
        if ask.kind == "taxid" and not found:  # numbers of countries whose form is not known
            found = [c.scaled(_UNKNOWN_FORM) for c in code_choices(evidence, ask)]
        found += lone_choices(evidence, ask)
        if not ask.plain:  # what the lexicon knows has rules of its own
            found += crossing_choices(evidence, ask)
            if max((c.score for c in found), default=0.0) < LABELLED:
                found += fact_choices(evidence, ask)
    elif ask.kind == "code":
        found = code_choices(evidence, ask)
    else:
        found = [*less_of_names(text_choices(evidence, ask)), *self_named(evidence, ask)]
        found += lone_choices(evidence, ask) + role_choices(prose, ask)
        found += [*lone_address(evidence, ask), *named_beside_role(evidence, ask)]
        found += standing_choices(evidence, ask) + heading_name(evidence, ask)
    if ask.kind == "period" and prose.is_prose:  # a heading stands over many sentences; which one tells is told below
        found = [c for c in found if len(c.span.tokens) <= SHORT_ANSWER]
    if ask.kind == "date" and ask.is_concept("effective_date") and prose.is_prose:
        return _own_days(evidence, ask, prose, found)
    found += _told(evidence, ask, prose, max((c.score for c in found), default=0.0))
    found = of_its_side(evidence, ask, found)
    return sorted(found, key=lambda c: (-c.score, c.span.segment.index))[:24]


def _told(evidence: Evidence, ask: Ask, prose: Prose, labelled: float) -> list[Choice]:
    """What running text and the head and foot of a paper tell; less is looked at where a label tells a value."""
    day_first = evidence.spans.day_first
    found = told_addresses(prose, ask) if labelled < ACCEPT else []
    if labelled < LABELLED:
        found += told_choices(prose, ask) + told_day_choices(prose, ask, day_first=day_first)
    found += own_day_choices(evidence, ask) + own_place_choices(evidence, ask)
    found += prose_choices(prose, ask, day_first=day_first) + heading_choices(evidence, ask)
    return [*found, *reference_choices(prose, ask, day_first=day_first)]


def _own_days(evidence: Evidence, ask: Ask, prose: Prose, found: list[Choice]) -> list[Choice]:
    """Days that an agreement has itself, best first: none where it left its own open and those of signing remain."""
    if leaves_date_open(prose):
        return []
    own = [
        c.scaled(_SIGNING) if dates_a_signature(evidence, c.span) else c
        for c in found
        if not prose.dates_another(c.span)
    ]
    own += prose_choices(prose, ask, day_first=evidence.spans.day_first) + heading_choices(evidence, ask)
    return sorted(own, key=lambda c: (-c.score, c.span.segment.index))[:24]


def propose_all(evidence: Evidence, asks: Sequence[Ask], prose: Prose) -> dict[str, list[Choice]]:
    """Path → the candidates of each field, best first, weighed against those of the others."""
    options = {ask.path: propose(evidence, ask, prose) for ask in asks}
    for path, choice in parted_choices(evidence, asks):  # what else is printed there is another part
        options[path] = [choice, *(o for o in options[path] if o.span.segment is not choice.span.segment)]
    for path, choice in lone_measures(evidence, asks):
        options[path] = [*options[path], choice]
    options = {path: sorted(found, key=lambda c: -c.score) for path, found in options.items()}
    settle_entries(evidence, asks, options)
    keep_sections(evidence, asks, options)
    settle_totals(evidence, asks, options)
    _keep_date_order(asks, options)
    for path, choice in ordered_choices(evidence, asks, choose(asks, options)).items():
        options[path] = [choice, *options[path]]
    return options


def choose(asks: Sequence[Ask], options: dict[str, list[Choice]]) -> dict[str, list[Choice]]:
    """Path → the chosen candidate first, then its rivals; an empty list where nothing fits."""
    chosen = _without_sharing(asks, options)
    fall_back_on_total(asks, chosen)
    return chosen


def _keep_date_order(asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """A due or end date before the date it follows is unlikely."""
    by_concept = {ask.concept: ask.path for ask in asks if ask.kind == "date"}
    for earlier, later in (("invoice_date", "due_date"), ("start_date", "end_date")):
        first, second = by_concept.get(earlier), by_concept.get(later)
        if first is None or second is None or not options[first]:
            continue
        start = str(options[first][0].value)
        options[second] = sorted(
            (c if str(c.value) >= start else c.scaled(0.7) for c in options[second]), key=lambda c: -c.score
        )


def _without_sharing(asks: Sequence[Ask], options: dict[str, list[Choice]]) -> dict[str, list[Choice]]:
    """Give each span to the field that wants it most; what loses it takes its next."""
    by_path = {ask.path: ask for ask in asks}
    queue = sorted(
        ((c.score, -i, path, i) for path, found in options.items() for i, c in enumerate(found)), reverse=True
    )
    taken: dict[int, set[str]] = defaultdict(set)
    chosen: dict[str, list[Choice]] = {path: [] for path in options}
    for score, _, path, index in queue:
        if chosen[path] or score < ACCEPT:
            continue
        choice = options[path][index]
        owners = {o for word in choice.span.ids for o in taken[word]}
        if any(not _may_share(by_path[path], by_path[o], choice, chosen[o][0]) for o in owners):
            continue
        chosen[path] = [choice, *(o for o in options[path] if o is not choice)]
        for word in choice.span.ids:
            taken[word].add(path)
    return chosen


def _may_share(ask: Ask, other: Ask, choice: Choice, held: Choice) -> bool:
    """Whether two fields may rest on one printed value."""
    if ask.kind in ("currency", "boolean", "enum") or other.kind in ("currency", "boolean", "enum"):
        return True
    if ask.concept in MONEY_FAMILY and other.concept in MONEY_FAMILY:
        return choice.score > 0.6
    if ask.concept in ISSUERS and other.concept in ISSUERS and ask.concept != other.concept:
        return True
    if choice.span.raw != held.span.raw:
        return not _overlaps(choice, held) or ask.kind != other.kind
    return ask.kind == other.kind and choice.score >= 0.85 and held.score >= 0.85 and _same_label(choice, held)


def _overlaps(a: Choice, b: Choice) -> bool:
    return (
        a.span.segment is b.span.segment
        and a.span.start < b.span.end
        and b.span.start < a.span.end
        and a.span.raw == b.span.raw
    )


def _same_label(a: Choice, b: Choice) -> bool:
    return a.label is not None and b.label is not None and a.label.segment is b.label.segment
