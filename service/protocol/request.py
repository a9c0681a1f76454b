"""What is asked of an extraction model, as it is sent to one and as it is received in the place of one.

A body that breaks a rule gives pydantic's `ValidationError`, whose `errors()` name the place of each fault.

Source: https://console.upstage.ai/docs (information extraction) and https://developers.openai.com/api/reference
(chat completions), read 2026-11-30.
"""

from __future__ import annotations

import string
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Discriminator, Field, JsonValue, Tag, model_validator

from service.protocol.base import WireModel
from service.protocol.json_text import decode_json, encode_json

_LONG_URL = 4_096
_NEVER_ESCAPED = (string.ascii_letters + string.digits + "+/=:;,-._").encode("ascii")
"""Signs that stand in a JSON string as they are, as far as data URLs have them."""
Mode = Literal["standard", "enhanced"]
LocationGranularity = Literal["element", "word", "all"]
"""Boxes of layout elements, of words, or both; the vendor's default is `element`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOptions:
    """What a request may ask for beside the answer. None: not sent, the model's own default holds."""

    mode: Mode | None = None
    location: bool | None = None
    location_granularity: LocationGranularity | None = None
    confidence: bool | None = None
    split: bool | None = None
    """One choice for each document of the file."""
    pages_per_chunk: int | None = None
    """Pages the model's own splitting covers at a time (≥ 1)."""
    full: bool | None = None
    """Fieldmark's own, asked for by header (`FULL_ANSWER`): every leaf key, and null where there is no value."""


NOTHING_ASKED = ExtractionOptions()
FULL_ANSWER = ("x-fieldmark-answer", "full")
"""Header and value with which one Fieldmark asks another for all that it knows; other servers do not look at it."""


class TextPart(WireModel):
    """Words of the caller: an instruction, or text of pages."""

    type: Literal["text"] = "text"
    text: str


class ImageUrl(WireModel):
    """Where a file is: an `http(s)` address, a data URL, or a reference between Fieldmark's own rooms."""

    url: str = Field(min_length=1)


class ImageUrlPart(WireModel):
    """A file, of whatever format: its kind is found from the bytes."""

    type: Literal["image_url"] = "image_url"
    image_url: ImageUrl


class FileData(WireModel):
    """A file inside OpenAI's `file` part."""

    file_data: str = Field(min_length=1)
    """A data URL."""


class FilePart(WireModel):
    """OpenAI's own way to send a PDF; accepted, never sent."""

    type: Literal["file"] = "file"
    file: FileData


class InstructionPart(WireModel):
    """A system message that stands inside a user message's content, as one of the vendor's samples writes it."""

    role: Literal["system", "developer"]
    content: str


def _part_kind(part: object) -> str | None:
    given = cast("dict[str, object]", part).get("type") if isinstance(part, dict) else getattr(part, "type", None)
    if given is None:
        return "<instruction>"
    return f"<{given}>" if isinstance(given, str) else None


RequestPart = Annotated[
    Annotated[TextPart, Tag("<text>")]
    | Annotated[ImageUrlPart, Tag("<image_url>")]
    | Annotated[FilePart, Tag("<file>")]
    | Annotated[InstructionPart, Tag("<instruction>")],
    Discriminator(
        _part_kind,
        custom_error_type="content_part",
        custom_error_message="A content part has type 'text', 'image_url' or 'file'",
    ),
]


def _content_kind(content: object) -> str | None:
    return "<string>" if isinstance(content, str) else "<list>" if isinstance(content, list) else None


RequestContent = Annotated[
    Annotated[str, Tag("<string>")] | Annotated[list[RequestPart], Tag("<list>")],
    Discriminator(
        _content_kind,
        custom_error_type="content",
        custom_error_message="The content of a message is a string or a list of parts",
    ),
]


class RequestMessage(WireModel):
    """One message of a request."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: RequestContent | None = None

    def texts(self) -> Iterator[str]:
        """Every text, in order."""
        if isinstance(self.content, str):
            yield self.content
            return
        for part in self.content or ():
            if isinstance(part, TextPart):
                yield part.text
            elif isinstance(part, InstructionPart):
                yield part.content

    def file_urls(self) -> Iterator[str]:
        """The URL of every file, in order."""
        for part in self.content or () if not isinstance(self.content, str) else ():
            if isinstance(part, ImageUrlPart):
                yield part.image_url.url
            elif isinstance(part, FilePart):
                yield part.file.file_data


class NamedSchema(WireModel):
    """The schema with its name."""

    name: str = Field("document_schema", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    source: dict[str, JsonValue] = Field(validation_alias="schema", serialization_alias="schema")
    """The caller's own document; it is checked above, not here."""


class ResponseFormat(WireModel):
    """The form of the answer; only `json_schema` can be extracted into."""

    type: Literal["json_schema"] = "json_schema"
    json_schema: NamedSchema


class Chunking(WireModel):
    """How the model may cut a long file."""

    pages_per_chunk: int | None = Field(None, ge=1)


def _chunking_value(value: object) -> object:
    return decode_json(value) if isinstance(value, str) else value


class StreamOptions(WireModel):
    """What a stream carries beside the answer."""

    include_usage: bool | None = None


class FileRequest(WireModel):
    """A request about files: what extraction and schema generation have in common."""

    model: str = Field(min_length=1)
    messages: list[RequestMessage] = Field(min_length=1)
    stream: bool | None = None
    """Sent as `false` by some clients that do not stream."""
    stream_options: StreamOptions | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> FileRequest:
        if not self.file_urls():
            raise ValueError("no file: a user message must hold an 'image_url' part with the file's URL or data URL")
        if self.stream_options is not None and not self.stream:
            raise ValueError("'stream_options' is only allowed with 'stream': true")
        return self

    def file_urls(self) -> tuple[str, ...]:
        """The URLs of all files, in the order of the messages; one for an extraction."""
        return tuple(url for message in self.messages for url in message.file_urls())

    def instruction(self) -> str:
        """Everything the caller says in words, a paragraph each: as system message, inside the content, or apart."""
        return "\n\n".join(text for message in self.messages for text in message.texts() if text.strip())

    def body(self) -> bytes:
        """The JSON body; keys whose value is None are left out."""
        keys = self.model_dump(by_alias=True, exclude_none=True)
        mark = uuid.uuid4().hex
        files = [_set_aside(part["image_url"], mark) for part in _image_parts(keys)]
        pieces = encode_json(keys).split(mark.encode("ascii"))
        whole = [file for file in files if file is not None]
        return b"".join(piece for pair in zip(pieces, [*whole, b""], strict=True) for piece in pair)


def _image_parts(keys: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in keys["messages"]:
        content = message.get("content")
        yield from (part for part in content or () if "image_url" in part) if isinstance(content, list) else ()


def _set_aside(image: dict[str, Any], mark: str) -> bytes | None:
    """A file's long URL, with a mark left in its place; None where it stays.

    An encoder would take many times its size for a moment, in case signs of it had to be escaped.
    """
    url = image["url"]
    plain = url.encode("ascii") if url.isascii() and len(url) > _LONG_URL else b""
    if not plain or plain.translate(None, _NEVER_ESCAPED):
        return None
    image["url"] = mark
    return plain


class OptionFields(WireModel):
    """The options as they stand on the wire, in a JSON body or as form fields (text, `chunking` as JSON text)."""

    mode: Mode | None = None
    location: bool | None = None
    location_granularity: LocationGranularity | None = None
    confidence: bool | None = None
    split: bool | None = None
    """Also received under its older name `doc_split`."""
    chunking: Annotated[Chunking | None, BeforeValidator(_chunking_value)] = None

    @model_validator(mode="before")
    @classmethod
    def _rename_doc_split(cls, body: object) -> object:
        if not isinstance(body, dict) or "doc_split" not in body:
            return cast(object, body)
        given = cast("dict[str, object]", body)
        rest = {key: value for key, value in given.items() if key != "doc_split"}
        return {"split": given["doc_split"]} | rest

    def options(self) -> ExtractionOptions:
        """What is asked for beside the answer."""
        return ExtractionOptions(
            mode=self.mode,
            location=self.location,
            location_granularity=self.location_granularity,
            confidence=self.confidence,
            split=self.split,
            pages_per_chunk=self.chunking.pages_per_chunk if self.chunking else None,
        )


class ExtractionRequest(OptionFields, FileRequest):
    """A request to read one file into a schema."""

    response_format: ResponseFormat

    def schema_source(self) -> dict[str, JsonValue]:
        """The schema as the caller wrote it."""
        return self.response_format.json_schema.source


def build_extraction_request(
    *, model: str, file_url: str, schema: dict[str, JsonValue], schema_name: str, options: ExtractionOptions
) -> ExtractionRequest:
    """The request to read one file: one user message with one part, as the vendor asks.

    `file_url` is an `http(s)` address, a data URL (`encode_data_url`), or a reference that the client understands.

    Raises:
        ValidationError: a value breaks a rule of the wire, such as the form of a schema's name.
    """
    chunk = options.pages_per_chunk
    return ExtractionRequest(
        model=model,
        messages=[RequestMessage(role="user", content=[ImageUrlPart(image_url=ImageUrl(url=file_url))])],
        response_format=ResponseFormat(json_schema=NamedSchema(name=schema_name, source=schema)),
        mode=options.mode,
        location=options.location,
        location_granularity=options.location_granularity,
        confidence=options.confidence,
        split=options.split,
        chunking=Chunking(pages_per_chunk=chunk) if chunk is not None else None,
    )
