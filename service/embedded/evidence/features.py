"""What speaks for and against a chosen value, as numbers: the input of the learned confidence.

Nothing here knows a document, an issuer or the name of a field; all sizes are in text heights or shares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from service.domain.records import Scalar
from service.embedded.anchors.hits import labelness
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask, says_nothing
from service.embedded.candidates.proposals import Choice
from service.embedded.evidence.cross_checks import cross_checks, spelling
from service.embedded.evidence.edges import edge_features
from service.embedded.evidence.families import WORDED, firmness
from service.embedded.evidence.findings import Findings, Leaf, Values
from service.embedded.evidence.proofs import TOTALS, cents
from service.embedded.evidence.table_features import cell_features
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind
from service.embedded.words.labels import read_text
from service.embedded.words.normalise import squash

FAR = 60.0
"""A distance, in text heights, that stands for none."""
_KINDS = (
    "money",
    "number",
    "percent",
    "date",
    "code",
    "text",
    "org",
    "person",
    "address",
    "boolean",
    "enum",
    "currency",
)
_REASONS = (
    "label",
    "column",
    "list",
    "sentence",
    "issuer",
    "shape",
    "lone date",
    "largest amount",
    "mark",
    "section",
    "sum of the list",
    "dated title",
    "signature",
    "total",
    "pay by",
    "recipient block",
    "address block",
    "under the issuer",
    "role",
    "own day",
)
_EVIDENCE = ("+sum", "+seen", "+product")
_HARD = re.compile(r"^\W*(\d{1,2})\W(\d{1,2})\W")


def describe(findings: Findings) -> NDArray[np.float64]:
    """A row of features for each leaf, in the order of `NAMES`; NaN where one makes no sense."""
    rows = [_leaf(findings, leaf) for leaf in findings.leaves]
    table = np.full((len(rows), len(NAMES)), np.nan)
    for place, row in enumerate(rows):
        for name, value in row.items():
            table[place, _PLACES[name]] = value
    return table


def _leaf(findings: Findings, leaf: Leaf) -> Values:
    found = {**findings.document, **_kind(leaf.ask), **_reason(leaf.choices[0]), **_shape(leaf.ask, leaf.choices[0])}
    found |= _reading(leaf.choices[0]) | _agreement(findings, leaf)
    found |= {"firm": firmness(leaf, scanned=findings.evidence.layout.scanned), **_proofs(findings, leaf)}
    if leaf.ask.kind in WORDED:
        found |= spelling(leaf)
    if leaf.table:
        return found | cell_features(findings, leaf)
    found |= cross_checks(findings, leaf)
    found |= _rivals(leaf.choices) | _label(leaf.choices[0]) | _surroundings(findings, leaf)
    return found | edge_features(findings, leaf) if leaf.ask.kind in WORDED else found


def _kind(ask: Ask) -> Values:
    """What is asked for."""
    known: Values = {f"kind {kind}": float(ask.kind == kind) for kind in _KINDS}
    return {
        **known,
        "concept": ask.concepts[0][1] if ask.concepts else 0.0,
        "concepts": float(len(ask.concepts)),
        "plain": float(ask.plain),
        "opaque": float(says_nothing(ask.field.name)),
        "described": float(bool(ask.field.description)),
        "quoted": float(bool(ask.quotes or ask.printed_number)),
    }


def _reason(choice: Choice) -> Values:
    """Why it was chosen, and how well it fits."""
    first = choice.why.split(" +")[0]
    return {
        **{f"by {reason}": float(first == reason) for reason in _REASONS},
        **{mark: float(choice.why.endswith(mark)) for mark in _EVIDENCE},
        "score": choice.score,
    }


def _shape(ask: Ask, choice: Choice) -> Values:
    """What the value looks like."""
    raw = choice.span.raw
    size = max(1, len(raw))
    digits, letters = sum(map(str.isdigit, raw)), sum(map(str.isalpha, raw))
    early = _HARD.match(raw) if choice.span.kind is Kind.DATE else None
    return {
        "length": float(len(raw)),
        "value words": float(len(choice.span.tokens)),
        "digits": digits / size,
        "letters": letters / size,
        "capitals": sum(map(str.isupper, raw)) / max(1, letters),
        "decimals": float(choice.span.decimals),
        "money": float(choice.span.money),
        "percent": float(choice.span.percent),
        "label words": labelness(choice.span.tokens),
        "either order": float(
            early is not None and int(early[1]) <= 12 and int(early[2]) <= 12 and early[1] != early[2]
        ),
        "odd start": float(not raw[:1].isalnum()),
        "odd end": float(not raw[-1:].isalnum() and raw[-1:] not in ".)"),
    }


def _reading(choice: Choice) -> Values:
    """How surely its words were read."""
    certain = [t.certainty for t in choice.span.tokens] or [1.0]
    return {
        "least certain": min(certain),
        "all certain": float(np.prod(certain)),
        "doubtful words": float(sum(c < 0.98 for c in certain)),
    }


def _agreement(findings: Findings, leaf: Leaf) -> Values:
    """What else of the document says the same, or wants the same words."""
    choice = leaf.choices[0]
    claimed = max((findings.claims[id(t)] for t in choice.span.tokens), default=0)
    found: Values = {"claimed": float(claimed), "trimmed": _trimmed(choice)}
    value = choice.value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        amount = round(float(value), 2)
        rank = findings.ranks.get(abs(amount), -1)
        found["printed"] = float(findings.numbers[amount])
        found["amount rank"] = float(min(rank, 12))
        found["beside total"] = float(amount in findings.totals)
        found["negative"] = float(amount < 0)
    elif not leaf.table and isinstance(value, str):
        key = squash(value)
        found["printed"] = float(findings.text.count(key)) if key else 0.0
    return found


def _proofs(findings: Findings, leaf: Leaf) -> Values:
    """What the rest of the document proves of the value."""
    choice, proofs = leaf.choices[0], findings.proofs
    span = choice.span
    found: Values = {"elsewhere": float(proofs.elsewhere(span, choice.value))}
    if span.kind is Kind.DATE:
        found["order told"] = float(proofs.order_told)
    if span.kind is Kind.NUMBER and leaf.ask.kind == "money":
        amount = cents(span)
        asks_total = leaf.ask.is_concept(*TOTALS)
        above, among = float(min(8, proofs.summed(span))), float(min(8, proofs.adds_to(span)))
        found |= {
            "sum of two": float(min(3, proofs.wholes[amount])),
            "part of sum": float(min(3, proofs.parts[amount])),
            "asks total": float(asks_total),
            "role fits": float(proofs.fits(span, total=asks_total)),
            "share": float(amount in proofs.shares),
            **({"adds to": among, "sums up": above} if leaf.table else {"summed": above, "item": among}),
        }
    return found


def _trimmed(choice: Choice) -> float:
    """Letters and digits of its words that the value leaves out."""
    if not isinstance(choice.value, str) or choice.span.kind is Kind.DATE:
        return 0.0
    return float(abs(sum(len(squash(t.text)) for t in choice.span.tokens) - len(squash(choice.value))))


def _rivals(choices: Sequence[Choice]) -> Values:
    """How the chosen one stands to the others."""
    best = choices[0]
    others = [c for c in choices[1:] if _key(c.value) != _key(best.value)]
    same = [c for c in choices[1:] if _key(c.value) == _key(best.value)]
    rival = max((c.score for c in others), default=0.0)
    return {
        "lead": best.score - rival,
        "rivals": float(sum(c.score > 0.5 for c in others)),
        "close rivals": float(sum(c.score > best.score - 0.15 for c in others)),
        "agreeing": float(sum(c.score > 0.4 for c in same)),
        "roads": float(len({c.why.split(" +")[0] for c in (best, *same) if c.score > 0.4})),
        "part of rival": float(any(_key(best.value) in _key(c.value) and c.score > 0.5 for c in others)),
    }


def _key(value: Scalar) -> str:
    return squash(str(value)) if isinstance(value, str) else str(value)


def _label(choice: Choice) -> Values:
    """Its label, and where it stands to it."""
    hit, span = choice.label, choice.span
    if hit is None:
        return {"label": 0.0}
    segment = hit.segment
    height = max(1.0, segment.height)
    return {
        "label": hit.strength,
        "label share": (hit.end - hit.start) / len(segment.tokens),
        "label length": float(hit.end - hit.start),
        "label first": float(hit.start == 0),
        "colon": float(hit.colon),
        "same segment": float(segment is span.segment),
        "same line": float(segment.line == span.segment.line),
        "right of": min(FAR, (span.x0 - hit.tokens[-1].x1) / height),
        "under": max(-FAR, min(FAR, (span.y0 - segment.y1) / height)) if span.page == segment.page else FAR,
        "shift": max(-FAR, min(FAR, (span.x0 - hit.tokens[0].x0) / height)),
        "words between": float(max(0, span.start - hit.end)) if segment is span.segment else float(span.start),
    }


def _surroundings(findings: Findings, leaf: Leaf) -> Values:
    """What stands around the value, and where on the page it is."""
    evidence, span = findings.evidence, leaf.choices[0].span
    layout, first = evidence.layout, span.segment
    page = layout.page(span.page)
    last = max(span.tokens, key=lambda t: t.y1)
    height = max(1.0, first.height)
    below = next((s for s in layout.below(first, reach=8.0) if s.y0 > last.y1 - 0.4 * height), None)
    lines = len({round(t.y0 / height) for t in span.tokens})
    before = evidence.layout.segments[first.index - 1] if first.index else None
    return {
        "page": float(span.page - layout.pages[0].page),
        "across": span.x0 / page.width,
        "down": span.y0 / page.height,
        "line": float(min(40, first.line - page.lines[0].index)) if page.lines else 0.0,
        "whole": float(span.start == 0 and span.end >= len(first.tokens)),
        "left over": float(len(first.tokens) - span.end),
        "words before": float(span.start),
        "lines": float(lines),
        "gap below": min(8.0, (below.y0 - last.y1) / height) if below is not None else 8.0,
        "label below": _labels(evidence, below),
        "label before": _labels(evidence, before),
        "alone on line": float(len(layout.lines[first.line].segments) == 1),
        "letter size": first.height / layout.text_height if layout.text_height else 1.0,
        "bold": float(first.bold),
        "narrowed": float(_narrowed(leaf)),
    }


def _labels(evidence: Evidence, segment: Segment | None) -> float:
    """How strong the strongest label in a segment is."""
    return (
        max((hit.strength for _, hit in evidence.labels.in_segment(segment)), default=0.0)
        if segment is not None
        else 0.0
    )


def _narrowed(leaf: Leaf) -> int:
    """Words of the field's name that its label does not say."""
    hit = leaf.choices[0].label
    said = {c for part in read_text(" ".join(t.text for t in hit.tokens)) for c in part} if hit else set[str]()
    return sum(said.isdisjoint(part) for part in read_text(leaf.ask.field.name.replace("_", " ")))


def _names() -> Iterator[str]:
    """All names, as they stand in the functions above."""
    yield from ("scanned", "prose", "words", "pages", "legible", "answered", "days")
    yield from (f"kind {kind}" for kind in _KINDS)
    yield from ("concept", "concepts", "plain", "opaque", "described", "quoted")
    yield from (f"by {reason}" for reason in _REASONS)
    yield from (*_EVIDENCE, "score")
    yield from ("length", "value words", "digits", "letters", "capitals", "decimals", "money", "percent", "label words")
    yield from ("either order", "odd start", "odd end", "least certain", "all certain", "doubtful words")
    yield from ("claimed", "trimmed", "printed", "amount rank", "beside total")
    yield from ("lead", "rivals", "close rivals", "agreeing", "part of rival")
    yield from ("label", "label share", "label length", "label first", "colon", "same segment", "same line", "right of")
    yield from ("under", "shift", "words between")
    yield from (
        "page",
        "across",
        "down",
        "line",
        "whole",
        "left over",
        "words before",
        "lines",
        "gap below",
        "label below",
    )
    yield from ("label before", "alone on line", "letter size", "bold", "narrowed")
    yield from ("header", "headers", "rows", "filled", "row cells", "columns", "proven rows", "sum printed")
    yield from ("sum is total", "even decimals", "numbered", "usual words", "longest words", "certain rows")
    yield from (
        "spare words",
        "spare before",
        "spare beside",
        "row full",
        "row proven",
        "edge row",
        "in line",
        "row certain",
    )
    yield from ("firm", "elsewhere", "order told", "sum of two", "part of sum", "asks total", "role fits", "share")
    yield from ("summed", "item", "adds to", "sums up", "roads", "row runs")
    yield from ("free lead", "label says other", "period fits", "terms fit", "role broken")
    yield from ("tendered", "closes", "negative", "after payment", "look-alikes", "mixed words", "stuck", "odd signs")
    yield from ("legal form", "postal", "street", "brackets", "commas", "in the net")
    for side in ("above", "below"):
        yield from (f"{side} {name}" for name in ("near", "company", "form", "address", "other", "letters"))
        yield from (f"{side} {name}" for name in ("size", "shift", "middle", "capitals", "claimed"))


NAMES = tuple(_names())
_PLACES = {name: place for place, name in enumerate(NAMES)}
