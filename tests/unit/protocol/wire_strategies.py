"""What hypothesis may put on the wire."""

from __future__ import annotations

from hypothesis import strategies as st

from service.protocol.additional_values import AdditionalValue, WirePoint
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, FunctionCall, Message, ToolCall

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = TEXT.filter(lambda name: name != "_value")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
FRACTIONS = st.integers(0, 10_000).map(lambda n: n / 10_000)
POINTS = st.builds(WirePoint, x=FRACTIONS, y=FRACTIONS)
POLYGONS = st.lists(POINTS, min_size=4, max_size=4)


@st.composite
def located_leaves(draw: st.DrawFn) -> AdditionalValue:
    """Leaves as a model that tells everything sends them."""
    located = draw(st.booleans())
    return AdditionalValue(
        value=draw(SCALARS),
        confidence=draw(st.sampled_from(["high", "low"])),
        page=draw(st.integers(1, 1000)) if located else -1,
        coordinates=draw(POLYGONS) if located else [],
        word_coordinates=draw(st.lists(POLYGONS, max_size=2)) if located else [],
        raw=draw(st.none() | TEXT),
        verdict=draw(st.none() | st.sampled_from(["found", "absent", "unreadable", "ambiguous", "not_reached"])),
        probability=draw(st.none() | FRACTIONS),
    )


TREES = st.dictionaries(
    NAMES,
    st.recursive(
        located_leaves(),
        lambda trees: st.lists(trees, max_size=3) | st.dictionaries(NAMES, trees, max_size=3),
        max_leaves=5,
    ),
    max_size=4,
)

TOOL_CALLS = st.builds(
    ToolCall,
    id=st.none() | TEXT.filter(bool),
    type=st.just("function"),
    function=st.builds(FunctionCall, name=TEXT, arguments=TEXT),
)
MESSAGES = st.builds(
    Message,
    role=st.just("assistant"),
    content=st.none() | TEXT,
    refusal=st.none() | TEXT,
    reasoning_content=st.none() | TEXT,
    tool_calls=st.none() | st.lists(TOOL_CALLS, min_size=1, max_size=2),
)
CHOICES = st.builds(
    Choice,
    index=st.integers(0, 9),
    message=MESSAGES,
    finish_reason=st.sampled_from(["stop", "length", "content_filter", "eos"]),
    confidence_score=st.none() | TEXT,
    page_ranges=st.none() | st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=2),
)
COMPLETIONS = st.builds(
    ChatCompletion,
    id=TEXT,
    object=st.just("chat.completion"),
    created=st.integers(0, 2**40),
    model=TEXT,
    choices=st.lists(CHOICES, min_size=1, max_size=3, unique_by=lambda choice: choice.index).map(
        lambda choices: sorted(choices, key=lambda choice: choice.index or 0)
    ),
    usage=st.builds(
        CompletionUsage,
        prompt_tokens=st.integers(0, 10**9),
        completion_tokens=st.integers(0, 10**9),
        total_tokens=st.integers(0, 10**9),
    ),
)
