"""Amounts that belong together: net and tax make the total, cash less change is the total, a total is printed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, product

from service.embedded.anchors.hits import Hit
from service.embedded.anchors.places import Evidence, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.price_lines import Ending, PricedLine, priced_lines, summed_list
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Line
from service.embedded.page.spans import Kind, Span

SUM_BONUS = 0.3
CASH_BONUS = 0.3
REPEAT_BONUS = 0.06
LARGEST_BONUS = 0.05
LIST_BONUS = 0.1
PAID_LABEL = 0.9
"""Strength from which a label tells what was paid before."""
NEAR_PLACES = 3
"""Places at a label at which its amount is looked for."""
LIST_SCORE = 0.6
PART_MALUS = 0.25
MOST_ADDED = 5
"""Lines under the sum of a list among which its taxes and the whole are looked for."""
TOTAL_LABELS = ("total_gross", "amount_due", "total_net", "cash")
NO_TAXES = frozenset(f"concept:{name}" for name in ("tip", "rounding", "discount", "shipping_cost", "cash", "change"))
TAX_ROWS = 6
"""Lines above and below in which the rows of other tax rates are looked for."""
_CENT = 0.015


def settle_totals(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """Raise amounts that others confirm."""
    _add_list(evidence, asks, options)
    for ask in asks:
        if ask.is_concept("total_gross", "amount_due") and ask.kind == "money":
            options[ask.path] = _confirmed(evidence, options[ask.path])
    _add_up(evidence, asks, options)
    _take_off_payments(evidence, asks, options)


def _take_off_payments(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """What is due after a payment that the document names is what is left of the total, where that is printed too."""
    paid = paid_before(evidence)
    for ask in asks:
        found = options[ask.path]
        if not paid or not found or not ask.is_concept("amount_due") or ask.kind != "money":
            continue
        wholes = {_amount(c) for c in found} | printed_totals(evidence)
        rest = next((c for c in found if c.label is not None and _is_left(_amount(c), paid, wholes)), None)
        if rest is not None and rest is not found[0]:
            first = replace(_raised(rest, 0.0), score=found[0].score + LARGEST_BONUS)
            options[ask.path] = [first, *(c for c in found if c is not rest)]


def paid_before(evidence: Evidence) -> set[float]:
    """The amounts at labels of payments, beside them or under them."""
    hits = [hit for hit in evidence.labels.of_concept("prepaid_amount") if hit.strength >= PAID_LABEL]
    found = (_first_amount(evidence, hit) for hit in hits)
    return {_value(span) for span in found if span is not None} - {0.0}


def _first_amount(evidence: Evidence, hit: Hit) -> Span | None:
    """The amount beside a label or, where none is, under it."""
    numbers = (
        span
        for place in islice(places(evidence, hit), NEAR_PLACES)
        for span in evidence.spans.inside(place.segment, Kind.NUMBER)
        if span.start >= place.start and span.decimals == 2
    )
    return next(numbers, None)


def _is_left(amount: float, paid: set[float], wholes: set[float]) -> bool:
    """Whether an amount and a payment, which it is not itself, come to a total."""
    return (
        abs(amount) > _CENT
        and amount not in paid
        and any(abs(amount + p - whole) < _CENT for p in paid for whole in wholes)
    )


def _add_list(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """What the prices of a list come to is its total before tax, and with what stands under it the total to pay."""
    lines = priced_lines(evidence)
    found = summed_list(lines)
    first = found.total if found else next((line for line in lines if line.totals), None)
    if first is None:
        return
    under = lines[lines.index(first) + 1 :][:MOST_ADDED]
    whole = _whole_under(first, under, listed=found is not None)
    roles = {"total_net": found.total if found else None, "total_tax": _tax_between(evidence, first, under)}
    roles |= dict.fromkeys(("total_gross", "amount_due"), whole)
    for ask in (a for a in asks if a.kind == "money"):
        told = roles.get(ask.concept)
        if told is not None:
            options[ask.path] = _with_sum(options[ask.path], told.price)


def _tax_between(evidence: Evidence, first: PricedLine, under: Sequence[PricedLine]) -> PricedLine | None:
    """The one amount between a sum and the whole, unless it is labelled as something else than a tax."""
    if len(under) < 2 or under[0].amount <= 0 or abs(first.amount + under[0].amount - under[1].amount) > _CENT:
        return None
    told = {
        owner for s in under[0].line.segments for owner, hit in evidence.labels.in_segment(s) if hit.strength >= 0.6
    }
    return None if told & NO_TAXES else under[0]


def _whole_under(first: PricedLine, under: Sequence[PricedLine], *, listed: bool) -> PricedLine | None:
    """The last total that a sum leads to; each is the one before with the amounts between, as of taxes or a rounding.

    The sum of a list itself where nothing else is a total; nothing where another total cannot be explained.
    """
    level, came, last, steps = first, first.amount, 0.0, 0
    for line in under:
        adds_up = last and min(abs(line.amount - came), abs(line.amount - level.amount - last)) < _CENT
        if adds_up and (line.totals or (listed and not steps)):
            level, came, last, steps = line, line.amount, 0.0, steps + 1
        else:
            came, last = came + line.amount, line.amount
    sure = [line for line in under if line.totals and line.ending is Ending.SURE]
    other = any(abs(line.amount - first.amount) > _CENT for line in sure)
    return level if steps or (listed and not other) else None


def _with_sum(found: list[Choice], span: Span) -> list[Choice]:
    """Candidates with the one that a list comes to, and a bonus where they had it already."""
    told = [replace(c, score=c.score + LIST_BONUS) if c.value == span.value else c for c in found]
    if all(c.score < LIST_SCORE for c in told if c.value == span.value):
        told.append(Choice(span, span.value, LIST_SCORE, "sum of the list"))
    return sorted(told, key=lambda c: -c.score)


def _confirmed(evidence: Evidence, found: list[Choice]) -> list[Choice]:
    """Totals with a bonus where they are cash less change, or stand beside several labels of totals."""
    paid = _paid(evidence)
    labelled = labelled_amounts(evidence, TOTAL_LABELS)
    confirmed: list[Choice] = []
    labels = [c for c in found if c.label is not None and c.label.strength >= 0.78 and _same_line(c)]
    largest = max((_amount(c) for c in labels), default=0.0)
    for choice in found:
        value = _amount(choice)
        lines = {s.segment.line for s in labelled if s.value == choice.value}
        bonus = REPEAT_BONUS * min(3, max(0, len(lines) - 1))
        if any(abs(value - p) < _CENT for p in paid):
            bonus += CASH_BONUS
        if choice in labels and value == largest > 0:
            bonus += LARGEST_BONUS
        if _is_part(evidence, choice, found):
            bonus -= PART_MALUS
        why = choice.why + " +seen" * (bonus > LARGEST_BONUS)
        confirmed.append(replace(choice, score=choice.score + bonus, why=why))
    if not any(c.score >= 0.5 for c in confirmed):
        again = [s for s in evidence.spans.of(Kind.NUMBER) if any(abs(_value(s) - p) < _CENT for p in paid)]
        confirmed.extend(Choice(s, s.value, 0.6, "cash less change") for s in again[:1])
    return sorted(confirmed, key=lambda c: -c.score)


def _is_part(evidence: Evidence, choice: Choice, found: list[Choice]) -> bool:
    """Whether an amount and those beside it on its line come to another candidate, as net and tax in a table do."""
    line = evidence.layout.lines[choice.span.segment.line]
    amounts = [
        _value(n)
        for segment in line.segments
        for n in evidence.spans.inside(segment, Kind.NUMBER)
        if n.decimals == 2 and not n.percent
    ]
    whole = sum(amounts)
    return 1 < len(amounts) < 4 and all(amounts) and any(abs(_amount(other) - whole) < _CENT for other in found)


def _same_line(choice: Choice) -> bool:
    return choice.label is not None and choice.label.segment.line == choice.span.segment.line


def printed_totals(evidence: Evidence) -> set[float]:
    """The amounts beside labels of totals."""
    return {_value(s) for s in labelled_amounts(evidence, ("total_gross", "amount_due", "total_net"))}


def _paid(evidence: Evidence) -> set[float]:
    """What cash less change comes to, for every printed pair."""
    cash = {_value(s) for s in labelled_amounts(evidence, ("cash",))}
    change = {_value(s) for s in labelled_amounts(evidence, ("change",))}
    return {round(a - b, 2) for a in cash for b in change if a - b > 0}


def labelled_amounts(evidence: Evidence, concepts: Sequence[str]) -> list[Span]:
    """The amounts beside labels of some concepts."""
    found: list[Span] = []
    for name in concepts:
        for hit in evidence.labels.of_concept(name):
            if hit.strength < 0.7:
                continue
            beside = [
                s for place in places(evidence, hit) if not place.below
                for s in evidence.spans.inside(place.segment, Kind.NUMBER)
                if s.start >= place.start and s.decimals == 2
            ]  # fmt: skip
            found.extend(beside[-1:])
    return found


def _add_up(evidence: Evidence, asks: Sequence[Ask], options: dict[str, list[Choice]]) -> None:
    """Net and tax and total that add up raise each other."""
    roles: dict[str, str] = {}
    for ask in asks:
        if ask.kind == "money" and ask.concept in ("total_net", "total_tax", "total_gross", "amount_due"):
            roles.setdefault(ask.concept, ask.path)
    whole = roles.get("total_gross") or roles.get("amount_due")
    net, tax = roles.get("total_net"), roles.get("total_tax")
    if not (whole and net and tax):
        return
    holding = [
        (a.score + b.score + c.score, (a, b, c))
        for a, b, c in product(options[net][:8], options[tax][:8], options[whole][:8])
        if min(a.score, b.score, c.score) >= 0.2 and not (a.span.ids & c.span.ids and a.score < 0.6)
        and abs(_amount(a) + _amount(b) - _amount(c)) < _CENT
    ]  # fmt: skip
    if not holding:
        return
    top = max(score for score, _ in holding)
    # A row for each tax rate adds up as well as the last row does: the whole is the largest.
    three = max((t for score, t in holding if score > top - 0.25), key=lambda t: abs(_amount(t[2])))
    three = _last_row(evidence, three)
    for path, chosen in zip((net, tax, whole), three, strict=True):
        bonus = SUM_BONUS if _amount(three[1]) else 0.1
        rest = [o for o in options[path] if o is not chosen]
        options[path] = sorted([_raised(chosen, bonus), *rest], key=lambda c: -c.score)


_Three = tuple[Choice, Choice, Choice]


def _last_row(evidence: Evidence, three: _Three) -> _Three:
    """Of a table with a row for each tax rate, the row that sums up the others; else the three as they are."""
    line = three[2].span.segment.line
    if any(choice.span.segment.line != line for choice in three):
        return three
    around = evidence.layout.lines[max(0, line - TAX_ROWS) : line + TAX_ROWS + 1]
    rows = [row for near in around if (row := _aligned(evidence, near, three)) is not None]
    for row in rows:
        others = [other for other in rows if other is not row]
        if len(others) > 1 and all(
            abs(_value(row[place]) - sum(_value(other[place]) for other in others)) < _CENT for place in range(3)
        ):
            net, tax, whole = (replace(c, span=s, value=s.value) for c, s in zip(three, row, strict=True))
            return net, tax, whole
    return three


def _aligned(evidence: Evidence, line: Line, three: _Three) -> list[Span] | None:
    """The numbers of a line that end where the three do."""
    found: list[Span] = []
    for choice in three:
        numbers = (
            span
            for segment in line.segments
            for span in evidence.spans.inside(segment, Kind.NUMBER)
            if segment.page == choice.span.page and abs(span.x1 - choice.span.x1) < 1.5 * choice.span.segment.height
        )
        near = min(numbers, key=lambda span: abs(span.x1 - choice.span.x1), default=None)
        if near is None:
            return None
        found.append(near)
    return found


def fall_back_on_total(asks: Sequence[Ask], chosen: dict[str, list[Choice]]) -> None:
    """Without a figure of its own, what is due is the total."""
    total = next((chosen[a.path] for a in asks if a.is_concept("total_gross") and chosen[a.path]), None)
    for ask in asks:
        if ask.is_concept("amount_due") and not chosen[ask.path] and total is not None:
            told = next((mark for mark in (" +sum", " +seen") if total[0].why.endswith(mark)), "")
            chosen[ask.path] = [replace(total[0], why=f"total{told}"), *total[1:]]


def _amount(choice: Choice) -> float:
    return _value(choice.span) if choice.span.kind is Kind.NUMBER else float("nan")


def _value(span: Span) -> float:
    return float(span.value) if isinstance(span.value, (int, float)) else float("nan")


def _raised(choice: Choice, bonus: float) -> Choice:
    return replace(choice, score=choice.score + bonus, why=choice.why + " +sum")
