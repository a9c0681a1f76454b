"""What a field of a schema asks for: concepts, the phrases it may be labelled with, and the kind of value expected."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.schema import FieldType, SchemaField
from service.embedded.words.labels import (
    Concept,
    Part,
    Phrase,
    canonical,
    columns,
    concepts,
    read_text,
    similarity,
    split_name,
    weight,
)
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import fold, parse_currency, squash, word_set
from service.embedded.words.synonyms import APT, reworded

FILLER = word_list("telling_nothing")
EMPTY_NAMES = word_list("empty_name")
GUESSED = 0.6
"""How sure a column's role is that only follows from the other columns of its table."""
CLEAR = 0.75
"""From here on a description tells a concept well enough that its other words are no narrowing."""
BARE = word_set("name date number address person amount total company description time")
"""Words that alone label many things."""
SHAPED = frozenset({"code", "taxid", "address", "place", "phone", "bic"})
"""Kinds of text of a certain shape, which something narrower than their concept need not have."""
NUMERIC = frozenset({"money", "percent", "number"})


@dataclass(frozen=True)
class Ask:
    """One leaf that is asked for.

    `kind` is what shape its value has: `money`, `percent`, `number`, `date`, `time`, `code`, `taxid`, `iban`, `bic`,
    `phone`,
    `email`, `url`, `org`, `person`, `address`, `place`, `period`, `currency`, `enum`, `boolean` or `text`.
    """

    path: str
    field: SchemaField
    kind: str
    concepts: tuple[tuple[str, float], ...]
    """Names of concepts it may be, with how sure, best first."""
    phrases: tuple[tuple[Phrase, float], ...]
    quotes: tuple[str, ...] = ()
    """Label texts quoted in the description, as quoted."""
    printed_number: str = ""
    """The number of its line or box on a form, where the description gives one."""
    day_first: bool | None = None
    plain: bool = True
    """Whether its own words ask for nothing narrower than its concept."""

    @property
    def concept(self) -> str:
        """The likeliest concept, or nothing."""
        return self.concepts[0][0] if self.concepts else ""

    def is_concept(self, *names: str) -> bool:
        """Whether the likeliest concept is one of these."""
        return self.concept in names


def understand(field: SchemaField, path: str, parents: tuple[SchemaField, ...] = (), *, column: bool = False) -> Ask:
    """Read name, title, description, type, format and enum of a leaf (or of an array's scalar items).

    Args:
        parents: the objects around it, outermost first; their names tell whose name or address is meant.
        column: whether it is a column of a table, which has concepts of its own.
    """
    known = columns() if column else concepts()
    description = _without_examples(field.description)
    if field.type is FieldType.STRING:  # of an amount it tells which one, of a text what does not belong to it
        description = re.sub(r",? (?:without|ohne|sans|sin|senza|zonder) [^.;]*", " ", description)
    quotes = tuple(q for q in _quoted(description) if squash(q))
    number = re.match(r"\W*(?:line|box|item|field|zeile|feld|ligne|casella|nr\.?)\s+(\d+[a-z]?)\b", fold(description))
    head = _head(
        re.sub(r"^\s*[A-Z]\w*\s+[IVXLC\d]+[a-z]?\s*[:.]", "", description[number.end() :] if number else description)
    )
    family = " ".join(split_name(p.name) for p in parents)
    name = split_name(field.title or field.name)
    by_whom = field.type is FieldType.STRING and not field.format and _asks_by_whom(name)
    found = () if by_whom else _concepts(known, field, read_text(f"{family} {name}".strip()), head, description)
    wording = _Wording(name, head, family, description)
    phrases = _phrases(known, wording, found)
    foreign = frozenset[str]() if wording.opaque else _special(known, wording.telling, found)[1]
    kind = _kind(known, field, found, quotes, (canonical(name), canonical(head)), narrowed=bool(foreign))
    plain = bool(found) and (wording.opaque or not _special(known, wording.telling, found)[1])
    printed = number[1] if number else ""
    return Ask(path, field, kind, found, phrases, quotes, printed, _day_first(field.description), plain)


def _quoted(text: str) -> list[str]:
    return [
        a or b or c for a, b, c in re.findall(r"\"([^\"]{1,80})\"|“([^”]{1,80})”|(?<!\w)'([^']{2,80})'(?!\w)", text)
    ]


def _asks_by_whom(name: str) -> bool:
    """Whether a field's name asks who did something."""
    said = _BY_WHOM.search(fold(name)) is not None
    return said and (name.endswith(" by") or _TIMES.isdisjoint(canonical(name)))


def _without_examples(text: str) -> str:
    text = re.sub(r"\((?:[^()]*\b(?:for example|e\.g\.|z\.\s?B\.|such as|par exemple|p\. ex\.)[^()]*)\)", " ", text)
    text = re.sub(r",? (?:for example|e\.g\.|such as|z\.\s?B\.|par exemple)\b[^.;]*", " ", text)
    return re.sub(
        r",? (?:not|nicht|never|and not|but not|pas|no) (?:of )?(?:the|a|an|any|der|die|das|le|la|el)\b[^.;]*",
        " ",
        text,
    )


_BY_WHOM = re.compile(r"\b(?!(?:due|payable|valid|expires?) by$)\w+ (?:by|von|durch|par|por|da|door|av|af)$")
"""The name of a field that asks who did something: `booked_by`; `due_by` asks for a day."""
_TIMES = frozenset({"period", "term", "contract", "date"})
"""Canonical words behind which such a word that is not English tells when something begins: `zeitraum_von`."""
_UNIT = re.compile(
    r",? in (?:kwh|mwh|kw|kg|g|t|km|m|cm|mm|m2|m3|m²|m³|l|litres?|°c|°f|percent|%|eur|usd|euros?|dollars?|hours|days|"
    r"pounds?|prozent|stunden|tagen)$",
    re.IGNORECASE,
)


def _head(text: str) -> str:
    """The first clause of a description."""
    clauses = re.split(r"[.;:(]|, (?!order|invoice|state)", text.lstrip(" :.,;–-").rstrip(), maxsplit=2)
    clause = " ".join(clauses[:2]) if canonical(clauses[0]) <= BARE else clauses[0]
    clause = _UNIT.sub("", clause)
    words = [w for w in clause.split() if fold(w).strip(".,") not in FILLER]
    return " ".join(words[:14])


def _day_first(text: str) -> bool | None:
    folded = fold(text)
    if re.search(r"day (?:comes )?(?:before|first)|dd[-/.]mm|tt\.mm", folded):
        return True
    return False if re.search(r"(?<!yyyy[-/.])mm[-/.]dd|month (?:comes )?(?:before|first)", folded) else None


def _fits(concept: Concept, field: SchemaField) -> bool:
    numeric = field.type in (FieldType.NUMBER, FieldType.INTEGER)
    if field.type is FieldType.BOOLEAN:
        return False
    if numeric:
        return concept.kind in NUMERIC
    if field.format == "date":
        return concept.kind == "date"
    if field.format in ("email", "uri", "time"):
        return concept.kind in ("email", "url", "time")
    return True


def _concepts(
    known: dict[str, Concept], field: SchemaField, name: tuple[Part, ...], head: str, description: str
) -> tuple[tuple[str, float], ...]:
    rated: list[tuple[float, float, str]] = []
    said, whole = read_text(head), read_text(description)
    for concept in known.values():
        if not _fits(concept, field):
            continue
        by_name = max((w * similarity(p, name) for p, w in concept.cues), default=0.0)
        by_text = max((w * _told(p, said, whole) for p, w in concept.cues), default=0.0)
        score = max(0.92 * by_name, 0.95 * by_text, 0.55 * by_name + 0.5 * by_text)
        if score >= 0.55:
            rated.append((min(score, 1.0), by_text, concept.name))
    scored = [(score, told) for score, _, told in sorted(rated, key=lambda r: (-r[0], -r[1]))]
    close = [(n, s) for s, n in scored[:3] if s >= max(0.6, scored[0][0] - 0.08)]
    if re.search(r"\b(?:or|oder|ou|o)\b|/", head):
        kind = known[scored[0][1]].kind if scored else ""
        close += [
            (n, 0.95 * scored[0][0]) for _, n in scored if close and known[n].kind == kind and n not in dict(close)
        ]
    return tuple(close[:4])


def _told(phrase: Phrase, head: tuple[Part, ...], whole: tuple[Part, ...]) -> float:
    """How well a description's first clause (or, less, the whole) tells a phrase; longer phrases count more."""
    said = {c for part in head for c in part}
    if not phrase <= said:
        said |= {c for part in whole for c in part}
        if not phrase <= said or len(phrase) < 2:
            return 0.0
        return 0.55 + 0.06 * min(4.0, sum(map(weight, phrase)))
    size = sum(map(weight, phrase))
    return 0.45 * similarity(phrase, head) + 0.55 * min(1.0, 0.45 + 0.22 * size)


@dataclass(frozen=True, slots=True)
class _Wording:
    """The texts a field is described with."""

    name: str
    head: str
    """The first clause of the description."""
    family: str
    """The names of the objects around it."""
    description: str

    @property
    def telling(self) -> tuple[Part, ...]:
        """The words that may narrow what is asked for: those of the name that a description repeats, or all."""
        if self.opaque:
            return read_text(self.head)
        said = {c for part in read_text(self.description) for c in part}
        own = read_text(f"{self.family} {self.name}")
        return tuple(part for part in own if not said.isdisjoint(part)) if said else own

    @property
    def opaque(self) -> bool:
        """Whether the name says nothing."""
        return says_nothing(self.name)


def says_nothing(name: str) -> bool:
    """Whether the name of a field is but a placeholder: `field_3`, `col2`, `x`."""
    return all((len(w) <= 2 and w.isascii()) or w.isdigit() or w in EMPTY_NAMES for w in canonical(split_name(name)))


def _phrases(
    known: dict[str, Concept], wording: _Wording, found: tuple[tuple[str, float], ...]
) -> tuple[tuple[Phrase, float], ...]:
    """The field's own words, and the labels of its concepts, which weigh less where it asks for something narrower."""
    said = canonical(wording.head)
    own = [] if wording.opaque else [canonical(wording.name), canonical(f"{wording.family} {wording.name}")]
    weighed = [(phrase, 1.0) for phrase in own]
    weighed += [(canonical(short), 0.9) for short in _short_forms(wording.description)]
    weighed += [(said, 0.9), (said - {"name", "number", "company", "amount"}, 0.8)]
    if not (owned := said - {"person", "customer"}) <= BARE:  # what is left of "number of the customer" is any number
        weighed.append((owned, 0.85))
    weighed += [(other, APT * w) for phrase, w in weighed for other in reworded(phrase)]
    special, foreign = _special(known, wording.telling, found)
    if wording.opaque and found and found[0][1] >= CLEAR:
        foreign = frozenset[str]()
    for rank, (concept, sure) in enumerate(found):
        for phrase, w in known[concept].labels:
            apt = min(1.0 if not rank else 0.9, 0.15 + sure)
            if special:
                apt = 0.97 if phrase & special else 0.85
            if foreign and not phrase & foreign:
                apt = 0.5 if phrase <= BARE else 0.62
            weighed.append((phrase, apt * w))
    best: dict[Phrase, float] = {}
    for phrase, score in weighed:
        if phrase and score > best.get(phrase, 0.0):
            best[phrase] = score
    return tuple(best.items())


def _short_forms(description: str) -> list[str]:
    """What a description gives in brackets as another name: `(VIN)`, `(B/L number)`; no formats and no currencies."""
    found: list[str] = []
    for text in re.findall(r"\(([^()\d]{2,24})\)", description):
        words = [w for w in text.split() if fold(w).strip(".,-") not in FILLER and parse_currency(w) is None]
        if any(sum(map(str.isupper, w)) > 1 for w in words) and not re.search(r"[YJ]{2,4}\W?M|DD|TT", text):
            found.append(" ".join(words))
    return found


def _special(
    known: dict[str, Concept], own: tuple[Part, ...], found: tuple[tuple[str, float], ...]
) -> tuple[Phrase, Phrase]:
    """The words of a field that its concepts do not tell it by, and of these the ones no label of theirs has."""
    usual = {word for concept, _ in found for cue, _ in known[concept].cues for word in cue}
    labels = {word for concept, _ in found for label, _ in known[concept].labels for word in label}
    special = [p for p in own if weight(p[0]) == 1.0 and len(p[0]) > 2 and usual.isdisjoint(p)]
    foreign = [p for p in special if labels.isdisjoint(p)]
    return frozenset(c for p in special for c in p), frozenset(c for p in foreign for c in p)


_BY_FORMAT = {"date": "date", "date-time": "date", "time": "time", "email": "email", "uri": "url", "url": "url"}
_BY_WORD = (("iban", "iban"), ("email", "email"), ("web", "url"), ("phone", "phone"), ("fax", "phone"),
            ("date", "date"), ("time", "time"), ("currency", "currency"), ("address", "address"),
            ("number", "code"))  # fmt: skip


def _kind(
    known: dict[str, Concept],
    field: SchemaField,
    found: tuple[tuple[str, float], ...],
    quotes: tuple[str, ...],
    words: tuple[Phrase, Phrase],
    *,
    narrowed: bool,
) -> str:
    """The kind of a field's values; `words` are those of its name and of its description."""
    said = words[0] | words[1]
    concept_kind = _kind_of(known[found[0][0]], field) if found else ""
    if field.type is FieldType.BOOLEAN:
        return "boolean"
    if field.enum:
        return "enum"
    if field.format in _BY_FORMAT:
        return _BY_FORMAT[field.format]
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        if field.type is FieldType.INTEGER and concept_kind == "money":  # `number_of_payments` counts them
            return "number"
        if concept_kind:
            return concept_kind
        return "percent" if "percent" in fold(field.description) or "rate" in said else "number"
    if quotes or (concept_kind == "date" and ("name" in said or (narrowed and "date" not in said))):
        return "text"
    if narrowed and concept_kind in SHAPED and "number" not in said:
        concept_kind = ""
    if concept_kind and concept_kind not in NUMERIC and found[0][1] >= (CLEAR if concept_kind == "period" else 0.6):
        return concept_kind
    return next((kind for told in words for word, kind in _BY_WORD if word in told), "text")


def _kind_of(concept: Concept, field: SchemaField) -> str:
    """The kind of a concept's values; the code of a company or a person is no name."""
    coded = concept.kind in ("org", "person") and "code" in canonical(split_name(field.title or field.name))
    return "code" if coded else concept.kind
