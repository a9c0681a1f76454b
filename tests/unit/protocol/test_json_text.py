"""JSON that we write is JSON, whatever stands in it."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from service.protocol.json_text import encode_json

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(2**63, 2**70) | st.floats() | st.text() | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_finite(child) for child in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@given(_VALUES)
def test_what_is_written_is_read_again(value: object) -> None:
    """Whole numbers of any size and broken texts too; what is no number is null."""
    assert json.loads(encode_json(value), parse_constant=lambda name: f"no JSON: {name}") == _finite(value)
