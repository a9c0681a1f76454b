"""Units of measure: how they are written, and which one a text names."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

from service.embedded.words.normalise import fold

_LABELS_TOO = "~"


@lru_cache(maxsize=1)
def _units() -> dict[str, str]:
    """Written form (folded) → unit as the packaged list has it, with its mark."""
    text = files("service.embedded").joinpath("data/units.txt").read_text(encoding="utf-8")
    lines = [line.partition("|") for line in text.splitlines() if line and not line.startswith("#")]
    return {fold(form): unit.strip() for unit, _, forms in lines for form in forms.split()}


@lru_cache(maxsize=20000)
def unit_of(word: str) -> str:
    """The unit that a word is, or nothing."""
    return _listed(word).removeprefix(_LABELS_TOO)


def only_measures(word: str) -> bool:
    """Whether a word is a unit that labels hardly ever name: `kg`, and not `hours`."""
    listed = _listed(word)
    return bool(listed) and not listed.startswith(_LABELS_TOO)


def _listed(word: str) -> str:
    folded = fold(word)
    return _units().get(folded.strip("()[],;:")) or _units().get(folded.strip("()[].,;:"), "")


def unit_behind(text: str) -> str:
    """The unit that a text begins with, as what stands behind a number: `kg netto`, `°C`; nothing if none."""
    found = re.match(r"\s*([^\W\d_]{1,12}[²³23]?(?![\w²³])|°[CF](?!\w)|%)", text)
    return unit_of(found[1]) if found else ""


def named_unit(name: str) -> str:
    """The unit that the words of a field's name end with, or have among them: `weight kg`, `hours per week`."""
    words = name.split()
    if len(words) < 2:
        return ""
    return unit_of(words[-1]) or next((unit for word in words if len(word) > 1 and (unit := unit_of(word))), "")
