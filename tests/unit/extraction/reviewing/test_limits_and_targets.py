"""What a schema's `x-review` says of values that never pass unseen, and of how right critical fields are to be."""

from __future__ import annotations

import pytest

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Confidence, FieldEntry, Json, Record, Scalar, Verdict
from service.domain.schema import parse_schema
from service.extraction.reviewing.policy import ReviewPolicy, limit_reasons, parse_policy, unsure_together

PROPERTIES: Json = {
    "total": {"type": "number"},
    "name": {"type": "string"},
    "lines": {"type": "array", "items": {"type": "object", "properties": {"amount": {"type": "number"}}}},
}


def policy(wanted: Json) -> ReviewPolicy:
    """The policy of a schema."""
    return parse_policy(parse_schema({"type": "object", "properties": PROPERTIES, "x-review": wanted}))


@pytest.mark.parametrize(
    ("value", "beyond"), [(10.0, False), (10.01, True), (0, False), (-1, True), (None, False), (True, False)]
)
def test_a_value_beyond_its_limits_does_not_pass(value: Scalar, beyond: bool) -> None:
    """The ends themselves pass."""
    assert policy({"limits": {"/total": {"below": 0, "above": 10}}}).is_beyond("/total", value) is beyond


def test_limits_of_rows_name_each_cell_until_it_was_seen() -> None:
    """A cell that a person looked at is `high`, and no reason any more."""
    wanted = policy({"limits": {"/lines/*/amount": {"above": 5}}})
    fields = {
        f"/lines/{n}/amount": FieldEntry(value=value, verdict=Verdict.FOUND, confidence=confidence)
        for n, (value, confidence) in enumerate([(9.0, Confidence.LOW), (9.0, Confidence.HIGH), (1.0, Confidence.LOW)])
    }
    record = Record(id="rec", index=0, pages=(1,), values={}, fields=fields)
    assert list(limit_reasons(wanted, [record], several=False)) == ["limit:/lines/0/amount"]
    assert list(limit_reasons(wanted, [record], several=True)) == ["limit:0:/lines/0/amount"]


def test_critical_fields_may_have_a_target() -> None:
    """As a list they have the usual one."""
    assert policy({"critical": {"/total": 0.995, "/lines/*/amount": 0.99}}).targets["/total"] == 0.995
    assert policy({"critical": {"/total": 0.995}}).critical == {"/total"}
    assert policy({"critical": ["/total"]}).targets == {}


@pytest.mark.parametrize(
    ("sure", "unsure"), [(0.0, set[str]()), (0.9, {"/total"}), (0.97, {"/total", "/number"}), (0.5, set[str]())]
)
def test_critical_values_are_to_be_sure_together(sure: float, unsure: set[str]) -> None:
    """The least sure ones are doubted until the others are sure enough; what is low already or not critical is not."""
    properties: Json = {name: {"type": "string"} for name in ("number", "total", "name", "low", "untold")}
    chances = {"/number": 0.96, "/total": 0.8, "/name": 0.5, "/low": 0.3, "/untold": None}
    wanted: Json = {"critical": ["/number", "/total", "/low", "/untold"], "sure": sure}
    fields = {
        path: FieldEntry(
            value="x",
            verdict=Verdict.FOUND,
            confidence=Confidence.LOW if path == "/low" else Confidence.HIGH,
            probability=chance,
        )
        for path, chance in chances.items()
    }
    told = parse_policy(parse_schema({"type": "object", "properties": properties, "x-review": wanted}))
    assert unsure_together(told, fields, lambda entry: entry.probability) == unsure


@pytest.mark.parametrize(
    "wanted",
    [
        {"sure": 1.5},
        {"sure": "0.9"},
        {"critical": {"/total": 2}},
        {"critical": {"/other": 0.9}},
        {"limits": {"/name": {"above": 1}}},
        {"limits": {"/total": {}}},
        {"limits": {"/total": {"above": "10"}}},
        {"limits": []},
    ],
)
def test_what_is_no_policy_is_refused(wanted: Json) -> None:
    """With what is wrong."""
    with pytest.raises(InputError, match="x-review") as refused:
        policy(wanted)
    assert refused.value.code is ErrorCode.INVALID_SCHEMA
