"""What the sender of a faulty request is told."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from service.protocol.async_job import read_submission
from service.protocol.fault import RequestFault, request_fault
from service.protocol.request import ExtractionRequest

SECRET = "the text of a document"


def fault_of(body: bytes) -> RequestFault:
    """The fault of a body that is refused."""
    with pytest.raises(ValidationError) as caught:
        ExtractionRequest.model_validate_json(body)
    return request_fault(caught.value)


def whole(content: object) -> bytes:
    """A request in order but for its content."""
    response_format = {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}}
    return json.dumps(
        {"model": "m", "messages": [{"role": "user", "content": content}], "response_format": response_format}
    ).encode()


@pytest.mark.parametrize(
    ("content", "param"),
    [
        (
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}],
            "messages[0].content[1].image_url.url",
        ),
        ([{"type": "text", "text": [SECRET]}], "messages[0].content[0].text"),
        ([{"type": "video", "video": SECRET}], "messages[0].content[0]"),
        ({"text": SECRET}, "messages[0].content"),
    ],
)
def test_the_place_is_written_as_the_sender_knows_it(content: object, param: str):
    """No name of ours in it, and nothing of what was sent."""
    fault = fault_of(whole(content))
    assert fault.param == param
    assert fault.message.startswith(f"{param}: ")
    assert SECRET not in fault.message


def test_a_missing_key_is_named_and_the_others_counted():
    """One message, not a list."""
    assert fault_of(b'{"model": "m"}') == RequestFault("messages: Field required (1 further fault)", "messages")
    assert fault_of(b"{}").message == "model: Field required (2 further faults)"


def test_a_fault_of_the_whole_has_no_place():
    """No file in any message."""
    fault = fault_of(whole("hello"))
    assert fault.param is None
    assert fault.message.startswith("no file: ")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff"])
def test_a_body_that_is_no_json_object_is_a_fault_like_any_other(body: bytes):
    """The same error, so the same status."""
    assert fault_of(body).param is None


def test_a_form_field_is_named_as_it_was_sent():
    """`schema`, not our name for it."""
    with pytest.raises(ValidationError) as caught:
        read_submission({"model": "m", "schema": SECRET})
    fault = request_fault(caught.value)
    assert fault.param == "schema"
    assert SECRET not in fault.message
