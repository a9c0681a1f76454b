"""The faults by name, what each means, and the script that says which request gets which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue


class FaultKind(StrEnum):
    """Where a fault sits."""

    ANSWER = "answer"
    """In a completion that is one by its form."""
    BODY = "body"
    """A success by its status, with another body."""
    REQUEST = "request"
    """The request is refused."""
    WAY = "way"
    """The connection, or the time."""
    STREAM = "stream"
    """In an answer that was asked for as a stream; `not_streamed` apart, other requests are answered well."""


@dataclass(frozen=True, slots=True)
class FaultNote:
    """One row of the table of faults."""

    kind: FaultKind
    meaning: str
    options: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry of a script: a name of `FAULTS`, or a status as digits."""

    name: str
    options: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @property
    def kind(self) -> FaultKind:
        """Where it sits; a status refuses the request."""
        return FaultKind.REQUEST if self.name.isdigit() else FAULTS[self.name].kind


def parse_script(entries: Iterable[JsonValue]) -> list[Fault]:
    """Names, statuses, or objects with `fault`, `repeat` (times, 1 unless given) and the fault's own options.

    Raises:
        ValueError: there is no such fault, so that a misspelt script does not pass as a good server.
    """
    faults: list[Fault] = []
    for entry in entries:
        given = dict(entry) if isinstance(entry, dict) else {"fault": entry}
        name, repeat = str(given.pop("fault", "")), given.pop("repeat", 1)
        if name not in FAULTS and not (name.isdigit() and 300 <= int(name) < 600):
            raise ValueError(f"There is no fault {name!r}; the names are: {', '.join(FAULTS)}, or a status.")
        if not isinstance(repeat, int) or repeat < 1:
            raise ValueError(f"`repeat` of {name!r} must be a whole number from 1.")
        faults.extend([Fault(name, given)] * repeat)
    return faults


def _notes(kind: FaultKind, rows: Mapping[str, str]) -> dict[str, FaultNote]:
    """A meaning may name its options behind a bar."""
    parted = {name: text.partition(" | ") for name, text in rows.items()}
    return {name: FaultNote(kind, meaning, options) for name, (meaning, _, options) in parted.items()}


FAULTS: Mapping[str, FaultNote] = {
    **_notes(
        FaultKind.ANSWER,
        {
            "ok": "no fault",
            "content": "another text in place of the answer | `text`, `finish` (reason)",
            "blank": "nothing was found: every value is missing, no table has a row",
            "length": "cut short, with that finish reason",
            "cut_text": "cut short, and said to be whole",
            "content_filter": "withheld, with that finish reason",
            "refusal": "the model declines in words",
            "finish": "another finish reason | `reason`",
            "unknown_finish_reason": "stopped for a reason that nobody knows",
            "null_finish_reason": "no reason to have stopped",
            "fences": "the JSON between fences",
            "prose": "sentences around the JSON, the last one with a bracket",
            "thoughts": "`reasoning_content` with JSON of its own, and keys that nobody knows",
            "think_tags": "thoughts between tags before the JSON",
            "in_content": "the arguments of the tool call written as content",
            "double_encoded": "the JSON once more as a JSON string",
            "listed": "the object as the only one of a list",
            "single_quotes": "single quotes, and `None` for null, as Python writes them",
            "trailing_commas": "a comma after the last of every list and object",
            "nan": "NaN in place of every number",
            "duplicate_keys": "every key twice, the first time with null",
            "numbers_as_text": "numbers as printed text, with separators",
            "wrong_types": "every number as text, every text in a list",
            "keys_as_values": "the name of each field in place of its value",
            "schema_echo": "the schema in place of an answer to it",
            "envelope": "`additional_values` in place of plain values",
            "extra_keys": "a key that was not asked for",
            "missing_keys": "every second key left out",
            "null_rows": "rows of nulls between the rows of every table",
            "duplicate_rows": "every row of every table twice",
            "row_as_object": "a table's first row in place of the table",
            "control_characters": "NUL, a lone surrogate and a raw line break inside texts",
            "deep": "a value of thousands of lists inside each other",
            "huge_value": "one text of many characters | `chars`",
            "loop": "one row until the room ends, then cut | `chars`, `finish`",
            "empty_content": "an empty content",
            "null_content": "null as content",
            "bare_choice": "nulls where the vendor documents them",
            "no_tool_calls": "no places and no confidences",
            "missing_leaves": "places for every second field only",
            "arguments_object": "the arguments as an object, not as text",
            "arguments_broken": "arguments that end too early",
            "page_minus_one": "no place for anything: page −1",
            "page_beyond": "places on page 9,999",
            "boxes_outside": "boxes in pixels, far outside the page",
            "boxes_flat": "boxes without any height",
        },
    ),
    **_notes(
        FaultKind.BODY,
        {
            "no_choices": "a completion without a choice",
            "not_a_completion": "JSON of another form",
            "error_in_200": "an error in the body of a success",
            "non_json_200": "a page of HTML with status 200",
            "empty_200": "an empty body with status 200",
            "odd_packing": "said to be packed in a way that was not asked for | `as`: `br`",
            "huge_body": "a body of many bytes | `bytes`",
        },
    ),
    **_notes(
        FaultKind.REQUEST,
        {
            "context_length": "the question is too long | `form`: `openai`, `llama_cpp`, `vllm`",
            "filtered": "the question is held back by a filter, with status 400",
            "no_quota": "429, and no waiting will help",
        },
    ),
    **_notes(
        FaultKind.WAY,
        {
            "hang": "no answer until the client goes",
            "drop": "the connection closed without an answer",
            "cut": "the connection closed in the middle of the answer",
            "slow": "the answer after a while | `seconds`",
            "slow_drip": "the answer byte by byte | `seconds` between two",
            "endless": "an answer without an end, as fast as it is taken",
        },
    ),
    **_notes(
        FaultKind.STREAM,
        {
            "stream_cut": "the connection closed in the middle of the stream",
            "stream_no_done": "the stream ends without `[DONE]`",
            "stream_error": "an error in the middle of the stream | `code`",
            "stream_junk": "an event that is not JSON",
            "stream_loop": "one text over and over, without an end | `text`",
            "stream_drip": "never the same and never an end, slowly",
            "not_streamed": "the answer in one piece, although a stream was asked for",
        },
    ),
}
"""Every fault but the statuses, which are named by their digits (`"503"`) and take `headers`, `message`, `code`, `text`
(a body that is not JSON), and `form` with `seconds`: how to say when to come back (see `RETRY_FORMS`)."""
