"""From one choice of the wire to an extraction: every leaf of the schema's shape, each with what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from service.domain.errors import DecodingError, ErrorCode
from service.domain.records import Evidence, Extraction, FieldEntry, Issue, Stage, Verdict
from service.domain.schema import ExtractionSchema
from service.extraction.decoding.answer import ParsedAnswer, RawJson, bad_answer, parse_answer
from service.extraction.decoding.echo import SCHEMA_KEY, find_echo
from service.extraction.decoding.join import Notes, join_answer
from service.extraction.decoding.token_odds import token_odds
from service.protocol.additional_values import (
    AdditionalTree,
    AdditionalValue,
    MalformedArguments,
    read_additional_values,
)
from service.protocol.completion import Choice, Message


class Finish(StrEnum):
    """What follows from the reason a model gives for stopping."""

    DONE = "done"
    """The answer is whole; that no reason was given counts as that, since half an object does not parse."""
    TRUNCATED = "truncated"
    """Ask again for less: halve the pages, then the fields."""
    FILTERED = "filtered"
    """The provider withheld the answer; asking again is useless."""


_FINISHES = {
    None: Finish.DONE,
    "stop": Finish.DONE,
    "tool_calls": Finish.DONE,
    "function_call": Finish.DONE,
    "length": Finish.TRUNCATED,
    "content_filter": Finish.FILTERED,
}


def judge_finish_reason(finish_reason: str | None) -> Finish:
    """What a `finish_reason` means.

    Raises:
        DecodingError: `unknown_finish_reason`, which names it.
    """
    finish = _FINISHES.get(finish_reason)
    if finish is None:
        named = str(finish_reason)[:40]
        raise DecodingError(
            ErrorCode.UNKNOWN_FINISH_REASON,
            f"The model stopped for a reason that is not known: {named!r}; its answer was not read.",
        )
    return finish


def decode_choice(choice: Choice, *, schema: ExtractionSchema, pages: tuple[int, ...], model: str) -> Extraction:
    """Read one answer.

    Args:
        pages: the file pages that the request covered, 1-based, in order; the answer's page numbers count within them.
        model: name for the result, `provider:model`.

    Returns:
        Values in the schema's full shape and order: null for what is absent, no rows for an absent array; each leaf
        has its entry. Rows without any value are left out.

    Raises:
        DecodingError: `output_truncated`, `content_filtered`, `unknown_finish_reason`, or `model_bad_answer` when
            there is no object, or one that only repeats what was asked.
    """
    _require_whole(choice)
    tree, malformed = _read_annotations(choice.message)
    answer = _read_values(choice.message, schema, tree)
    if echo := find_echo(answer.values, schema.root):
        raise bad_answer(echo)
    notes = Notes()
    if malformed:
        notes.add("malformed_locations", "")
    if answer.duplicates:
        notes.add("duplicate_keys", "", answer.duplicates)
    values, fields = join_answer(answer.values, schema, tree, pages=pages, notes=notes)
    issues = tuple(_issue(code, path, count) for (code, path), count in notes.counts.items())
    evidence = _evidence(choice, fields) if tree is None else {}
    return Extraction(values=values, fields=fields, pages=pages, issues=issues, model=model, evidence=evidence)


def _evidence(choice: Choice, fields: Mapping[str, FieldEntry]) -> Mapping[str, Evidence]:
    """Of each value, where the model told no confidences."""
    odds = token_odds(choice, fields.keys())
    return {
        path: Evidence(token_probability=odds.get(path))
        for path, entry in fields.items()
        if entry.verdict is Verdict.FOUND
    }


def _require_whole(choice: Choice) -> None:
    finish = judge_finish_reason(choice.finish_reason)
    if finish is Finish.TRUNCATED:
        raise DecodingError(ErrorCode.OUTPUT_TRUNCATED, "The model's answer was cut off at its length limit.")
    refused = choice.message.refusal and not choice.message.text().strip()
    if finish is Finish.FILTERED or refused:
        raise DecodingError(
            ErrorCode.CONTENT_FILTERED,
            "The model's provider withheld the answer for these pages; use another model for them.",
        )


def _read_annotations(message: Message) -> tuple[AdditionalTree | None, bool]:
    """The tree of `additional_values`, and whether it was there but could not be read: the values are still good."""
    try:
        return read_additional_values(message), False
    except MalformedArguments:
        return None, True


def _read_values(message: Message, schema: ExtractionSchema, tree: AdditionalTree | None) -> ParsedAnswer:
    text = message.text()
    if text.strip():
        return parse_answer(text, [*(p.name for p in schema.root.properties), SCHEMA_KEY])
    if isinstance(tree, dict):  # a model that answers by the tool call alone
        values = _bare_values(tree)
        if isinstance(values, dict):
            return ParsedAnswer(values, 0)
    raise bad_answer("is empty")


def _bare_values(tree: AdditionalTree) -> RawJson:
    if isinstance(tree, dict):
        return {key: _bare_values(child) for key, child in tree.items()}
    if isinstance(tree, list):
        return [_bare_values(child) for child in tree]
    return _leaf_value(tree)


def _leaf_value(leaf: AdditionalValue) -> RawJson:
    value = leaf.value
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)


_MESSAGES = {
    "unknown_keys": "{count} keys at {path} are not in the schema and were dropped",
    "wrong_type": "{count} values at {path} are not of the schema's type; their text is kept as `raw`",
    "wrong_shape": "{count} values at {path} had another form than the schema's and were fitted to it",
    "duplicate_keys": "{count} keys stood twice in one object; the last one that is not null counts",
    "malformed_locations": "the locations and confidences could not be read and were left out",
    "mismatched_locations": "{count} locations at {path} belong to other values and were left out",
    "page_out_of_range": "{count} locations at {path} name a page outside the request and were left out",
}


def _issue(code: str, path: str, count: int) -> Issue:
    message = _MESSAGES[code].format(count=count, path=path or "/")
    return Issue(stage=Stage.EXTRACT, code=code, message=f"Model answer: {message}.")
