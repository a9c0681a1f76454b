"""What a caller may ask of a job, read from a form or from JSON, checked, and handed on in the domain's words."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from service.api.bodies import parse_object
from service.api.faults import validation_fault
from service.api.forms import Fields
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import JobOptions
from service.domain.records import Json, JsonObject
from service.domain.schema_version import AUTO
from service.domain.steps import Priority
from service.jobs.intake.schemas import SchemaWish
from service.protocol.json_text import encode_json

PRINTABLE = r"^[^\x00-\x1f\x7f]+$"
SchemaReference = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=PRINTABLE)]
IN_IDS = r"^[A-Za-z0-9_]+$"
MOST_METADATA_BYTES = 65_536
_JSON_FIELDS = {"schema": ErrorCode.INVALID_SCHEMA, "metadata": ErrorCode.INVALID_REQUEST}
WAYS_TO_NAME_A_SCHEMA = frozenset({"schema", "schema_ref", "schemas"})
R = TypeVar("R", bound="OptionFields")


_PLAIN = {
    "model",
    "split_documents",
    "mode",
    "absent",
    "webhook_url",
    "retention_days",
    "cache",
    "second_opinion",
}  # fmt: skip - names alone


class OptionFields(BaseModel):
    """Options of a job; what is left out or null stays as it is by default."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    schema_: JsonObject | None = Field(None, alias="schema", description="JSON Schema of what is wanted.")
    schema_ref: SchemaReference | None = Field(
        None, description="A named schema instead: `name`, or `name@version`; GET /schemas lists them."
    )
    schemas: Annotated[list[SchemaReference], Field(min_length=1)] | Literal["auto"] | None = Field(
        None,
        description=(
            "Several named schemas instead: each document is given the one it fits, or ends `unrouted`. `auto`: all "
            "of your own, or where you have none all that come with the product. In a form also `invoice,receipt@2`."
        ),
    )
    model: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE)] | None = Field(
        None, description="`provider` or `provider:model`, one of GET /models."
    )
    split_documents: bool | None = Field(None, description="Whether the file may hold several documents.")
    pages_per_chunk: Annotated[int, Field(ge=1, le=10_000)] | Literal["auto"] | None = Field(
        None, description="Pages of one model request."
    )
    mode: Literal["standard", "enhanced"] | None = None
    priority: Literal["high", "normal", "low", "bulk"] | None = None
    absent: Literal["null", "omit"] | None = Field(None, description="How a value that is not there is written.")
    max_tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Most tokens a run may use; further splits end with `budget_exceeded`."
    )
    max_requests: Annotated[int, Field(ge=1)] | None = Field(None, description="Most model requests of a run.")
    max_cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="Most that a run may cost, by the installation's price table."
    )
    cache: bool | None = Field(None, description="Whether an answer to the same request may serve again.")
    second_opinion: bool | None = Field(
        None, description="Whether the embedded model is asked about the same pages; what both have is trusted more."
    )
    webhook_url: Annotated[str, StringConstraints(min_length=1, max_length=2000)] | None = Field(
        None, description="Where the end of each run is told; signed with the secret of the webhook `jobs`."
    )
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        None, description="Days the job is kept after its end; the schema's or the installation's if left out."
    )

    def schema_wish(self) -> SchemaWish:
        """What is said of schemas, in the words of those who find them."""
        return SchemaWish(source=self.schema_, reference=self.schema_ref, references=self.schemas)

    def merged_into(self, options: JobOptions) -> JobOptions:
        """The options with what was asked for put over them."""
        given = self.model_dump(include=_PLAIN, exclude_none=True)
        if self.pages_per_chunk is not None:
            given["pages_per_chunk"] = None if self.pages_per_chunk == "auto" else self.pages_per_chunk
        budget = self.model_dump(include={"max_tokens", "max_requests", "max_cost"}, exclude_none=True)
        if budget:
            given["budget"] = replace(options.budget, **budget)
        if self.priority is not None:
            given["priority"] = Priority[self.priority.upper()]
        return replace(options, **given)


class OwnWords(OptionFields):
    """What a caller says of a job or batch in words of its own."""

    external_id: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE)] | None = Field(
        None, description="Your own name for it; lists find it again."
    )
    metadata: JsonObject | None = Field(None, description="Anything; it comes back.")

    @field_validator("metadata")
    @classmethod
    def _keep_small(cls, value: JsonObject | None) -> JsonObject | None:
        if value is not None and len(encode_json(value)) > MOST_METADATA_BYTES:
            raise ValueError(f"larger than {MOST_METADATA_BYTES} bytes")
        return value


class BatchRequest(OwnWords):
    """A new batch; options hold for each of its jobs that says nothing else."""

    name: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = Field(
        "", description="As people call it."
    )

    def defaults(self) -> JsonObject:
        """The options that were given, as they would stand in the body of a job."""
        plain: dict[str, Json] = self.model_dump(
            mode="json", by_alias=True, include=set(OptionFields.model_fields), exclude_none=True
        )
        return {"priority": "bulk", **plain}


class JobRequest(OwnWords):
    """A new job: of a file that comes with it, or of one that was uploaded before."""

    file_id: Annotated[str, StringConstraints(max_length=64, pattern=IN_IDS)] | None = Field(
        None, description="A file that was uploaded before."
    )
    password: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=PRINTABLE)] | None = Field(
        None, description="Opens an encrypted file; forgotten once it is open."
    )
    batch_id: Annotated[str, StringConstraints(max_length=64, pattern=IN_IDS)] | None = Field(
        None, description="An open batch that it belongs to; what the job leaves out the batch says."
    )

    def over(self, defaults: JsonObject) -> JobRequest:
        """The request over what holds where it says nothing; naming a schema in any way leaves out that of a batch."""
        own: JsonObject = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if own.keys() & WAYS_TO_NAME_A_SCHEMA:
            defaults = {name: value for name, value in defaults.items() if name not in WAYS_TO_NAME_A_SCHEMA}
        return JobRequest.model_validate({**defaults, **own})

    def fingerprinted(self) -> JsonObject:
        """What makes two requests the same, beside file and schema; the password is not kept, not even as a digest."""
        left_out = {"schema_", "file_id", "password"}
        plain: dict[str, Json] = self.model_dump(mode="json", exclude=left_out, exclude_none=True)
        return plain


class GivenSpan(BaseModel):
    """A document inside the file: its pages, 1-based, both ends included, and what it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int = Field(ge=1, le=100_000)
    last: int = Field(ge=1, le=100_000)
    schema_ref: SchemaReference | None = Field(
        None, description="The named schema it has; left out: the job's only one, or the one of several that it fits."
    )

    ignore: bool = Field(False, description="Leave its pages out: nothing is extracted from them.")

    @model_validator(mode="after")
    def _in_order(self) -> GivenSpan:
        if self.last < self.first:
            raise ValueError("last comes before first")
        return self


class TurnedPage(BaseModel):
    """A page that lies on its side or on its head."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    page: int = Field(ge=1, le=100_000)
    degrees: Literal[90, 180, 270] = Field(description="Clockwise, from how it is shown now.")


class RerunRequest(OptionFields):
    """What is to be different in a new run."""

    documents: list[GivenSpan] | None = Field(
        None, min_length=1, max_length=10_000, description="The documents inside the file, as a person sees them."
    )

    read_again: list[Annotated[int, Field(ge=1, le=100_000)]] = Field(
        [], max_length=1000, description="Pages whose picture is read by OCR, whatever text they hold."
    )

    turn: list[TurnedPage] = Field(
        [], max_length=1000, description="Pages that are turned, read anew as they are shown then; each at most once."
    )

    @model_validator(mode="after")
    def _turned_once(self) -> RerunRequest:
        if len({turned.page for turned in self.turn}) < len(self.turn):
            raise ValueError("turn names a page twice")
        return self

    def changes_options(self) -> bool:
        """Whether any option is given."""
        others = {"schema_", "schema_ref", "schemas", "documents", "read_again", "turn"}
        return bool(self.model_dump(exclude=others, exclude_none=True))


def check_request(kind: type[R], body: JsonObject) -> R:
    """The request, if every part of it is taken.

    Raises:
        InputError: `invalid_option`, `option_not_supported`, `invalid_schema` or `invalid_request_body`, with the part.
    """
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        part = str((error.errors()[0]["loc"] or ("",))[0])
        if part != "schema" and part in OptionFields.model_json_schema()["properties"]:
            raise _option_fault(part, error) from None
        code = ErrorCode.INVALID_SCHEMA if part == "schema" else ErrorCode.INVALID_REQUEST
        raise validation_fault(error, code) from None


def _option_fault(name: str, error: ValidationError) -> InputError:
    """Every form in which the option would be taken."""
    wanted = [str(e["msg"]).removeprefix("Input should be ") for e in error.errors() if e["loc"][:1] == (name,)]
    return InputError(ErrorCode.INVALID_OPTION, f"The option {name!r} must be {', or '.join(wanted)}.", param=name)


def fields_as_body(fields: Fields) -> JsonObject:
    """A form's fields as the JSON body that means the same.

    Raises:
        InputError: a field that holds JSON does not.
    """
    body: JsonObject = dict(fields)
    for name, code in _JSON_FIELDS.items():
        if name in fields:
            body[name] = parse_object(fields[name], name, code)
    named = fields.get("schemas")
    if named is not None and named != AUTO:
        body["schemas"] = _names(named)
    return body


def _names(text: str) -> list[Json]:
    """Names between commas, or a JSON array of them."""
    if not text.lstrip().startswith("["):
        return [name.strip() for name in text.split(",")]
    try:
        found: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, list):
        raise InputError(ErrorCode.INVALID_OPTION, "The field 'schemas' is not a JSON array of names.", param="schemas")
    return found
