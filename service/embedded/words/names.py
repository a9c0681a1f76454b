"""Where a name ends: before the office of a person, and before what is told of a company behind its legal form."""

from __future__ import annotations

import re

from service.embedded.words.lists import cues
from service.embedded.words.normalise import fold

_FORM = (
    r"(?:Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Company|Co|plc|PLC|LLP|GmbH|AG|KG|SE|SARL|S\.A\.R\.L|SAS|S\.A|SA|S\.L|SL|"
    r"S\.r\.l|Srl|S\.p\.A|SpA|B\.V|BV|N\.V|NV|AB|AS|A/S|Oy)\.?"
)
_COMPANY = re.compile(rf"(.{{3,60}}?,? {_FORM}),\s+(?!{_FORM}(?:\W|$)).+")
_PERSON = re.compile(
    r"((?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}),\s+(?P<office>[^\d:]{4,60})"
)
_OFFICE = re.compile(rf"\b{cues('office')}")
"""Words of an office, folded: `García López, María` has none."""
_THINGS = re.compile(r"(?:product|item|article|file|city|street|place|project|plan|drug|ship|vessel|brand)_?name$")
_DEGREE = re.compile(r"(?:M\.?D|Ph\.?D|Esq|Jr|Sr|R\.?N|CPA|DDS|P\.?E|II+|Inc|LLC|Ltd)\b")


def name_alone(text: str, kind: str, asked: str) -> str:
    """A value of a kind (see `Ask.kind`) of the field that is called `asked`, without what is no part of a name."""
    ends = re.search(r"(?:by|von|par|por|name|_da)$", asked.lower())
    named_by = kind == "text" and ends is not None and not _THINGS.search(asked.lower())
    if kind == "person" or named_by:
        return person_alone(company_alone(text))
    return company_alone(text) if kind in ("org", "text") else text


def company_alone(text: str) -> str:
    """A company's name without its place or what it does: `Ashdown Labs, Inc., Salem (US)`."""
    match = _COMPANY.fullmatch(text)
    return match[1] if match else text


def person_alone(text: str) -> str:
    """A person's name without the office behind the comma; degrees and first names stay."""
    match = _PERSON.fullmatch(text)
    told = match is not None and _OFFICE.search(fold(match["office"])) and not _DEGREE.match(match["office"])
    return match[1] if match is not None and told else text
