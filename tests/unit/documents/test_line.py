"""Turns at the reading processes: whoever may go elsewhere is told so, and everybody else waits."""

from __future__ import annotations

import pytest

from service.documents.line import ReadingLine
from service.domain.errors import ErrorCode, ReadingError


def test_one_that_took_long_sends_those_behind_it_elsewhere_for_a_while() -> None:
    """Others have their turns as ever."""
    now = 100.0
    line = ReadingLine(clock=lambda: now)
    with line.quick_turn():
        pass
    with pytest.raises(ReadingError, match="as slow as that"), line.quick_turn():
        raise ReadingError(ErrorCode.PAGE_TIMEOUT, "as slow as that")
    with pytest.raises(ReadingError, match="came before"), line.quick_turn():
        pytest.fail("there is no turn")
    with line.turn():
        pass
    now += 60.0
    with line.quick_turn():
        pass


def test_who_waits_for_a_long_turn_in_vain_goes_elsewhere_and_so_do_those_behind() -> None:
    """A page that is cut or drawn may take long too."""
    line = ReadingLine(clock=lambda: 0.0)
    with line.turn(), pytest.raises(ReadingError, match="came before"), line.quick_turn():
        pytest.fail("there is no turn")
    with pytest.raises(ReadingError, match="came before"), line.quick_turn():
        pytest.fail("there is no turn")
