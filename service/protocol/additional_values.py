"""The function call `additional_values`: where each value stands and how sure the model is, beside the answer.

Its arguments mirror the answer: the same keys, arrays of the same length and order, and in place of each scalar an
object with `_value`, `confidence`, `page`, `coordinates`, `word_coordinates`.

Source: https://console.upstage.ai/docs (information extraction), read 2026-11-30.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field, FiniteFloat, JsonValue

from service.protocol.base import ODD_IS_NONE, WireModel
from service.protocol.completion import FunctionCall, Message, ToolCall
from service.protocol.json_text import decode_json, encode_json

FUNCTION_NAME = "additional_values"
_DECIMALS = 4
_NOWHERE = -1


class MalformedArguments(ValueError):
    """The arguments of `additional_values` are not a JSON object."""


class WirePoint(WireModel):
    """A corner, in fractions 0–1 of the page; origin top-left, y downwards."""

    x: FiniteFloat
    y: FiniteFloat


Polygon: TypeAlias = list[WirePoint]
"""Four corners, clockwise from the top-left one."""


class AdditionalValue(WireModel):
    """What is told of one scalar of the answer. None: the key is absent, or has another form than described."""

    value: JsonValue = Field(validation_alias="_value", serialization_alias="_value")
    """The scalar again, as in the answer (`3` may be `3.0`)."""
    confidence: Annotated[str | None, ODD_IS_NONE] = None
    """`high` or `low`; other strings are kept."""
    page: Annotated[int | None, ODD_IS_NONE] = None
    """1-based; -1 when nothing was located."""
    coordinates: Annotated[Polygon | None, ODD_IS_NONE] = None
    """The box of the layout element; empty when nothing was located."""
    word_coordinates: Annotated[list[Polygon] | None, ODD_IS_NONE] = None
    """A polygon for each word, in reading order; empty when no word matched."""
    raw: Annotated[str | None, ODD_IS_NONE] = None
    """Fieldmark's own: the text as printed."""
    verdict: Annotated[str | None, ODD_IS_NONE] = None
    """Fieldmark's own: why the value is what it is."""
    probability: Annotated[FiniteFloat | None, ODD_IS_NONE] = None
    """Fieldmark's own: the chance, 0–1, that the value is right."""

    @property
    def is_located(self) -> bool:
        """Whether it says a place: a page that exists and at least one polygon."""
        return self.page is not None and self.page >= 1 and bool(self.coordinates or self.word_coordinates)


AdditionalTree: TypeAlias = "AdditionalValue | dict[str, AdditionalTree] | list[AdditionalTree]"
"""The answer's shape with `AdditionalValue` leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafKeys:
    """Which keys a written leaf has beside `_value`."""

    confidence: bool = False
    page: bool = False
    coordinates: bool = False
    word_coordinates: bool = False
    own: bool = False
    """`raw`, `verdict`, `probability` and any key that is not the vendor's, each where it has a value."""


def read_additional_values(message: Message) -> AdditionalTree | None:
    """What the message tells beside its answer; None when it makes no such call.

    An object with the key `_value` is a leaf, unless that holds an object itself. A bare scalar where a leaf should be
    counts as a leaf that tells nothing more.

    Raises:
        MalformedArguments: the call is there, but its arguments are not a JSON object.
    """
    call = message.find_tool_call(FUNCTION_NAME)
    if call is None or call.function is None:
        return None
    arguments: JsonValue = call.function.arguments
    if isinstance(arguments, str):
        try:
            arguments = decode_json(arguments)
        except ValueError as error:
            raise MalformedArguments(f"the arguments of {FUNCTION_NAME!r} are not JSON") from error
    if not isinstance(arguments, dict):
        raise MalformedArguments(f"the arguments of {FUNCTION_NAME!r} are JSON, but not an object")
    return _read_node(arguments)


def _read_node(node: JsonValue) -> AdditionalTree:
    if isinstance(node, list):
        return [_read_node(child) for child in node]
    if not isinstance(node, dict):
        return AdditionalValue(value=node)
    if "_value" in node and not isinstance(node["_value"], dict):
        return AdditionalValue.model_validate(node)
    return {key: _read_node(child) for key, child in node.items()}


def additional_values_call(tree: AdditionalTree, *, call_id: str | None, keys: LeafKeys) -> ToolCall:
    """The call that tells the tree: compact JSON, coordinates rounded to four decimals, leaf keys in the usual order.

    A leaf that has no place gets page -1 and empty lists for the keys that are asked for.
    """
    arguments = encode_json(_plain_node(tree, keys)).decode("utf-8")
    function = FunctionCall(name=FUNCTION_NAME, arguments=arguments)
    return ToolCall(type="function", function=function) if call_id is None else ToolCall(id=call_id, function=function)


def _plain_node(tree: AdditionalTree, keys: LeafKeys) -> JsonValue:
    if isinstance(tree, dict):
        return {key: _plain_node(child, keys) for key, child in tree.items()}
    if isinstance(tree, list):
        return [_plain_node(child, keys) for child in tree]
    return _plain_leaf(tree, keys)


def _plain_leaf(leaf: AdditionalValue, keys: LeafKeys) -> JsonValue:
    plain: dict[str, JsonValue] = {"_value": leaf.value}
    if keys.confidence and leaf.confidence is not None:
        plain["confidence"] = leaf.confidence
    if keys.page:
        plain["page"] = leaf.page if leaf.is_located else _NOWHERE
    if keys.coordinates:
        plain["coordinates"] = _plain_polygon(leaf.coordinates or []) if leaf.is_located else []
    if keys.word_coordinates:
        words = leaf.word_coordinates if leaf.is_located else None
        plain["word_coordinates"] = [_plain_polygon(word) for word in words or ()]
    if keys.own:
        own: dict[str, JsonValue] = {"raw": leaf.raw, "verdict": leaf.verdict, "probability": leaf.probability}
        own |= leaf.model_extra or {}
        plain |= {key: value for key, value in own.items() if value is not None}
    return plain


def _plain_polygon(polygon: Polygon) -> list[JsonValue]:
    return [{"x": round(point.x, _DECIMALS), "y": round(point.y, _DECIMALS)} for point in polygon]


def confidence_score(tree: AdditionalTree) -> str:
    """The choice's `confidence_score`: the tree with each leaf's probability, four decimals; null where none is known.

    Written with ", " and ": ", as it has been seen.
    """
    return json.dumps(_scores(tree), ensure_ascii=False)


def _scores(tree: AdditionalTree) -> JsonValue:
    if isinstance(tree, dict):
        return {key: _scores(child) for key, child in tree.items()}
    if isinstance(tree, list):
        return [_scores(child) for child in tree]
    return None if tree.probability is None else round(tree.probability, _DECIMALS)
