"""When to ask again, in every form servers say it."""

from __future__ import annotations

from email.utils import formatdate

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.clients.door.retry_after import LONGEST_AFTER_ANSWER_S, LONGEST_S, pause_after_answer_s, retry_after_s

NOW = 1_790_000_000.0
UPSTAGE = "X-Upstage-RateLimit"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": formatdate(NOW + 9, usegmt=True)}, 9.0),
        ({"Retry-After": str(int(NOW) + 4)}, 4.0),
        ({"Retry-After": str(int(NOW + 4) * 1000)}, 4.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
        ({f"{UPSTAGE}-Retry-After-Requests": str(int(NOW) + 3)}, 3.0),
        ({f"{UPSTAGE}-Retry-After-Tokens": str(int(NOW) + 5)}, 5.0),
        (
            {f"{UPSTAGE}-Retry-After-Requests": str(int(NOW) + 3), f"{UPSTAGE}-Retry-After-Tokens": str(int(NOW) + 5)},
            5.0,
        ),
        ({f"{UPSTAGE}-Reset-Requests": str(int(NOW) + 2), f"{UPSTAGE}-Reset-Pages": str(int(NOW) + 60)}, 2.0),
        (
            {
                f"{UPSTAGE}-Reset-Requests": str(int(NOW) + 2),
                f"{UPSTAGE}-Reset-Pages": str(int(NOW) + 60),
                f"{UPSTAGE}-Remaining-Pages": "0",
            },
            60.0,
        ),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, LONGEST_S),
        ({"x-ratelimit-reset-tokens": "1m12.5s", "x-ratelimit-remaining-tokens": "0"}, 72.5),
        ({"x-ratelimit-reset-requests": "120ms", "x-ratelimit-reset-tokens": "7s"}, 0.12),
        ({"x-ratelimit-reset-tokens": "9", "x-ratelimit-remaining-tokens": "0"}, 9.0),
        ({"Retry-After": "soon", f"{UPSTAGE}-Retry-After-Requests": str(int(NOW) + 3)}, 3.0),
        ({"Retry-After": "86400"}, LONGEST_S),
        ({"Retry-After": "-5"}, 0.0),
        ({f"{UPSTAGE}-Retry-After-Requests": str(int(NOW) - 100)}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_every_form_is_read(headers: dict[str, str], expected: float | None) -> None:
    """Seconds from now, capped; what cannot be read says nothing."""
    assert retry_after_s(httpx.Headers(headers), NOW, limited=True) == pytest.approx(expected)


def test_timestamps_are_measured_by_the_servers_own_clock() -> None:
    """A machine whose clock is an hour off still waits ten seconds."""
    headers = httpx.Headers(
        {"Date": formatdate(NOW, usegmt=True), f"{UPSTAGE}-Retry-After-Requests": str(int(NOW) + 10)}
    )
    assert retry_after_s(headers, NOW + 3600, limited=True) == 10.0


def test_resets_mean_nothing_unless_the_limit_was_hit() -> None:
    """They come with every answer; a 500 is not to be waited out for a minute."""
    headers = httpx.Headers({f"{UPSTAGE}-Reset-Requests": str(int(NOW) + 60)})
    assert retry_after_s(headers, NOW, limited=False) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_a_server_writes_leads_out_of_the_limits(first: str, second: str) -> None:
    """Any text gives None or a wait that is believed."""
    headers = {"retry-after": first, "x-upstage-ratelimit-reset-requests": second, "date": second}
    waited = retry_after_s(headers, NOW, limited=True)
    assert waited is None or 0 <= waited <= LONGEST_S


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s"}, 2.0),
        ({"x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": "2s"}, None),
        ({f"{UPSTAGE}-Remaining-Pages": "0", f"{UPSTAGE}-Reset-Pages": str(int(NOW) + 4)}, 4.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, LONGEST_AFTER_ANSWER_S),
        ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0"}, None),
        ({}, None),
    ],
)
def test_a_meter_that_stands_at_0_beside_an_answer_holds_the_next_call(
    headers: dict[str, str], expected: float | None
) -> None:
    """Within measure, and only then."""
    assert pause_after_answer_s(httpx.Headers(headers), NOW) == expected
