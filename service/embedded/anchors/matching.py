"""Where a document prints the labels of what is asked for, and of everything else it commonly has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from service.embedded.anchors.hits import Hit, first_word, is_prose, labelness
from service.embedded.anchors.quotes import quote_hit, stacked_quote
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Layout, Segment, Token
from service.embedded.words.labels import (
    Part,
    Phrase,
    concepts,
    contain,
    is_unspaced,
    read_word,
    read_words,
    similarity,
    stem_of,
)
from service.embedded.words.normalise import squash

MAX_LABEL_WORDS = 7
MIN_STRENGTH = 0.5
_LEADING_WORDS = 5
"""Words that say nothing before a label at most: `Do you have any …`."""
ADDRESSED = frozenset({"an", "aan", "a"})
"""Short words that end a heading over who is addressed: `Rechnung an`."""
FAMILIES = (
    frozenset({"amount_due", "total_gross"}),
    frozenset({"start_date", "end_date", "period_text", "term"}),
    frozenset({"tax_rate", "total_tax"}),
    frozenset({"pay_terms", "term"}),
)
"""Concepts that documents print under one label."""


class Labels:
    """All labels of a document: for each ask, and for each concept of the lexicon."""

    def __init__(self, layout: Layout, asks: Sequence[Ask], columns: Sequence[Ask] = ()) -> None:
        self._layout = layout
        self._asks = (*asks, *columns)
        self._columns = {ask.path for ask in columns}
        self._owners: dict[str, list[tuple[str, Phrase, float]]] = defaultdict(list)
        for ask in self._asks:
            for phrase, w in ask.phrases:
                self._own(ask.path, phrase, w)
        for concept in concepts().values():
            for phrase, w in concept.labels:
                self._own("concept:" + concept.name, phrase, w)
        self._unspaced = [word for word in self._owners if is_unspaced(word)]
        self._kin: dict[str, set[str]] = defaultdict(set)
        """The first letters of a word that is asked for → such words."""
        for word in self._owners:
            if stem := stem_of(word):
                self._kin[stem].add(word)
        self._known: dict[tuple[Part, ...], dict[str, float]] = {}
        self._hits: dict[str, list[Hit]] = defaultdict(list)
        self._by_segment: dict[int, list[tuple[str, Hit]]] = defaultdict(list)
        self._by_word: dict[tuple[int, int], list[tuple[str, Hit]]] = defaultdict(list)
        """Index of a segment and position of a word → the labels of single values that have it."""
        self._headers: dict[int, list[tuple[str, Hit]]] = defaultdict(list)
        for segment in layout.segments:
            self._scan(segment)
        self._scan_quotes()
        self._settle()

    def of(self, ask: Ask) -> list[Hit]:
        """The labels of an ask, strongest first."""
        return self._hits.get(ask.path, [])

    def of_concept(self, name: str) -> list[Hit]:
        """The labels of a concept, strongest first."""
        return self._hits.get("concept:" + name, [])

    def in_segment(self, segment: Segment) -> list[tuple[str, Hit]]:
        """All labels of single values in a segment, with their owners (a path, or `concept:name`)."""
        return self._by_segment.get(segment.index, [])

    def sharing(self, hit: Hit) -> list[tuple[str, Hit]]:
        """The labels of single values that share a word with one, once a word."""
        return [found for word in hit.words for found in self._by_word[word]]

    def headers_in(self, segment: Segment) -> list[tuple[str, Hit]]:
        """All headers of columns in a segment, with their paths."""
        return self._headers.get(segment.index, [])

    def label_like(self, segment: Segment, *, strength: float = 0.75) -> bool:
        """Whether most of a segment is a label of something."""
        half, first = len(segment.tokens) / 2, first_word(segment)
        return any(
            hit.strength >= strength and hit.start <= first and hit.end - hit.start >= half
            for _, hit in self.in_segment(segment)
        )

    def _own(self, owner: str, phrase: Phrase, w: float) -> None:
        for word in phrase:
            self._owners[word].append((owner, phrase, w))

    def _scan(self, segment: Segment) -> None:
        parts = read_words([t.text for t in segment.tokens])
        if 1 < len(parts) <= 3 and squash(segment.tokens[-1].text) in ADDRESSED:
            parts[-1] = (("recipient",),)
        wanted = [any(self._relevant(p) for p in ps) for ps in parts]
        prose = is_prose(segment)
        best: dict[str, list[Hit]] = defaultdict(list)
        for start, ok in enumerate(wanted):
            if not ok:
                continue
            collected: tuple[Part, ...] = ()
            for end in range(start + 1, min(len(parts), start + MAX_LABEL_WORDS) + 1):
                collected += parts[end - 1]
                if wanted[end - 1] and not (end - start == 1 and _too_short(segment.tokens[start].text)):
                    quality = _quality(segment, start, end, prose=prose)
                    for owner, sim in self._similar(collected).items():
                        if sim * quality >= MIN_STRENGTH:
                            best[owner].append(Hit(segment, start, end, sim * quality))
                if segment.tokens[end - 1].text.endswith((":", "：")):
                    break
        for owner, hits in best.items():
            self._keep(owner, [_to_colon(hit, parts) for hit in hits])

    def _relevant(self, part: Part) -> bool:
        if any(c in self._owners or stem_of(c) in self._kin for c in part):
            return True
        if is_unspaced(part[0]):
            return any(contain(part[0], word) for word in self._unspaced)
        return self._layout.scanned and len(part[0]) >= 6 and not part[0].isdigit() and part[0].isalpha()

    def _keep(self, owner: str, hits: list[Hit]) -> None:
        is_column, taken = owner in self._columns, set[tuple[int, int]]()
        for hit in sorted(hits, key=lambda h: (-h.strength, h.end - h.start)):
            if not taken.isdisjoint(hit.words):
                continue
            taken.update(hit.words)
            self._hits[owner].append(hit)
            (self._headers if is_column else self._by_segment)[hit.segment.index].append((owner, hit))
            for word in () if is_column else hit.words:
                self._by_word[word].append((owner, hit))

    def _similar(self, parts: tuple[Part, ...]) -> dict[str, float]:
        known = self._known.get(parts)
        if known is not None:
            return known
        found: dict[str, float] = {}
        seen: set[tuple[str, Phrase]] = set()
        words = {c for part in parts for c in part}
        kin = {v for w in words for v in self._kin.get(stem_of(w), ())}
        for word in words | kin | self._parts_of(words) | (self._near(words) if self._layout.scanned else set()):
            for owner, phrase, w in self._owners.get(word, ()):
                if (owner, phrase) in seen:
                    continue
                seen.add((owner, phrase))
                score = w * similarity(phrase, parts)
                if score > found.get(owner, MIN_STRENGTH):
                    found[owner] = score
        self._known[parts] = found
        return found

    def _parts_of(self, words: set[str]) -> set[str]:
        """Vocabulary words that one without spaces is a part of, or has as a part."""
        return {v for w in words if is_unspaced(w) for v in self._unspaced if contain(w, v)}

    def _near(self, words: set[str]) -> set[str]:
        """Vocabulary words a misread word is close to."""
        odd = [w for w in words if len(w) >= 6 and w not in self._owners and w.isalpha()]
        return {v for w in odd for v in self._owners if len(v) >= 5 and fuzz.ratio(w, v) >= 84}

    def _scan_quotes(self) -> None:
        """Labels that a description quotes, found letter by letter, over several words and lines."""
        for ask in self._asks:
            for quote in ask.quotes:
                hits = [h for s in self._layout.segments if (h := quote_hit(s, quote)) is not None]
                hits = hits or [
                    h for s in self._layout.segments if (h := stacked_quote(self._layout, s, quote)) is not None
                ]
                best = max((h.strength for h in hits), default=0.0)
                if best:
                    self._hits[ask.path] = []
                    self._keep(ask.path, [h for h in hits if h.strength >= best - 0.05])

    def _settle(self) -> None:
        """Weaken a label that says something else better, and sort; headers of columns keep their strength."""
        singles = [ask for ask in self._asks if ask.path not in self._columns]
        concepts_of = {ask.path: _own_concepts(ask) for ask in singles}
        for ask in singles:
            numbered = ask.printed_number
            settled: list[Hit] = []
            for hit in self._hits.get(ask.path, []):
                rival = self._rival(ask.path, hit, concepts_of[ask.path])
                factor = 1.0 if rival <= hit.strength + 0.04 else max(0.3, 1.0 - 3.0 * (rival - hit.strength))
                if numbered and _follows_number(self._layout, hit, numbered):
                    factor *= 1.2
                settled.append(replace(hit, strength=hit.strength * factor))
            self._hits[ask.path] = sorted(settled, key=lambda h: -h.strength)
        for name in [n for n in self._hits if n.startswith("concept:")]:
            self._hits[name].sort(key=lambda h: -h.strength)

    def _rival(self, owner: str, hit: Hit, own: set[str]) -> float:
        """How well something else that is not asked for reads on the same words."""
        rivals = [
            o for name, o in self.sharing(hit)
            if name != owner and name not in own
            and not (o.end - o.start < hit.end - hit.start and o.strength < 1.05 * hit.strength)
        ]  # fmt: skip
        return max(
            (max(o.strength, hit.strength + 0.25) if _covers(o, hit) else o.strength for o in rivals), default=0.0
        )


def _to_colon(hit: Hit, parts: Sequence[tuple[Part, ...]]) -> Hit:
    """A label with the little words that stand between it and its colon: `Authorised by:`."""
    tokens = hit.segment.tokens
    for end in range(hit.end, min(len(tokens), hit.end + 3)):
        if hit.colon or parts[end]:
            break
        if tokens[end].text.endswith((":", "：")) and any(c.isalpha() for c in tokens[end].text):
            return replace(hit, end=end + 1)
    return hit


def _own_concepts(ask: Ask) -> set[str]:
    names = {"concept:" + name for name, _ in ask.concepts}
    for family in FAMILIES:
        if ask.concept in family:
            names |= {"concept:" + name for name in family}
    return names


def _quality(segment: Segment, start: int, end: int, *, prose: bool) -> float:
    """How much words at that place look like a label by their surroundings."""
    tokens = segment.tokens
    last = tokens[end - 1].text
    colon = last.endswith((":", "：", "?")) or (end < len(tokens) and tokens[end].text in (":", "：", ":-"))
    before = tokens[start - 1].text if start else ""
    opens = (
        1.0
        if not start
        or _is_asked(segment, start)
        or before.endswith((":", ".", ")", "|"))
        or any(c.isdigit() for c in before)
        else 0.8
    )
    if end == len(tokens) or colon:
        closes = 1.0
    else:
        following = tokens[end].text
        value_like = any(c.isdigit() for c in following) or following[:1] in "(€$£#-"
        closes = 0.97 if value_like else 0.62 if labelness(tokens[end : end + 1]) else 0.85
    if prose and not colon:
        closes *= 0.6
    if (
        not colon
        and _excluded_after(tokens, end)
        and not any("without" in p for t in tokens[start:end] for p in read_word(t.text))
    ):
        closes *= 0.55
    return opens * closes


def _is_asked(segment: Segment, start: int) -> bool:
    """Whether only words that say nothing stand before a word of a question: `Who is your …?`."""
    if start > _LEADING_WORDS or not any(t.text.endswith("?") for t in segment.tokens):
        return False
    return not any(read_word(t.text) for t in segment.tokens[:start])


def _too_short(text: str) -> bool:
    """Whether a word alone is too short to be a label: it would need a colon."""
    return len(text) == 1 and text != "#"


def _follows_number(layout: Layout, hit: Hit, number: str) -> bool:
    """Whether the label's segment, or the one before it, starts with the number of the field on the form."""
    if squash(hit.segment.tokens[0].text) == number:
        return True
    before = [s for s in layout.lines[hit.segment.line].segments if s.index == hit.segment.index - 1]
    return bool(before) and squash(before[0].text) == number


def _covers(longer: Hit, hit: Hit) -> bool:
    """Whether a label is but a part of a longer one that reads about as well."""
    wider = longer.start <= hit.start and hit.end <= longer.end and longer.end - longer.start > hit.end - hit.start
    return wider and longer.strength >= max(0.9, 0.9 * hit.strength)


def _excluded_after(tokens: Sequence[Token], end: int) -> bool:
    """Whether the words up to the next value or colon say `without`: the label means the opposite of its start."""
    for token in tokens[end : end + 4]:
        if any("without" in part for part in read_word(token.text)):
            return True
        if token.text.endswith(":") or any(c.isdigit() for c in token.text):
            return False
    return False
