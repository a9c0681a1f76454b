"""What printed words mean as labels: canonical words over languages, compounds taken apart, similarity of phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from rapidfuzz import fuzz

from service.embedded.words.lists import word_list
from service.embedded.words.normalise import fold
from service.embedded.words.units import only_measures

Part = tuple[str, ...]
"""One word of a label as the canonical words it may stand for."""
Phrase = frozenset[str]

STOPWORDS = word_list("stop_words")
GENERIC = {
    "number": 0.55,
    "name": 0.5,
    "amount": 0.55,
    "date": 0.65,
    "total": 0.8,
    "company": 0.7,
    "description": 0.8,
    "start": 0.7,
    "end": 0.7,
    "period": 0.8,
}
LINKS = ("", "s", "n", "en", "e", "er", "es", "-", "ung", "ungs")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FIRST_UNSPACED = "\u3040"
_NOTED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)[(（][^()（）]*[)）][:：]?")
_LEAST_SIGNS = 2
_STEM = 5
_SPELT = 84
"""Likeness (0-100) from which two words are one that was misspelt or misread."""
_SHARED = 0.7
"""Share of the longer of two kindred words that both begin with."""
_KIN = 0.85
"""What a kindred word says of one."""
_UNIT = 0.2
_CONTAINED = 0.6
"""What a part of a word without spaces says of the whole, before its length counts."""


@lru_cache(maxsize=1)
def surfaces() -> dict[str, Part]:
    """Printed word (folded, letters and digits) → canonical words, from the packaged list."""
    found: dict[str, list[str]] = {}
    text = files("service.embedded").joinpath("data/words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        canonical, _, forms = line.partition(":")
        for form in (canonical, *forms.split(",")):
            key = _key(form)
            if key and canonical not in found.setdefault(key, []):
                found[key].append(canonical)
    return {key: tuple(names) for key, names in found.items()}


def _key(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum() or c in "#№")


@lru_cache(maxsize=20000)
def read_word(word: str) -> tuple[Part, ...]:
    """The parts of one printed word: canonical where known, itself where not; nothing for a stop word."""
    if re.fullmatch(r"\(\d+\)", word):
        return ()
    if noted := _NOTED.fullmatch(word):  # `消費税(10%)`, where other scripts have a space before the bracket
        word = noted[1]
    if word.strip(" :") in ("à", "À"):  # `facturé à`, `livré à`: folded it would be the article of other languages
        return (("recipient", "end"),)
    if re.fullmatch(r"[Nn][°º][.:]?", word):  # without its mark it would be an article
        return (("number",),)
    if "groß" in word.casefold():  # large; folded it would be the total before deductions
        return (("groß",),)
    if re.fullmatch(r"(?:[A-Za-z]\.){2,}:?", word):  # `P.O.`, `F.O.B.`
        return (surfaces().get(_key(word), (_key(word),)),)
    if re.fullmatch(r"(?:[A-Za-z]/){1,2}[A-Za-z][.:]?", word):  # `B/L`, `A/C`
        return (surfaces().get(_key(word), (_key(word),)),)
    pieces = re.split(r"[^\w#№]+|_", fold(word.replace("º", "").replace("°", "")))
    return tuple(part for piece in pieces for part in _read_piece(_key(piece)))


def _read_piece(key: str) -> tuple[Part, ...]:
    known = surfaces().get(key)
    if not key or (key in STOPWORDS and (known is None or len(key) <= 2)):
        return ()
    return _split_compound(key) if known is None else (known,)


def _split_compound(key: str) -> tuple[Part, ...]:
    if len(key) >= (6 if key.isascii() else 4) and not key.isdigit():
        split = _known_parts(key, 3)
        if split:
            return split
    tail = next((key[cut:] for cut in range(3, len(key) - 4) if key[cut:] in surfaces() and len(key) >= 9), None)
    if tail is not None:
        return ((key[: -len(tail)],), surfaces()[tail])
    stem = key[:-1] if len(key) > 4 and key.endswith("s") else key
    return ((stem,),)


def _known_parts(key: str, depth: int) -> tuple[Part, ...]:
    known = surfaces()
    if key in known:
        return (known[key],)
    if depth == 0:
        return ()
    for cut in range(len(key) - 2, 2 if key.isascii() else 1, -1):
        head, rest = key[:cut], key[cut:]
        if head not in known:
            continue
        for link in LINKS:
            if rest.startswith(link) and len(rest) - len(link) >= 2:
                tail = _known_parts(rest[len(link) :], depth - 1)
                if tail:
                    return (known[head], *tail)
    return ()


def read_text(text: str) -> tuple[Part, ...]:
    """The parts of a printed text, in order."""
    return tuple(part for parts in read_words(text.split()) for part in parts)


def read_words(words: Sequence[str]) -> list[tuple[Part, ...]]:
    """The parts of each of several words; a `P.O.` before `Box` is no order."""
    found = [read_word(word) for word in words]
    for index, (word, following) in enumerate(pairwise(words)):
        if re.fullmatch(r"[Pp]\.?[Oo]\.?", word) and fold(following).startswith("box"):
            found[index] = ()
    return found


def split_name(name: str) -> str:
    """A property name as words: `flightFrom`, `flight_from` and `FlightFROM2` come apart."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)", " ", name)
    return re.sub(r"[_\-./]+", " ", spaced).strip()


def canonical(text: str) -> Phrase:
    """A text of the schema as a set of canonical words; the first meaning of each."""
    return frozenset(part[0] for part in read_text(text))


@lru_cache(maxsize=20000)
def weight(word: str) -> float:
    """How much a canonical word tells; a unit of measure is what a number has, and hardly ever its label."""
    return GENERIC.get(word, _UNIT if only_measures(word) else 1.0)


def similarity(phrase: Phrase, parts: Sequence[Part]) -> float:
    """How well a printed label says a phrase, 0–1: shared weight against what either has more."""
    matched: set[str] = set()
    label_total = label_hit = 0.0
    for part in parts:
        hit = next((c for c in part if c in phrase and c not in matched), None)
        if hit is None:
            hit = _close(part[0], phrase, matched)
        if hit is None and any(c in matched for c in part):
            continue
        heavy = weight(hit or part[0])
        label_total += heavy
        if hit is not None:
            matched.add(hit)
            label_hit += heavy * (_covered(part[0], hit) if hit not in part else 1.0)
    if not matched:
        return 0.0
    recall = sum(map(weight, matched)) / sum(map(weight, phrase))
    precision = label_hit / label_total
    return 2 * precision * recall / (precision + recall)


def is_unspaced(word: str) -> bool:
    """Whether a word is written in a script that puts no spaces between words."""
    return word >= _FIRST_UNSPACED and bool(_UNSPACED.match(word))


def contain(word: str, other: str) -> bool:
    """Whether one of two words without spaces in them is a part of the other: `販売先` of `販売先名`."""
    return min(len(word), len(other)) >= _LEAST_SIGNS and (word in other or other in word)


def stem_of(word: str) -> str:
    """The letters that kindred words share at least; nothing for a word that is short or known to the lexicon."""
    return word[:_STEM] if len(word) >= _STEM and word.isalpha() and word not in surfaces() else ""


def are_kin(word: str, other: str) -> bool:
    """Whether two words are forms or compounds of one: `smoke`, `smoker`; not `assignor`, `assignee`."""
    shorter, longer = sorted((len(word), len(other)))
    shared = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), shorter)
    opposed = word.endswith("ee") != other.endswith("ee")
    return not opposed and shared >= _STEM and (shared >= _SHARED * longer or _STEM < shared == shorter)


def _covered(word: str, hit: str) -> float:
    """How much a label says of a word that is not the same, by what they share."""
    if not is_unspaced(word):
        return 1.0 if fuzz.ratio(word, hit) >= _SPELT else _KIN
    return _CONTAINED + (1.0 - _CONTAINED) * min(len(word), len(hit)) / max(len(word), len(hit))


def _close(word: str, phrase: Phrase, matched: set[str]) -> str | None:
    if word >= _FIRST_UNSPACED and is_unspaced(word):  # asked a million times
        found = [c for c in phrase if c not in matched and contain(word, c)]
        return max(found, key=lambda c: (len(c), c), default=None)  # a phrase is a set: its first is another each run
    if len(word) < _STEM:
        return None
    long = [c for c in phrase if len(c) >= _STEM and c not in matched]
    spelt = next((c for c in long if fuzz.ratio(word, c) >= _SPELT), None)
    if spelt is not None or not (stem := stem_of(word)):
        return spelt
    return min((c for c in long if stem_of(c) == stem and are_kin(word, c)), default=None)


@dataclass(frozen=True, slots=True)
class Concept:
    """Something documents often have: the kind of its value and how it is labelled."""

    name: str
    kind: str
    labels: tuple[tuple[Phrase, float], ...]
    cues: tuple[tuple[Phrase, float], ...] = field(default=())
    """Phrases that recognise a field: its labels without the ambiguous ones, and some that are never printed."""


@lru_cache(maxsize=1)
def concepts() -> dict[str, Concept]:
    """All concepts of single values by name, from the packaged list."""
    return _read_concepts("concepts.txt")


@lru_cache(maxsize=1)
def columns() -> dict[str, Concept]:
    """All concepts of table columns by name, from the packaged list."""
    return _read_concepts("columns.txt")


def _read_concepts(file: str) -> dict[str, Concept]:
    found: dict[str, Concept] = {}
    text = files("service.embedded").joinpath(f"data/{file}").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, kind, phrases = (cell.strip() for cell in line.split("|"))
        labels: list[tuple[Phrase, float]] = []
        cues: list[tuple[Phrase, float]] = []
        for rank, phrase in enumerate(p.strip() for p in phrases.split(";")):
            words = frozenset(phrase.strip("~!+").split())
            told = 0.8 if phrase.startswith("~") else 1.0 - 0.004 * rank
            if not phrase.startswith("!"):
                labels.append((words, told))
            if not phrase.startswith("+"):
                cues.append((words, 1.0 if phrase.startswith("!") else told))
        found[name] = Concept(name, kind, tuple(labels), tuple(cues))
    return found
