"""The embedded model behind the same door: the request names pages that were already read, not their bytes."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import ValidationError

from service.clients.base import Capabilities, PagesReference
from service.clients.schema_limits import check_schema_limits
from service.domain.errors import ClientError, ErrorCode
from service.domain.memory import Lessons
from service.domain.pages import PageText
from service.domain.records import Extraction
from service.domain.schema import ExtractionSchema, known_schema
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionRequest

if TYPE_CHECKING:
    from service.embedded.model import EmbeddedModel

PROVIDER = "embedded"
CAPABILITIES = Capabilities(
    queue="cpu",
    pages_as="reference",
    max_pages=None,
    default_pages_per_chunk=None,
    max_properties=5000,
    max_schema_chars=120_000,
    max_file_bytes=0,
    nested_objects=True,
)
"""Whole documents at a time, since dates, decimals and totals are decided by all pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedDoors:
    """What the client needs from other rooms, handed over by wiring."""

    load_pages: Callable[[PagesReference], Sequence[PageText]]
    load_lessons: Callable[[PagesReference], Lessons]
    """What people taught about the layout of the pages."""
    encode: Callable[[Extraction, str, int, tuple[int, ...]], ChatCompletion]
    """An extraction, the completion's id and time, and the pages to number from 1 → the completion."""


class EmbeddedClient:
    """Fills `ExtractionClient` without a network."""

    def __init__(self, doors: EmbeddedDoors) -> None:
        self._doors = doors

    @cached_property
    def _model(self) -> EmbeddedModel:
        from service.embedded.model import EmbeddedModel  # late: a planner asks what it can, and never runs it

        return EmbeddedModel()

    @property
    def capabilities(self) -> Capabilities:
        """What the planner must know."""
        return CAPABILITIES

    def for_model(self, model: str) -> EmbeddedClient:
        """See `ExtractionClient.for_model`: there is one model."""
        del model
        return self

    def check_schema(self, schema: ExtractionSchema) -> None:
        """See `ExtractionClient.check_schema`."""
        check_schema_limits(schema, CAPABILITIES, provider=PROVIDER, max_name_chars=CAPABILITIES.max_schema_chars)

    async def complete(self, request: ExtractionRequest, *, timeout_s: float) -> ChatCompletion:
        """See `ExtractionClient.complete`."""
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._answer, request), timeout_s)
        except TimeoutError:
            message = f"The embedded model took longer than {timeout_s:.0f} s; ask for fewer pages at a time."
            raise ClientError(ErrorCode.MODEL_TIMEOUT, message, retryable=False) from None

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, request: ExtractionRequest) -> ChatCompletion:
        try:
            reference = PagesReference.parse(request.file_urls()[0])
        except (ValueError, ValidationError) as error:
            message = "The embedded model is only reached through a job: it reads pages that were read before."
            raise ClientError(ErrorCode.MODEL_REJECTED, message, retryable=False) from error
        named = request.response_format.json_schema
        schema = known_schema(named.source, named.name)
        lessons = self._doors.load_lessons(reference)
        extraction = self._model.extract(schema, self._doors.load_pages(reference), lessons)
        completion_id = f"iex-{uuid.uuid4().hex[:16]}"
        return self._doors.encode(extraction, completion_id, int(time.time()), reference.pages)
