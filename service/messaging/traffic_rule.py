"""Who may call a provider, and when: pure functions over one small state, wherever that is kept.

Requests and tokens flow evenly (a virtual schedule, as in the generic cell rate algorithm): a call gets the next free
moment, if that is near, and waits for it in place; a call whose moment is far is turned away with the time to come
back, each a little later than the one before, so that those who were turned away do not return together.

A provider that failed several times in a row is left alone, each time for longer; then one call goes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from service.domain.traffic import IN_PLACE_S, CallEnd, CallReport, ClosedRoad, RateLimit, Ticket, WaitReason

_MINUTE_S = 60.0
_BURST_S = 1.0
"""Of requests that may go at once, measured by the time they would take."""
_TOKEN_BURST_S = 10.0
_SPREAD_S = 0.05
"""Between calls that a pause held up."""
_FULL_LOOK_S = 0.5
"""After which a call asks again whether one in flight has ended."""
_PROBE_LOOK_S = 2.0
"""After which a step asks again how the call that goes first has ended."""
_LONGEST_LINE_S = 300.0
_FIRST_TOKENS = 1_000.0
"""Reckoned for the first call."""
_LONGEST_BACK_OFF_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """When a provider is left alone."""

    failures: int = 3
    """In a row, after which the road is closed."""
    first_pause_s: float = 10.0
    longest_pause_s: float = 300.0
    ticket_s: float = 660.0
    """After which a ticket that nobody gave back is void: longer than any call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneState:
    """What is known of one provider's traffic; times are Unix seconds. The empty state is a good one."""

    request_at: float = 0.0
    """The moment up to which the schedule of requests is given away."""
    token_at: float = 0.0
    """The same for tokens."""
    average_tokens: float = _FIRST_TOKENS
    in_flight: dict[str, float] = field(default_factory=dict[str, float])
    """Tickets that count (there is a limit, or the call goes first), and when each is void."""
    paused_until: float = 0.0
    resume_at: float = 0.0
    """The moment given to the last of the calls that a pause holds up."""
    limited: int = 0
    """Refusals (429) in a row, those of one wave counted once."""
    line_at: float = 0.0
    """When the last of those turned away was told to come back."""
    failures: int = 0
    closed_until: float = 0.0
    pause_s: float = 0.0
    probe: str = ""
    """The ticket of the call that goes first."""
    trouble_since: float | None = None


def enter(
    state: LaneState, limit: RateLimit, rule: GateRule, *, now: float, ticket_id: str
) -> tuple[LaneState, Ticket | ClosedRoad]:
    """Give a call its moment, or turn it away."""
    state = replace(state, in_flight={name: void for name, void in state.in_flight.items() if void > now})
    trouble = None if state.trouble_since is None else max(0.0, now - state.trouble_since)
    is_closed = state.failures >= rule.failures
    if is_closed and (now < state.closed_until or state.probe in state.in_flight):
        back = _back(state, max(state.closed_until, now + _PROBE_LOOK_S), _SPREAD_S, now)
        road = ClosedRoad(reason=WaitReason.PROVIDER_UNAVAILABLE, wait_s=back - now, trouble_s=trouble)
        return replace(state, line_at=back), road
    if limit.in_flight is not None and len(state.in_flight) >= limit.in_flight:
        return state, ClosedRoad(reason=WaitReason.RATE_LIMITED, wait_s=_FULL_LOOK_S)
    at = _moment(state, limit, now)
    if at - now > IN_PLACE_S:
        back = _back(state, at, _spacing(state, limit), now)
        paused = trouble if now < state.paused_until else None
        return replace(state, line_at=back), ClosedRoad(
            reason=_pause_reason(state), wait_s=back - now, trouble_s=paused
        )
    ticket = Ticket(id=ticket_id, wait_s=at - now, tokens=state.average_tokens if limit.tokens_per_minute else 0.0)
    return _taken(state, limit, rule, ticket, now, first=is_closed), ticket


def leave(
    state: LaneState, limit: RateLimit, rule: GateRule, *, now: float, ticket: Ticket, report: CallReport
) -> tuple[LaneState, ClosedRoad | None]:
    """Note how a call ended; why the next may not go now, if it may not."""
    state = _settled(state, limit, ticket, report)
    was_first = state.probe == ticket.id
    if was_first:
        state = replace(state, probe="")
    if report.end is CallEnd.ANSWERED:
        state = replace(state, failures=0, closed_until=0.0, pause_s=0.0, limited=0, trouble_since=None)
        if report.pause_s:
            state = replace(state, paused_until=max(state.paused_until, now + report.pause_s))
        return state, None
    if report.end is CallEnd.LIMITED:
        state = _limited(state, report, now)
    elif report.end is CallEnd.FAILED:
        state = _failed(state, report, rule, now, was_first=was_first)
    return state, _closed(state, rule, now)


def _moment(state: LaneState, limit: RateLimit, now: float) -> float:
    """The next moment at which every meter lets a call through."""
    at = now
    if limit.requests_per_minute:
        at = max(at, state.request_at - max(0.0, _BURST_S - _MINUTE_S / limit.requests_per_minute))
    if limit.tokens_per_minute:
        at = max(at, state.token_at - _TOKEN_BURST_S)
    if now < state.paused_until:
        at = max(at, state.paused_until, state.resume_at)
    return at


def _back(state: LaneState, at: float, spacing: float, now: float) -> float:
    """When the next of those turned away comes back, `at` the earliest."""
    return min(max(at, state.line_at + spacing), max(at, now + _LONGEST_LINE_S))


def _spacing(state: LaneState, limit: RateLimit) -> float:
    """How far apart calls go."""
    spacing = _SPREAD_S
    if limit.requests_per_minute:
        spacing = max(spacing, _MINUTE_S / limit.requests_per_minute)
    if limit.tokens_per_minute:
        spacing = max(spacing, state.average_tokens * _MINUTE_S / limit.tokens_per_minute)
    return spacing


def _taken(state: LaneState, limit: RateLimit, rule: GateRule, ticket: Ticket, now: float, *, first: bool) -> LaneState:
    at = now + ticket.wait_s
    counts = first or limit.in_flight is not None
    changed = replace(
        state,
        in_flight=state.in_flight | {ticket.id: at + rule.ticket_s} if counts else state.in_flight,
        resume_at=at + _SPREAD_S if now < state.paused_until else state.resume_at,
        probe=ticket.id if first else state.probe,
    )
    if limit.requests_per_minute:
        changed = replace(changed, request_at=max(state.request_at, at) + _MINUTE_S / limit.requests_per_minute)
    if limit.tokens_per_minute:
        cost_s = ticket.tokens * _MINUTE_S / limit.tokens_per_minute
        changed = replace(changed, token_at=max(state.token_at, at) + cost_s)
    return changed


def _settled(state: LaneState, limit: RateLimit, ticket: Ticket, report: CallReport) -> LaneState:
    """Without the ticket, and with the tokens that were used in the place of those reckoned."""
    state = replace(state, in_flight={name: void for name, void in state.in_flight.items() if name != ticket.id})
    if report.end is CallEnd.ANSWERED and report.tokens:
        state = replace(state, average_tokens=0.8 * state.average_tokens + 0.2 * report.tokens)
    if limit.tokens_per_minute:
        more_s = (report.tokens - ticket.tokens) * _MINUTE_S / limit.tokens_per_minute
        state = replace(state, token_at=max(0.0, state.token_at + more_s))
    return state


def _limited(state: LaneState, report: CallReport, now: float) -> LaneState:
    """The provider is there, and asks for time; what it says to several calls of one wave counts once."""
    since = now if state.trouble_since is None else state.trouble_since
    limited = state.limited if now < state.paused_until else state.limited + 1
    asked = report.pause_s if report.pause_s is not None else min(2.0 ** (limited - 1), _LONGEST_BACK_OFF_S)
    until = max(state.paused_until, now + asked)
    return replace(
        state, failures=0, closed_until=0.0, pause_s=0.0, limited=limited, paused_until=until, trouble_since=since
    )


def _failed(state: LaneState, report: CallReport, rule: GateRule, now: float, *, was_first: bool) -> LaneState:
    since = now if state.trouble_since is None else state.trouble_since
    until = max(state.paused_until, now + (report.pause_s or 0.0))
    state = replace(state, trouble_since=since, paused_until=until)
    if state.failures >= rule.failures and not was_first:
        return state  # one of the wave that closed the road
    failures = min(state.failures + 1, rule.failures)
    if failures < rule.failures:
        return replace(state, failures=failures)
    pause = min(2 * state.pause_s, rule.longest_pause_s) if was_first and state.pause_s else rule.first_pause_s
    return replace(state, failures=failures, pause_s=pause, closed_until=now + pause)


def _closed(state: LaneState, rule: GateRule, now: float) -> ClosedRoad | None:
    trouble = None if state.trouble_since is None else max(0.0, now - state.trouble_since)
    if state.failures >= rule.failures:
        wait = max(state.closed_until - now, _PROBE_LOOK_S)
        return ClosedRoad(reason=WaitReason.PROVIDER_UNAVAILABLE, wait_s=wait, trouble_s=trouble)
    if now < state.paused_until:
        return ClosedRoad(reason=_pause_reason(state), wait_s=state.paused_until - now, trouble_s=trouble)
    return None


def _pause_reason(state: LaneState) -> WaitReason:
    """A server that failed may ask for time as well as one that had too much of us."""
    return WaitReason.PROVIDER_UNAVAILABLE if state.failures else WaitReason.RATE_LIMITED
