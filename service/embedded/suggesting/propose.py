"""Proposes a schema for documents nobody described yet: what the model finds in them when it is asked for everything.

A property is worth proposing when asking for it gives an answer; so the model itself is asked, and what is proposed is
found again by the very words it is described with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.domain.geometry import quad_box
from service.domain.pages import PageText
from service.domain.records import Extraction, FieldEntry, Json, JsonObject, Location
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from service.embedded.page.layout import Layout
from service.embedded.page.lines import build_layout
from service.embedded.page.spans import Spans
from service.embedded.suggesting.propose_labels import Pair, labelled_values
from service.embedded.suggesting.propose_tables import possible_columns, table_name
from service.embedded.suggesting.wishes import Wishes, read_wishes
from service.embedded.words.catalogue import Entry, property_name, property_source, singles, table_columns

MOST_FIELDS = 15
MOST_OF_LITTLE = 12
"""Fields of a document with few words, such as a receipt; columns count too."""
FEW_WORDS = 150
LEAST_COLUMNS = 4
"""Columns that a table keeps, however many other fields there are."""
LEAST_SINGLES = 11
"""Fields outside the table that are proposed before more columns than these."""
MOST_ON_A_FORM = 40
_FORM = 3
"""Times as many labels that the lexicon does not know as ones that it knows make a document a form."""
_FIRST = 32
"""The first of the catalogue are asked for first."""
_CORE = 20
"""The first of the catalogue are proposed on weaker evidence."""
_SURE, _CORE_SURE = 0.6, 0.2
"""Probabilities from which a property is proposed."""
_FILLED = 0.34
"""Share of the rows in which a column must stand."""
_NEVER_LEFT_OUT = 100.0
_TABLE = "lines"
_TELLING = ("description", "amount", "debit", "credit", "balance", "quantity", "unit_price", "date")
"""Columns that go before others, the most telling first."""
_GUESSED = frozenset({"seller_name", "seller_address", "buyer_name", "buyer_address"})
_TOLD = 0.7
"""Probability from which a name or address was told by a label."""
_CONTRACT = frozenset({"effective_date", "party", "jurisdiction", "term"})
_STATEMENT = frozenset({"opening_balance", "closing_balance", "account_holder"})
_PRICED = 0.9
"""Probability of a total from which a document is no contract."""
_FAMILY = 2
"""Members of a family from which a document is a contract."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """A property for one document, and how much speaks for it."""

    name: str
    source: JsonObject
    place: float
    """The higher, the earlier it stands."""
    worth: float
    """The higher, the later it is left out where there are too many."""


@dataclass(frozen=True, slots=True)
class _Proposal:
    """What is proposed for one document."""

    offers: Mapping[str, _Offer]
    """By name, those included that will be too many."""
    most: int
    """How many of them are kept, columns counted."""


def propose_schema(documents: Sequence[Sequence[PageText]], instruction: str = "") -> tuple[str, JsonObject]:
    """A schema that fits some documents of one kind: properties that are scalars, lists of scalars, or one table.

    Args:
        documents: the pages of each, in order; one or more.
        instruction: which fields are wanted, in words; may be empty.

    Returns:
        A name for it and the JSON Schema; properties that most of the documents have. Never without a property.
    """
    wishes = read_wishes(instruction)
    proposals = [_propose(pages, wishes) for pages in documents]
    seen = Counter(name for proposal in proposals for name in proposal.offers)
    shared = {
        name: [p.offers[name] for p in proposals if name in p.offers]
        for name, times in seen.items()
        if 2 * times >= len(documents)
    }
    sources = {name: _widest([offer.source for offer in offers]) for name, offers in shared.items()}
    most = max(p.most for p in proposals) - sum(len(_columns_of(source)) for source in sources.values())
    tables = [name for name in sources if _columns_of(sources[name])]
    rest = sorted((n for n in sources if n not in tables), key=lambda n: -sum(o.worth for o in shared[n]))
    kept = {*tables, *rest[: max(most, len(wishes.known) + len(wishes.others))]}
    ordered = sorted(kept, key=lambda n: (-max(o.place for o in shared[n]), n))
    properties: JsonObject = {name: sources[name] for name in ordered}
    if not properties:
        properties = {"title": property_source("text", "Title of the document")}
    return "document_schema", {"type": "object", "properties": properties}


def _widest(sources: Sequence[JsonObject]) -> JsonObject:
    """One property as several documents have it: the columns of all, or the text that takes in either type."""
    first = sources[0]
    if first["type"] == "array":
        columns: JsonObject = {}
        for source in sources:
            columns |= {k: v for k, v in _columns_of(source).items() if k not in columns}
        items: JsonObject = {"type": "object", "properties": columns}
        return {**first, "items": items} if columns else first
    same = all(s["type"] == first["type"] and s.get("format") == first.get("format") for s in sources)
    return first if same else {"type": "string", "description": first["description"]}


def _columns_of(source: JsonObject) -> JsonObject:
    items = source.get("items")
    properties = items.get("properties") if isinstance(items, dict) else None
    return properties if isinstance(properties, dict) else {}


def _propose(pages: Sequence[PageText], wishes: Wishes) -> _Proposal:
    """What is proposed for one document."""
    model, layout = EmbeddedModel(), build_layout(pages)
    wished = {offer.name: offer for offer in _wished(wishes)}
    if wishes.only:
        return _Proposal(wished, len(wished))
    asked = [entry for entry in singles() if entry.name not in wished]
    found = _ask_for_all(model, asked, pages)
    printed = tuple(labelled_values(layout, Spans(layout)))
    known = _without_repeats(_without_guesses(_worth_asking(asked, found), found, printed), found)
    pairs = [
        p for p in _unknown_labels(printed, known, found) if p[0] not in wished.keys() | {e.name for e in singles()}
    ]
    most = _most_fields(layout, len(pairs), len(known))
    table = _table(model, layout, pages, max(LEAST_COLUMNS, most - min(LEAST_SINGLES, len(known))))
    offers = [
        *(_Offer(e.name, e.source, 1.0 + _rank(e), _worth(e, _first(found, e.name))) for e in known),
        *(_Offer(name, source, 1.0 - n / 100, -n / 100) for n, (name, source) in enumerate(pairs)),
        *table,
    ]
    return _Proposal({offer.name: offer for offer in offers} | wished, most + len(wished))


def _wished(wishes: Wishes) -> Iterator[_Offer]:
    """The fields that the caller names, before all others."""
    for place, entry in enumerate(wishes.known):
        yield _Offer(entry.name, entry.source, 3.0 - place / 100, _NEVER_LEFT_OUT)
    for place, text in enumerate(wishes.others):
        source = property_source("text", text[:1].upper() + text[1:])
        yield _Offer(property_name(text), source, 2.5 - place / 100, _NEVER_LEFT_OUT)


def _ask_for_all(model: EmbeddedModel, asked: Sequence[Entry], pages: Sequence[PageText]) -> Mapping[str, FieldEntry]:
    """What each property finds; the most wanted do not lose their values to others that are labelled alike."""
    core: JsonObject = {entry.name: entry.source for entry in asked if entry.rank < _FIRST}
    first = _extract(model, core, pages).fields if core else {}
    held: JsonObject = {name: source for name, source in core.items() if _has_value(first, name)}
    later: JsonObject = {entry.name: entry.source for entry in asked if entry.rank >= _FIRST}
    return {**_extract(model, held | later, pages).fields, **first} if later else first


def _has_value(found: Mapping[str, FieldEntry], name: str) -> bool:
    first = _first(found, name)
    return first is not None and first.value is not None


def _most_fields(layout: Layout, unknown: int, known: int) -> int:
    if unknown >= _FORM * max(4, known):
        return MOST_ON_A_FORM
    return MOST_OF_LITTLE if sum(len(s.tokens) for s in layout.segments) < FEW_WORDS else MOST_FIELDS


def _worth_asking(asked: Sequence[Entry], found: Mapping[str, FieldEntry]) -> list[Entry]:
    """The properties that gave an answer, without those of a kind of document that this is not."""
    worth = {e.concept: e for e in asked if _worth(e, _first(found, e.name)) > 0}
    total = found.get("/total")
    priced = total is not None and (total.probability or 0.0) >= _PRICED
    if priced or len(_CONTRACT & worth.keys()) < _FAMILY:
        worth = {c: e for c, e in worth.items() if c not in _CONTRACT}
    if not {"opening_balance", "closing_balance"} <= worth.keys():
        worth = {c: e for c, e in worth.items() if c not in _STATEMENT}
    return list(worth.values())


def _extract(model: EmbeddedModel, properties: JsonObject, pages: Sequence[PageText]) -> Extraction:
    return model.extract(parse_schema({"type": "object", "properties": properties}), pages)


def _rank(entry: Entry) -> float:
    return 1.0 - entry.rank / len(singles())


def _first(found: Mapping[str, FieldEntry], name: str) -> FieldEntry | None:
    """The entry of a property, or of its first value."""
    return found.get(f"/{name}") or found.get(f"/{name}/0")


def _worth(entry: Entry, found: FieldEntry | None) -> float:
    """How much speaks for proposing a property; 0: nothing."""
    if found is None or found.value is None:
        return 0.0
    sure = found.probability or 0.0
    least = _CORE_SURE if entry.rank < _CORE else _SURE
    return sure + 2 * _rank(entry) if sure >= least else 0.0


def _without_repeats(entries: Sequence[Entry], found: Mapping[str, FieldEntry]) -> list[Entry]:
    """Of properties that give one printed place, the most wanted, what was guessed last; in the catalogue's order."""
    kept: list[Entry] = []
    places: list[Location] = []
    for entry in sorted(entries, key=lambda e: (_is_guess(e, found), e.rank)):
        first = _first(found, entry.name)
        place = first.location if first is not None else None
        if place is not None and entry.source.get("format") != "date" and any(_same(place, p) for p in places):
            continue
        kept.append(entry)
        places.extend([place] if place is not None else [])
    return sorted(kept, key=lambda e: e.rank)


def _is_guess(entry: Entry, found: Mapping[str, FieldEntry]) -> bool:
    """Whether it is a name or address that no clear label told."""
    return entry.concept in _GUESSED and _sure(found, entry.name) < _TOLD


def _sure(found: Mapping[str, FieldEntry], name: str) -> float:
    first = _first(found, name)
    return (first.probability or 0.0) if first is not None and first.value is not None else 0.0


def _same(a: Location, b: Location) -> bool:
    return a.page == b.page and quad_box(a.coordinates).overlap(quad_box(b.coordinates)) > 0.5


def _without_guesses(entries: Sequence[Entry], found: Mapping[str, FieldEntry], printed: Sequence[Pair]) -> list[Entry]:
    """Without names and addresses that no label told, where a label tells that they are something else."""
    labelled = {corner for pair in printed for corner in _corners(pair)}
    return [
        entry for entry in entries
        if not (_is_guess(entry, found) or _holds_label(entry, found, printed))
        or labelled.isdisjoint(_places(_first(found, entry.name)))
    ]  # fmt: skip


def _holds_label(entry: Entry, found: Mapping[str, FieldEntry], printed: Sequence[Pair]) -> bool:
    """Whether a name or address was taken together with the label of something else."""
    first = _first(found, entry.name)
    text = str(first.value) if first is not None else ""
    return entry.concept in _GUESSED and any(text.startswith(f"{pair.label}:") for pair in printed)


def _unknown_labels(
    printed: Sequence[Pair], known: Sequence[Entry], found: Mapping[str, FieldEntry]
) -> Iterator[tuple[str, JsonObject]]:
    """Labelled values that no property of the lexicon gives, as properties."""
    taken = {corner for entry in known for corner in _places(_first(found, entry.name))}
    names: set[str] = set()
    for pair in printed:
        name = property_name(pair.label)
        if name and name not in names and taken.isdisjoint(_corners(pair)):
            names.add(name)
            yield name, property_source(pair.kind, f'Value beside the label "{pair.label}"')


def _corners(pair: Pair) -> set[tuple[int, float, float]]:
    """Page and upper left corner of each word of a value, rounded so that they can be compared."""
    return {(t.page, round(t.boxes[0].x0, 3), round(t.boxes[0].y0, 3)) for t in pair.value}


def _places(found: FieldEntry | None) -> set[tuple[int, float, float]]:
    """As `_corners`, of what a property gives."""
    if found is None or found.location is None:
        return set()
    boxes = [quad_box(quad) for quad in found.location.word_coordinates]
    return {(found.location.page, round(box.x0, 3), round(box.y0, 3)) for box in boxes}


def _table(model: EmbeddedModel, layout: Layout, pages: Sequence[PageText], most: int) -> Iterator[_Offer]:
    """The table, of at most so many columns, that gives the most cells."""
    best: tuple[float, JsonObject] = (0.0, {})
    for columns in possible_columns(layout):
        properties = columns.properties
        filled, rows = _filled(model, properties, pages)
        kept = _kept_columns({n: s for n, s in properties.items() if filled[n] >= max(1.0, _FILLED * rows)}, most)
        if len(kept) < 2:
            continue
        if len(kept) < len(properties):
            filled, rows = _filled(model, kept, pages)
        worth = float(sum(filled.values())) * (1.0 if columns.headed else 0.8)
        if worth > best[0]:
            best = (worth, kept)
    if best[1]:
        source: JsonObject = {
            "type": "array",
            "description": "The rows of the table in printed order, without totals.",
            "items": {"type": "object", "properties": best[1]},
        }
        yield _Offer(table_name(list(best[1])), source, -_NEVER_LEFT_OUT, _NEVER_LEFT_OUT)


def _kept_columns(properties: JsonObject, most: int) -> JsonObject:
    """The most telling columns, those that the lexicon does not know behind the others; in printed order."""
    others = [entry.name for entry in table_columns() if entry.name not in _TELLING]
    order = {name: rank for rank, name in enumerate([*_TELLING, *others])}
    kept = sorted(properties, key=lambda name: order.get(name, len(order)))[:most]
    return {name: source for name, source in properties.items() if name in kept}


def _filled(model: EmbeddedModel, properties: JsonObject, pages: Sequence[PageText]) -> tuple[Counter[str], int]:
    """In how many rows each column has a value, and how many rows there are."""
    table: JsonObject = {"type": "array", "items": {"type": "object", "properties": properties}}
    rows: Json = _extract(model, {_TABLE: table}, pages).values[_TABLE]
    cells = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return Counter(name for row in cells for name, value in row.items() if value is not None), len(cells)
