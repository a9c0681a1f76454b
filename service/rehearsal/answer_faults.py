"""Faults inside a completion that is one by its form: its text, its reason to stop, its places."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from service.rehearsal.annotations import corners
from service.rehearsal.json_values import JsonObject, as_list, as_number, as_object, as_text, objects_in, read_json
from service.rehearsal.record_faults import RECORD_FAULTS
from service.rehearsal.script import Fault

_ADDITIONAL = "additional_values"
_HUGE_CHARS, _LOOP_CHARS = 1_000_000, 20_000


def spoil(answer: JsonObject, fault: Fault, schema: JsonObject) -> JsonObject:
    """The answer as the fault leaves it.

    Args:
        answer: a whole completion in either shape; it is changed.
        fault: of the kind `answer`.
        schema: what the answer was asked in.
    """
    for choice in objects_in(answer.get("choices")):
        _spoil_choice(choice, fault, schema)
    return answer | {"object": None, "system_fingerprint": None} if fault.name == "bare_choice" else answer


def _spoil_choice(choice: JsonObject, fault: Fault, schema: JsonObject) -> None:
    name, message = fault.name, as_object(choice.get("message"))
    if name in RECORD_FAULTS:
        _write(message, RECORD_FAULTS[name](as_object(read_json(_read(message))), schema))
    elif name in _TEXTS:
        _write(message, _TEXTS[name](_read(message), fault))
    elif name in _PLACES:
        for function in _functions(message):
            if function.get("name") == _ADDITIONAL:
                function["arguments"] = _PLACES[name](read_json(as_text(function.get("arguments"))))
    if name in _CHOICES:
        _CHOICES[name](choice, message, fault)


def _functions(message: JsonObject) -> Iterator[JsonObject]:
    return (as_object(call.get("function")) for call in objects_in(message.get("tool_calls")))


def _record_call(message: JsonObject) -> JsonObject | None:
    """The call whose arguments are the record, where the answer was asked for so."""
    return next((function for function in _functions(message) if function.get("name") != _ADDITIONAL), None)


def _read(message: JsonObject) -> str:
    call = _record_call(message)
    return as_text(message.get("content") if call is None else call.get("arguments"))


def _write(message: JsonObject, text: str | None) -> None:
    call = _record_call(message)
    if call is None:
        message["content"] = text
    else:
        call["arguments"] = text or ""


def _shortened(text: str, _fault: Fault) -> str:
    return text[: len(text) * 2 // 3]


def _looping(text: str, fault: Fault) -> str:
    """The answer without its last brace, and then one of its rows again and again."""
    tables = (as_list(value) for value in as_object(read_json(text)).values())
    piece = json.dumps(next((rows[0] for rows in tables if rows), "the same again")) + ", "
    return f'{text[:-1]}, "and_on": [{piece * (_count(fault, "chars", _LOOP_CHARS) // len(piece) + 1)}'


def _count(fault: Fault, option: str, otherwise: int) -> int:
    return int(as_number(fault.options.get(option), otherwise))


_TEXTS: Mapping[str, Callable[[str, Fault], str | None]] = {
    "content": lambda _, fault: as_text(fault.options.get("text")),
    "length": _shortened,
    "cut_text": _shortened,
    "fences": lambda text, _: f"```json\n{text}\n```",
    "prose": lambda text, _: f"Here is the record:\n{text}\nAnything else? [1]",
    "think_tags": lambda text, _: f'<think>Is it {{"total": 1}}? No.</think>\n{text}',
    "double_encoded": lambda text, _: json.dumps(text),
    "listed": lambda text, _: f"[{text}]",
    "huge_value": lambda text, fault: f'{text[:-1]}, "note": "{"x" * _count(fault, "chars", _HUGE_CHARS)}"}}',
    "loop": _looping,
    "empty_content": lambda _text, _fault: "",
    "null_content": lambda _text, _fault: None,
}


def _every_second(arguments: JsonValue) -> str:
    return json.dumps(dict(list(as_object(arguments).items())[::2]))


def _on_leaves(**change: JsonValue) -> Callable[[JsonValue], str]:
    """Sets keys of every leaf, those that it has."""

    def walk(node: JsonValue) -> JsonValue:
        if isinstance(node, list):
            return [walk(child) for child in node]
        given = as_object(node)
        if "_value" not in given:
            return {name: walk(child) for name, child in given.items()}
        return given | {name: value for name, value in change.items() if name in given}

    return lambda arguments: json.dumps(walk(arguments))


_PIXELS, _FLAT = corners(120, 300, 480, 330), corners(0.1, 0.5, 0.4, 0.5)
_PLACES: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "missing_leaves": _every_second,
    "arguments_object": lambda arguments: arguments,
    "arguments_broken": lambda arguments: json.dumps(arguments)[:-2],
    "page_minus_one": _on_leaves(page=-1, coordinates=[], word_coordinates=[]),
    "page_beyond": _on_leaves(page=9999),
    "boxes_outside": _on_leaves(coordinates=_PIXELS, word_coordinates=[_PIXELS]),
    "boxes_flat": _on_leaves(coordinates=_FLAT, word_coordinates=[_FLAT]),
}


def _stops(choice: JsonObject, _message: JsonObject, fault: Fault) -> None:
    choice["finish_reason"] = _REASONS.get(fault.name, "stop")


def _stops_as_told(choice: JsonObject, _message: JsonObject, fault: Fault) -> None:
    choice["finish_reason"] = fault.options.get("reason" if fault.name == "finish" else "finish", _LOOSE[fault.name])


def _is_withheld(choice: JsonObject, message: JsonObject, fault: Fault) -> None:
    message.clear()
    message |= {"content": "", "role": "assistant"}
    _stops(choice, message, fault)


def _declines(_choice: JsonObject, message: JsonObject, _fault: Fault) -> None:
    message |= {"content": None, "refusal": "I cannot help with that."}
    message.pop("tool_calls", None)


def _thinks(choice: JsonObject, message: JsonObject, _fault: Fault) -> None:
    message |= {"reasoning_content": '{"number": "from the thoughts"} hm', "mood": ["calm"], "annotations": []}
    choice |= {"content_filter_results": {}, "native_finish_reason": "x"}


def _writes_its_call(_choice: JsonObject, message: JsonObject, _fault: Fault) -> None:
    message["content"] = _read(message)
    message.pop("tool_calls", None)


def _is_bare(choice: JsonObject, message: JsonObject, _fault: Fault) -> None:
    nulls: JsonObject = {"function_call": None, "tool_calls": None}
    choice |= {"index": None, "logprobs": None, "message": nulls | message}


def _has_no_places(_choice: JsonObject, message: JsonObject, _fault: Fault) -> None:
    message.pop("tool_calls", None)


_REASONS: Mapping[str, str | None] = {
    "length": "length",
    "content_filter": "content_filter",
    "unknown_finish_reason": "recitation",
    "null_finish_reason": None,
}
_LOOSE: Mapping[str, str] = {"finish": "stop", "content": "stop", "loop": "length"}
_CHOICES: Mapping[str, Callable[[JsonObject, JsonObject, Fault], None]] = {
    **dict.fromkeys(("length", "unknown_finish_reason", "null_finish_reason"), _stops),
    **dict.fromkeys(("finish", "content", "loop"), _stops_as_told),
    "content_filter": _is_withheld,
    "refusal": _declines,
    "thoughts": _thinks,
    "in_content": _writes_its_call,
    "bare_choice": _is_bare,
    "no_tool_calls": _has_no_places,
}
