"""Values and their entries back into the wire's form: the mirror of `decode`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.domain.geometry import Quad
from service.domain.records import Extraction, FieldEntry, Json, Record, Usage
from service.domain.schema import escape_pointer
from service.protocol.additional_values import (
    AdditionalTree,
    AdditionalValue,
    LeafKeys,
    WirePoint,
    additional_values_call,
    confidence_score,
)
from service.protocol.completion import ChatCompletion, Choice, CompletionUsage, Message
from service.protocol.json_text import encode_json
from service.protocol.request import LocationGranularity


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeOptions:
    """What is told beside the values."""

    location: bool = False
    granularity: LocationGranularity = "element"
    confidence: bool = False
    additive: bool = False
    """Leaf keys of our own (`raw`, `verdict`, `probability`), for a reader that is Fieldmark too."""
    relative_to: tuple[int, ...] | None = None
    """The file pages of the request: page numbers become 1-based positions in it. None: pages of the file."""

    def leaf_keys(self) -> LeafKeys:
        """The keys a written leaf has."""
        return LeafKeys(
            confidence=self.confidence,
            page=self.location,
            coordinates=self.location and self.granularity != "word",
            word_coordinates=self.location and self.granularity != "element",
            own=self.additive,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionHead:
    """What stands around the choices."""

    id: str
    created: int
    """Unix seconds."""
    model: str


def encode_completion(
    answers: Sequence[Extraction | Record], head: CompletionHead, options: EncodeOptions, usage: Usage | None = None
) -> ChatCompletion:
    """One choice for each answer, in order, with its page ranges; a null value stays null.

    The function call is left out when neither locations, confidence nor keys of our own are asked for.
    """
    return ChatCompletion(
        id=head.id,
        object="chat.completion",
        created=head.created,
        model=head.model,
        choices=[_choice(index, answer, options) for index, answer in enumerate(answers)],
        usage=_usage(usage) if usage else None,
    )


def _usage(usage: Usage) -> CompletionUsage:
    return CompletionUsage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens,
    )


def _choice(index: int, answer: Extraction | Record, options: EncodeOptions) -> Choice:
    extras = options.location or options.confidence or options.additive
    tree = _tree(answer.values, answer.fields, "", options) if extras else {}
    calls = [additional_values_call(tree, call_id=f"call_{index}", keys=options.leaf_keys())] if extras else None
    content = encode_json(answer.values).decode("utf-8")
    return Choice(
        index=index,
        message=Message(role="assistant", content=content, tool_calls=calls),
        finish_reason="stop",
        confidence_score=confidence_score(tree) if options.confidence else None,
        page_ranges=list(_ranges(answer.pages)),
    )


def _tree(value: Json, fields: Mapping[str, FieldEntry], path: str, options: EncodeOptions) -> AdditionalTree:
    if isinstance(value, dict):
        return {name: _tree(child, fields, f"{path}/{escape_pointer(name)}", options) for name, child in value.items()}
    if isinstance(value, list):
        return [_tree(child, fields, f"{path}/{index}", options) for index, child in enumerate(value)]
    return _leaf(fields[path], options)


def _leaf(entry: FieldEntry, options: EncodeOptions) -> AdditionalValue:
    place = entry.location
    page = place.page if place else -1
    if place and options.relative_to is not None:
        page = options.relative_to.index(place.page) + 1 if place.page in options.relative_to else -1
    return AdditionalValue(
        value=entry.value,
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
