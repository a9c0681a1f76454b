"""The set "strangers": what its documents say is their truth, and its halves are what they are called."""

from __future__ import annotations

import re
import unicodedata
from random import Random

import pypdfium2 as pdfium
import pytest
from reportlab import rl_config
from reportlab.pdfbase.ttfonts import TTFont

from benchmarks.strangers.draw import ASIAN, OWN_FACE, WITH_TICKS, Look, Place, draw
from benchmarks.strangers.kinds import Kind, all_kinds, half_of
from benchmarks.strangers.make import make_set
from benchmarks.strangers.page import Composer
from benchmarks.strangers.values import Facts
from service.evaluation.cases import load_cases

KINDS_WANTED, LANGUAGES_WANTED = 50, 12


def composed(seed: str, kind: Kind) -> tuple[Facts, bytes, dict[str, list[Place]]]:
    """One document of a kind: what it tells, its bytes, and where values stand."""
    facts = Facts(kind, Random(seed))
    return facts, *draw(Composer(facts, ("[ ]", "[x]")).blocks(), Look(ASIAN.get(kind.language, OWN_FACE)))


def test_each_kind_is_of_the_half_that_its_file_is_for():
    """A kind in the wrong file would be looked at although it tells whether the rules hold."""
    assert {kind.name for kind in all_kinds() if half_of(kind.name) != kind.half} == set()
    assert len({kind.name for kind in all_kinds()}) >= KINDS_WANTED
    assert len({kind.language for kind in all_kinds()}) >= LANGUAGES_WANTED


def test_a_value_stands_at_its_place():
    """What a truth line calls the place of a value holds it as it was printed."""
    for kind in all_kinds():
        facts, pdf, places = composed("a page", kind)
        with pdfium.PdfDocument(pdf) as document:
            width, height = document[0].get_size()
            for path, (page, box) in ((path, place) for path, found in places.items() for place in found):
                x0, x1, y0, y1 = box[0] * width, box[2] * width, box[1] * height, box[3] * height
                words = document[page - 1].get_textpage().get_text_bounded(x0 - 1, height - y1, x1 + 1, height - y0)
                assert letters(facts.singles[path].text, kind) in letters(words, kind), (kind.name, path)


def test_what_is_asked_for_is_on_the_page():
    """Of single values nothing is asked that a page has no place for, but what is ticked or takes several lines."""
    for kind in all_kinds():
        facts, _, places = composed("a page", kind)
        page = "\n".join(kind.page)
        asked = {field.path for field in kind.fields if field.asked} & facts.singles.keys()
        written = set(re.findall(r"\{~?([^{}/?]+)[}/?]", page))
        assert asked - places.keys() <= written, kind.name


def test_the_same_seed_draws_the_same_bytes_and_another_one_others():
    """Words are kept by what a file holds, and two runs are compared."""
    kind = all_kinds()[0]
    assert composed("one", kind)[1] == composed("one", kind)[1]
    assert composed("one", kind)[1] != composed("two", kind)[1]


def test_the_set_loads_as_cases_whose_kinds_are_not_divided(tmp_path):
    """All documents of a kind are in one half, and each has a truth and a schema that names no more than it has."""
    cases = load_cases(make_set(tmp_path, each=1, faces=(OWN_FACE,)))
    assert all(case.path.is_file() and case.truth for case in cases)
    halves: dict[str, set[bool]] = {}
    for case in cases:
        halves.setdefault(case.group, set()).add(case.development)
    assert all(len(found) == 1 for found in halves.values())
    for case in cases:
        assert {field.name for field in case.schema.root.properties} == case.truth.keys() | case.absent, case.file


def test_who_draws_the_set_without_its_fonts_is_told_what_to_install(monkeypatch):
    """And gets no set with other faces, whose figures would be others."""
    monkeypatch.setattr(rl_config, "TTFSearchPath", ())
    with pytest.raises(SystemExit, match="fonts-dejavu-core"):
        draw((), Look(WITH_TICKS))


def letters(text: str, kind: Kind) -> str:
    """Its letters and digits that the face has, in the form that all writings of one share."""
    has = None if kind.language in ASIAN else TTFont(OWN_FACE, f"{OWN_FACE}.ttf").face.charToGlyph
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum() and (has is None or ord(c) in has))
