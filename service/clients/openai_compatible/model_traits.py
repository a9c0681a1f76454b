"""What is known of the models behind OpenAI-compatible servers: one table, over which an installation lays its own.

Source: https://platform.openai.com/docs/models and the structured-outputs guide, as told by public mirrors; read
2026-11-30. The limits of a model that is not listed are guesses on the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from service.clients.base import Capabilities
from service.domain.errors import ErrorCode, InputError

SETTING = "FIELDMARK_OPENAI_MODELS"


class ModelTraits(BaseModel):
    """What one model takes and can do; the keys are those of the setting."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    context_tokens: int = Field(default=32_768, ge=1024)
    """Question and answer together."""
    max_output_tokens: int = Field(default=4_096, ge=64)
    text: bool = True
    """Pages go as text, their words placed as on the page."""
    images: bool = False
    """Pages go as pictures; beside the text, if both."""
    image_dpi: int = Field(default=120, ge=50, le=300)
    image_tokens: int = Field(default=1_600, ge=1)
    """What a picture of a page counts in the context."""
    strict_schema: bool = True
    """`response_format` with a strict `json_schema` is obeyed."""
    tool_calls: bool = True
    """The answer may be asked for as the arguments of a function."""
    schema_in_prompt: bool = True
    """The server only constrains the answer; the model sees the fields' descriptions if they stand in the prompt."""
    logprobs: bool = False
    stream: bool = False
    """The answer is taken piece by piece, and a model that repeats itself is stopped at once."""
    reasoning: bool = False
    """It takes `max_completion_tokens` instead of `max_tokens`, and no temperature."""
    max_pages: int = Field(default=20, ge=1)
    default_pages_per_chunk: int = Field(default=4, ge=1)
    """Pages of a request under `pages_per_chunk: auto`."""
    max_properties: int = Field(default=300, ge=1)
    max_schema_chars: int = Field(default=30_000, ge=100)
    extra_body: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Further keys of every request, such as `{"reasoning_effort": "low"}`."""

    @model_validator(mode="after")
    def _shows_pages(self) -> ModelTraits:
        if not (self.text or self.images):
            raise ValueError("one of 'text' and 'images' must be true")
        return self

    def capabilities(self) -> Capabilities:
        """What the planner must know of it."""
        return Capabilities(
            queue="io",
            pages_as="content" if self.images else "reference",
            max_pages=self.max_pages,
            default_pages_per_chunk=min(self.default_pages_per_chunk, self.max_pages),
            max_properties=self.max_properties,
            max_schema_chars=self.max_schema_chars,
            max_file_bytes=0,
            nested_objects=True,
        )


def _openai(context_tokens: int, max_output_tokens: int) -> ModelTraits:
    """OpenAI's own models of today."""
    return ModelTraits(
        context_tokens=context_tokens,
        max_output_tokens=max_output_tokens,
        images=True,
        schema_in_prompt=False,
        logprobs=True,
        max_pages=50,
        default_pages_per_chunk=10,
        max_properties=5_000,
        max_schema_chars=120_000,
    )


_REASONING = {"reasoning": True, "logprobs": False}
_SEES = ModelTraits(images=True, default_pages_per_chunk=3)
_UNLISTED = ModelTraits()

TRAITS: Mapping[str, ModelTraits] = {
    "gpt-4o*": _openai(128_000, 16_384),
    "chatgpt-4o*": _openai(128_000, 16_384),
    "gpt-4.1*": _openai(1_000_000, 32_768),
    "gpt-4-turbo*": _openai(128_000, 4_096).model_copy(update={"strict_schema": False}),
    "gpt-4*": _openai(8_192, 4_096).model_copy(update={"strict_schema": False, "images": False}),
    "gpt-3.5*": _openai(16_385, 4_096).model_copy(update={"strict_schema": False, "images": False}),
    "gpt-oss*": _UNLISTED,
    "gpt-*": _openai(400_000, 128_000).model_copy(update=_REASONING),
    "o[1-9]*": _openai(200_000, 100_000).model_copy(update=_REASONING),
    "*[-_.]vl*": _SEES,
    "*vl[-:]*": _SEES,
    "*vision*": _SEES,
    "*llava*": _SEES,
    "pixtral*": _SEES,
    "deepseek*": ModelTraits(context_tokens=64_000, max_output_tokens=8_000, strict_schema=False),
    "*": _UNLISTED,
}
"""By pattern of the model's name in lower case, a gateway's `vendor/` left out; the first that fits holds."""


class TraitTable:
    """The table with what the installation says about its models."""

    def __init__(self, own: Mapping[str, Mapping[str, JsonValue]]) -> None:
        """Args: own: pattern → some keys of `ModelTraits`; the first pattern that fits a model lies over the table."""
        self._own = {pattern.lower(): dict(keys) for pattern, keys in own.items()}

    def find(self, model: str) -> ModelTraits:
        """What holds for a model.

        Raises:
            InputError: `unknown_model`; the setting's entry for it has an unknown key or a value that cannot be.
        """
        known = next(traits for pattern, traits in TRAITS.items() if _fits(model, pattern))
        for pattern, keys in self._own.items():
            if _fits(model, pattern):
                return _laid_over(known, pattern, keys)
        return known


def _fits(model: str, pattern: str) -> bool:
    name = model.lower()
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)


def _laid_over(known: ModelTraits, pattern: str, keys: Mapping[str, JsonValue]) -> ModelTraits:
    try:
        return ModelTraits.model_validate(cast("dict[str, object]", known.model_dump()) | dict(keys))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join([pattern, *map(str, first["loc"])])
        message = f"The setting {SETTING} is wrong at {place!r}: {first['msg']}."
        raise InputError(ErrorCode.UNKNOWN_MODEL, message, param="model") from error
