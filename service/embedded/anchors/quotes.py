"""Labels that a description quotes, found letter by letter, over several words and lines."""

from __future__ import annotations

from dataclasses import replace

from rapidfuzz import fuzz

from service.embedded.anchors.hits import Hit
from service.embedded.page.layout import Layout, Segment
from service.embedded.words.normalise import squash

MAX_QUOTE_WORDS = 16


def stacked_quote(layout: Layout, first: Segment, quote: str) -> Hit | None:
    """A label over two lines; the hit is its lower line."""
    start, wanted = squash(first.text), squash(quote)
    if len(start) < 2 or not wanted.startswith(start):
        return None
    for below in layout.below(first, reach=1.2):
        if start + squash(below.text) == wanted:
            return Hit(below, 0, len(below.tokens), 1.1, first)
    return None


def quote_hit(segment: Segment, quote: str) -> Hit | None:
    """The words that say a quoted label best, letter by letter."""
    best: Hit | None = None
    wanted = squash(quote)
    for start in range(len(segment.tokens)):
        joined = ""
        for end in range(start + 1, min(len(segment.tokens), start + MAX_QUOTE_WORDS) + 1):
            joined += squash(segment.tokens[end - 1].text)
            if len(joined) > len(wanted) + 4:
                break
            if not joined or abs(len(joined) - len(wanted)) > max(1, len(wanted) // 5):
                continue
            if joined != wanted and len(wanted) < 5:
                continue
            score = 1.0 if joined == wanted else fuzz.ratio(joined, wanted) / 100
            if score < 0.84 and not _looks_like(joined, wanted):
                continue
            hit = Hit(segment, start, end, 1.15 if score == 1.0 else 1.1 * score)
            hit = replace(hit, strength=hit.strength * _as_quoted(hit, quote))
            if best is None or hit.strength > best.strength:
                best = hit
    return best


_ALIKE = str.maketrans("dq0l15", "oooiis")
"""Signs of small and capital letters that optical reading takes for each other, in folded text."""


_LEAST_ALIKE = 6


def _looks_like(read: str, wanted: str) -> bool:
    """Whether a label may have been misread: signs of like shape apart it is the same."""
    plain = len(wanted) >= _LEAST_ALIKE and not any(map(str.isdigit, wanted))
    return plain and read.translate(_ALIKE) == wanted.translate(_ALIKE)


def _as_quoted(hit: Hit, quote: str) -> float:
    """How much words look like the very label that is quoted: its capitals, its colon, and no more of them around."""
    tokens = hit.segment.tokens
    printed = " ".join(t.text for t in hit.tokens)
    factor = 1.0 if printed.rstrip(" :.") == quote.rstrip(" :.") else 0.98
    if quote.rstrip().endswith(":") != hit.colon:
        factor *= 0.96
    if hit.start:
        after_value = any(c.isdigit() for c in tokens[hit.start - 1].text)
        factor *= 0.97 if hit.colon or after_value else 0.9
    following = tokens[hit.end].text if hit.end < len(tokens) else ""
    word = following.rstrip(":")
    longer = following.endswith(":") or (word.isupper() and printed.isupper())
    goes_on = not hit.colon and len(word) > 1 and word.isalpha() and longer
    return factor * (0.95 if goes_on else 1.0)
