"""When a server wants to be asked again, in every form in which servers say it.

Source: https://console.upstage.ai/docs (rate limits: `X-Upstage-RateLimit-*`, unix timestamps), RFC 9110 section 10.2.3
(`Retry-After`) and https://github.com/openai/openai-python (`retry-after-ms`), read 2026-11-30.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_S = 120.0
"""More is not believed: a clock that is wrong or a quota of days must not hold a step for hours."""
_METERS = ("requests", "tokens", "pages")
_PREFIX = "x-upstage-ratelimit"
_SMALLEST_TIMESTAMP = 1_000_000_000.0
_SMALLEST_MILLISECONDS = 100_000_000_000.0


def retry_after_s(
    headers: Mapping[str, str], now: float, *, limited: bool, longest_s: float = LONGEST_S
) -> float | None:
    """Seconds from now, 0 to `longest_s`, or None when the headers say nothing that can be read.

    Args:
        headers: names are looked up in lower case; httpx's own are case-insensitive.
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
    """A delay in seconds, a unix timestamp in seconds or milliseconds, or an HTTP date."""
    value = _seconds(text)
    if value is None:
        when = _http_date(text)
        return None if when is None else when - now
    if value >= _SMALLEST_MILLISECONDS:
        value /= 1000
    return value - now if value >= _SMALLEST_TIMESTAMP else value


def _latest(headers: Mapping[str, str], now: float) -> float | None:
    """Every meter must allow the next request, so the last one counts."""
    delays = [_delay(headers.get(f"{_PREFIX}-retry-after-{meter}"), now) for meter in _METERS]
    return max((delay for delay in delays if delay is not None), default=None)


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """When the meters that stand at 0 begin anew; if none admits to it, the first that does."""
    resets = {meter: _delay(headers.get(f"{_PREFIX}-reset-{meter}"), now) for meter in _METERS}
    known = {meter: delay for meter, delay in resets.items() if delay is not None}
    empty = [delay for meter, delay in known.items() if _seconds(headers.get(f"{_PREFIX}-remaining-{meter}")) == 0]
    return max(empty) if empty else min(known.values(), default=None)
