"""Values and their entries back into the wire's form: the mirror of `decode`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.domain.geometry import Quad
from service.domain.records import Extraction, FieldEntry, Json, JsonObject, Record, Scalar, Usage
from service.domain.schema import SchemaField, escape_pointer
from service.protocol.additional_values import (
    AdditionalTree,
    AdditionalValue,
    WirePoint,
    additional_values_call,
    confidence_score,
)
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, Message
from service.protocol.emission import WirePath, leaf_keys, wire_value
from service.protocol.json_text import encode_json
from service.protocol.request import NOTHING_ASKED, ExtractionOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeOptions:
    """For whom an answer is written."""

    path: WirePath = WirePath.STORED
    """Where it leaves; as stored, everything that is known is told."""
    asked: ExtractionOptions = NOTHING_ASKED
    """What is told beside the values on the vendor's paths."""
    relative_to: tuple[int, ...] | None = None
    """The file pages of the request: page numbers become 1-based positions in it. None: pages of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionHead:
    """What stands around the choices."""

    id: str
    created: int
    """Unix seconds."""
    model: str


def encode_completion(
    answers: Sequence[Extraction | Record],
    head: CompletionHead,
    options: EncodeOptions,
    usage: Usage | None = None,
    *,
    roots: Sequence[SchemaField] = (),
) -> ChatCompletion:
    """One choice for each answer, in order, with its page ranges.

    The function call is left out when neither locations nor confidence are asked for.

    Args:
        answers: extractions or records.
        head: what stands around the choices.
        options: for whom it is written.
        usage: of them all.
        roots: the schema of each answer, whose types say what stands for null on the vendor's paths; none: null stays.
    """
    return ChatCompletion(
        id=head.id,
        object="chat.completion",
        created=head.created,
        model=head.model,
        choices=[
            _choice(index, answer, options, roots[index] if roots else None) for index, answer in enumerate(answers)
        ],
        usage=_usage(usage) if usage else None,
    )


def _usage(usage: Usage) -> CompletionUsage:
    return CompletionUsage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens,
    )


def _choice(index: int, answer: Extraction | Record, options: EncodeOptions, root: SchemaField | None) -> Choice:
    keys = leaf_keys(options.path, options.asked)
    values: Json = answer.values if root is None or options.asked.full else _filled(answer.values, root, options.path)
    tree = _Mirror(answer.fields, options).tree(values, "") if keys else {}
    return Choice(
        index=index,
        message=Message(
            role="assistant",
            content=encode_json(values).decode("utf-8"),
            tool_calls=[additional_values_call(tree, call_id=None, keys=keys)] if keys else None,
        ),
        finish_reason="stop",
        confidence_score=confidence_score(tree) if keys and keys.confidence else None,
        page_ranges=list(_ranges(answer.pages)),
    )


def _filled(value: Json, field: SchemaField, path: WirePath) -> Json:
    """The value with what its path writes in the place of null."""
    if isinstance(value, dict):
        filled: JsonObject = {p.name: _filled(value.get(p.name), p, path) for p in field.properties}
        return filled
    if isinstance(value, list) and field.items is not None:
        return [_filled(child, field.items, path) for child in value]
    return wire_value(value, field.type.value, path)


@dataclass(frozen=True, slots=True)
class _Mirror:
    """Makes the tree of leaves beside an answer."""

    fields: Mapping[str, FieldEntry]
    options: EncodeOptions

    def tree(self, value: Json, path: str) -> AdditionalTree:
        if isinstance(value, dict):
            return {name: self.tree(child, f"{path}/{escape_pointer(name)}") for name, child in value.items()}
        if isinstance(value, list):
            return [self.tree(child, f"{path}/{index}") for index, child in enumerate(value)]
        return self._leaf(value, self.fields[path])

    def _leaf(self, value: Scalar, entry: FieldEntry) -> AdditionalValue:
        place, pages = entry.location, self.options.relative_to
        page = place.page if place else -1
        if place and pages is not None:
            page = pages.index(place.page) + 1 if place.page in pages else -1
        return AdditionalValue(
            value=value,
            confidence=entry.confidence.value,
            page=page,
            coordinates=_polygon(place.coordinates) if place else [],
            word_coordinates=[_polygon(word) for word in place.word_coordinates] if place else [],
            raw=entry.raw,
            verdict=entry.verdict.value,
            probability=entry.probability,
        )


def _polygon(quad: Quad) -> list[WirePoint]:
    return [WirePoint(x=point.x, y=point.y) for point in quad]


def _ranges(pages: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ascending page numbers as ranges, both ends included."""
    start = last = 0
    for page in pages:
        if start and page == last + 1:
            last = page
            continue
        if start:
            yield start, last
        start = last = page
    if start:
        yield start, last
