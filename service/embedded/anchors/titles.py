"""What a line is that is no name: a sentence, running text, the title of a paper."""

from __future__ import annotations

from functools import lru_cache

from service.embedded.words.kinds import flat, kinds
from service.embedded.words.labels import read_text
from service.embedded.words.normalise import word_set


def is_sentence(text: str) -> bool:
    """Whether a text runs in small letters up to a full stop."""
    words = [word for word in text.split() if len(word) >= _LONG_WORD]
    return text.rstrip().endswith(".") and sum(word[0].islower() for word in words) >= _SENTENCE


def runs(text: str) -> bool:
    """Whether a line is running text: many words, most of them in small letters."""
    words = [word for word in text.split() if word[0].isalpha()]
    return len(words) >= _RUNNING and 2 * sum(word[0].islower() for word in words) > len(words)


_RUNNING = 8
"""Words from which a line may be running text."""
_LONG_WORD, _SENTENCE = 4, 3
"""Letters of a longer word, and how many of these in small letters make a sentence."""
_TITLES = word_set(
    "invoice receipt order credit note tax delivery contract document copy original page welcome thank you cash bill "
    "simplified proforma number date"
)


def is_title(text: str) -> bool:
    """Whether a line says nothing but what a paper is, or is what a kind of paper is called."""
    parts = read_text(text)
    return (bool(parts) and all(any(c in _TITLES for c in part) for part in parts)) or is_kind_title(text)


@lru_cache(maxsize=1)
def _kind_titles() -> frozenset[str]:
    """What kinds of papers are called, in many languages; not what shops are called too."""
    found = (title for kind in kinds().values() if kind.name not in _SHOPS_TOO for title in kind.titles)
    return frozenset(title for title in found if len(title) >= _LEAST_TITLE or not title.isascii())


_SHOPS_TOO = frozenset(
    {"menu", "story", "code", "recipe", "article", "newsletter", "directory", "presentation", "memo"}
)
_LEAST_TITLE = 5
"""Letters of a word that names a kind of paper."""
_MOST_TITLE = 6
"""Words of a title that says more than its kind: `Rental agreement for a flat`."""


def is_kind_title(text: str) -> bool:
    """Whether a line begins or ends with what a kind of paper is called."""
    words = flat(text).split()
    if not words or len(words) > _MOST_TITLE:
        return False
    cuts = range(1, len(words) + 1)
    known = _kind_titles()
    return any(" ".join(words[:n]) in known or " ".join(words[-n:]) in known for n in cuts)
