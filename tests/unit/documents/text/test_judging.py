"""Whether a text layer is believed."""

from __future__ import annotations

import pytest

from service.documents.text.judging import PageEvidence, Route, is_garbage, judge


def evidence(
    text: str, *, picture: float = 0.0, outlines: int = 0, unmapped: int = 0, small: bool = False
) -> PageEvidence:
    """What is known of a page with that text."""
    return PageEvidence(
        text=text,
        words=len(text.split()),
        unmapped=unmapped,
        picture_share=picture,
        small_pictures=small,
        outlines=outlines,
    )


PROSE = "the quick brown fox jumps over the lazy dog and runs away " * 4


@pytest.mark.parametrize(
    ("given", "route"),
    [
        (evidence(PROSE), Route.DIGITAL),
        (evidence("13"), Route.DIGITAL),
        (evidence(PROSE, small=True), Route.PICTURES),
        (evidence(""), Route.OCR),
        (evidence("", picture=1.0), Route.OCR),
        (evidence(PROSE, picture=1.0), Route.VERIFY),
        (evidence("Page 3", picture=0.9), Route.COMPLETE),
        (evidence("Receipt", picture=0.3), Route.COMPLETE),
        (evidence("Page 3", outlines=900), Route.COMPLETE),
        (evidence(PROSE, unmapped=200), Route.OCR),
        (evidence("\ue001\ue002\ue003 \ue004"), Route.OCR),
    ],
)
def test_a_page_is_read_the_cheapest_way_that_is_right(given: PageEvidence, route: Route) -> None:
    """Digital where the layer is the page, the picture where it is not, both where neither is all."""
    assert judge(given) is route


@pytest.mark.parametrize(
    "text",
    ["\ufffd\ufffd\ufffdab", "(cid:12)(cid:44)(cid:7)", '"7+%-', "\x19\x12", "#!§%&/()=?#!§%&/()=?#!§%&", "\ue000" * 9],
)
def test_garbage_is_known(text: str) -> None:
    """Letters no person reads."""
    assert is_garbage(text)


@pytest.mark.parametrize(
    "text",
    ["13", "Total ........ 14.20 €", "€ 1,00 $ 2.00", "全世界", "- - - - -", "مرحبا", "A/B-12 (x)", ""],
)
def test_odd_but_good_text_is_not_garbage(text: str) -> None:
    """Leaders, money, other scripts."""
    assert not is_garbage(text)
