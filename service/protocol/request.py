"""What is asked of an extraction model, as it is sent to one and as it is received in the place of one.

A body that breaks a rule gives pydantic's `ValidationError`, whose `errors()` name the place of each fault.

Source: https://console.upstage.ai/docs (information extraction) and https://developers.openai.com/api/reference
(chat completions), read 2026-11-30.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Discriminator, Field, JsonValue, PrivateAttr, Tag, model_validator

from service.protocol.base import WireModel
from service.protocol.body import Attachment, Body
from service.protocol.data_url import HEADER
from service.protocol.json_text import decode_json

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

    def whole_url(self) -> str:
        """The URL as others read it."""
        return self.url


class HeldFile(ImageUrl):
    """A file that becomes a data URL on its way; until then, `url` marks its place."""

    _data: Attachment = PrivateAttr()

    @classmethod
    def of(cls, data: bytes) -> HeldFile:
        """Hold these bytes."""
        held = cls(url=f"held:{uuid.uuid4().hex}")
        held._data = Attachment(HEADER, data)
        return held

    @property
    def data(self) -> Attachment:
        """The file."""
        return self._data

    def whole_url(self) -> str:
        """The data URL."""
        return self._data.url()


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

    def files(self) -> Iterator[ImageUrl]:
        """Every file, in order."""
        for part in self.content or () if not isinstance(self.content, str) else ():
            if isinstance(part, ImageUrlPart):
                yield part.image_url
            elif isinstance(part, FilePart):
                yield ImageUrl(url=part.file.file_data)


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
        if not self.files():
            raise ValueError("no file: a user message must hold an 'image_url' part with the file's URL or data URL")
        if self.stream_options is not None and not self.stream:
            raise ValueError("'stream_options' is only allowed with 'stream': true")
        return self

    def files(self) -> tuple[ImageUrl, ...]:
        """All files, in the order of the messages; one for an extraction."""
        return tuple(file for message in self.messages for file in message.files())

    def file_urls(self) -> tuple[str, ...]:
        """Their URLs."""
        return tuple(file.whole_url() for file in self.files())

    def instruction(self) -> str:
        """Everything the caller says in words, a paragraph each: as system message, inside the content, or apart."""
        return "\n\n".join(text for message in self.messages for text in message.texts() if text.strip())

    def body(self) -> Body:
        """The JSON body; keys whose value is None are left out."""
        held = {file.url: file.data for file in self.files() if isinstance(file, HeldFile)}
        return Body(self.model_dump(by_alias=True, exclude_none=True), held)


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
    *, model: str, file: str | bytes, schema: dict[str, JsonValue], schema_name: str, options: ExtractionOptions
) -> ExtractionRequest:
    """The request to read one file: one user message with one part, as the vendor asks.

    `file` is what it holds, an `http(s)` address, or a reference that the client understands.

    Raises:
        ValidationError: a value breaks a rule of the wire, such as the form of a schema's name.
    """
    chunk = options.pages_per_chunk
    url = HeldFile.of(file) if isinstance(file, bytes) else ImageUrl(url=file)
    return ExtractionRequest(
        model=model,
        messages=[RequestMessage(role="user", content=[ImageUrlPart(image_url=url)])],
        response_format=ResponseFormat(json_schema=NamedSchema(name=schema_name, source=schema)),
        mode=options.mode,
        location=options.location,
        location_granularity=options.location_granularity,
        confidence=options.confidence,
        split=options.split,
        chunking=Chunking(pages_per_chunk=chunk) if chunk is not None else None,
    )
