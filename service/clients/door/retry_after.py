"""When a server wants to be asked again, in every form in which servers say it.

Source: https://console.upstage.ai/docs (rate limits: `X-Upstage-RateLimit-*`, unix timestamps), RFC 9110 section 10.2.3
(`Retry-After`), https://github.com/openai/openai-python (`retry-after-ms`) and https://platform.openai.com/docs/guides
(rate limits: `x-ratelimit-*`, durations such as `6m0s`; Azure's are seconds), read 2026-11-30.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

LONGEST_S = 120.0
"""More is not believed: a clock that is wrong or a quota of days must not hold a step for hours."""
_METERS = ("requests", "tokens", "pages")
_PREFIX = "x-upstage-ratelimit"
_PREFIXES = (_PREFIX, "x-ratelimit")
LONGEST_AFTER_ANSWER_S = 10.0
"""A meter that stands at 0 beside an answer is told by some to be full again long after the next call may go."""
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_DURATION_UNITS = (3600.0, 60.0, 1.0, 1e-3)
_SMALLEST_TIMESTAMP = 1_000_000_000.0
_SMALLEST_MILLISECONDS = 100_000_000_000.0


def retry_after_s(
    headers: Mapping[str, str], now: float, *, limited: bool, longest_s: float = LONGEST_S
) -> float | None:
    """Seconds from now, 0 to `longest_s`, or None when the headers say nothing that can be read.

    Args:
        headers: names are looked up in lower case; those of a response are case-insensitive.
        now: unix seconds of this machine; the server's own `Date`, where it stands, is used in its place, since it is
            that clock which the timestamps belong to.
        limited: the rate limit was hit. Only then the `Reset-*` headers, which come with every answer, mean us.
        longest_s: more than this is not believed.
    """
    now = _http_date(headers.get("date")) or now
    found = (
        _seconds(headers.get("retry-after-ms"), scale=1e-3),
        _delay(headers.get("retry-after"), now),
        _latest(headers, now),
        _reset(headers, now) if limited else None,
    )
    asked = next((delay for delay in found if delay is not None), None)
    return None if asked is None else min(max(asked, 0.0), longest_s)


def pause_after_answer_s(headers: Mapping[str, str], now: float) -> float | None:
    """How long to make no call after an answer whose headers say that the next one would be refused.

    Returns:
        Seconds from now, 0 to `LONGEST_AFTER_ANSWER_S`; None: no meter stands at 0.
    """
    now = _http_date(headers.get("date")) or now
    empty = [delay for remaining, delay in _meters(headers, now) if remaining == 0]
    return min(max(*empty, 0.0), LONGEST_AFTER_ANSWER_S) if empty else None


def _seconds(text: str | None, *, scale: float = 1.0) -> float | None:
    try:
        value = float(text or "") * scale
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _http_date(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, OverflowError):
        return None


def _delay(text: str | None, now: float) -> float | None:
    """A delay in seconds or as a duration, a unix timestamp in seconds or milliseconds, or an HTTP date."""
    value = _seconds(text)
    if value is None:
        when = _http_date(text)
        return _duration(text or "") if when is None else when - now
    if value >= _SMALLEST_MILLISECONDS:
        value /= 1000
    return value - now if value >= _SMALLEST_TIMESTAMP else value


def _duration(text: str) -> float | None:
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    value = sum(float(part) * unit for part, unit in zip(found.groups(), _DURATION_UNITS, strict=True) if part)
    return value if math.isfinite(value) else None


def _latest(headers: Mapping[str, str], now: float) -> float | None:
    """Every meter must allow the next request, so the last one counts."""
    delays = [_delay(headers.get(f"{_PREFIX}-retry-after-{meter}"), now) for meter in _METERS]
    return max((delay for delay in delays if delay is not None), default=None)


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """When the meters that stand at 0 begin anew; if none admits to it, the first that does."""
    known = list(_meters(headers, now))
    empty = [delay for remaining, delay in known if remaining == 0]
    return max(empty) if empty else min((delay for _, delay in known), default=None)


def _meters(headers: Mapping[str, str], now: float) -> Iterator[tuple[float | None, float]]:
    """What is left on each meter, and the time after which it begins anew."""
    for prefix in _PREFIXES:
        for meter in _METERS:
            delay = _delay(headers.get(f"{prefix}-reset-{meter}"), now)
            if delay is not None:
                yield _seconds(headers.get(f"{prefix}-remaining-{meter}")), delay
