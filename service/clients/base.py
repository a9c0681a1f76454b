"""What every extraction client is, whatever stands behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from service.domain.schema import ExtractionSchema
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionRequest

PagesAs = Literal["file", "reference", "content"]
"""How the pages reach the client: the bytes as a data URL; a reference to words that were already read; or such a
reference to pages that the client may look at too, so that also pages without readable words are worth sending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model accepts and which queue its calls belong to."""

    queue: Literal["cpu", "io"]
    pages_as: PagesAs
    max_pages: int | None
    """Most pages in one request; None: any number, and the model wants the whole document at once."""
    default_pages_per_chunk: int | None
    """Pages a request covers under `pages_per_chunk: auto`; None: the whole document."""
    max_properties: int
    max_schema_chars: int
    max_file_bytes: int
    nested_objects: bool
    """Whether objects inside objects are accepted."""
    max_name_chars: int | None = None
    """Of all property names together; None: no limit of its own."""
    host: str = ""
    """Where its calls go, with the port where one is named; empty: nowhere, the model is in this process."""
    enhanced_mode: bool = False
    """Whether the model works otherwise when `mode: enhanced` is asked for."""


@dataclass(frozen=True, slots=True)
class PagesReference:
    """Pages whose words were already read, named instead of sent; it stands where a data URL would."""

    source_key: str
    pages: tuple[int, ...]
    """1-based pages of the file, in the order in which the model is to number them from 1."""
    memories: tuple[str, ...] = ()
    """Ids of what is remembered of their layout, the newest first."""

    def url(self) -> str:
        """The reference as the URL of an `image_url` part."""
        return ";".join((f"{_SCHEME}{self.source_key}#{','.join(map(str, self.pages))}", *self.memories))

    @classmethod
    def parse(cls, url: str) -> PagesReference:
        """The inverse of `url`.

        Raises:
            ValueError: it is no such reference.
        """
        key, mark, numbers = url.removeprefix(_SCHEME).rpartition("#")
        if not url.startswith(_SCHEME) or not mark:
            raise ValueError("not a reference to pages")
        pages, *memories = numbers.split(";")
        return cls(key, tuple(int(n) for n in pages.split(",")), tuple(memories))


_SCHEME = "fieldmark-pages:"


class ExtractionClient(Protocol):
    """One model provider. Instances are made by wiring, live on the process's loop thread and are closed by it."""

    @property
    def capabilities(self) -> Capabilities:
        """What the planner must know; the same for the life of the client."""
        ...

    def for_model(self, model: str) -> ExtractionClient:
        """This client with the capabilities of one of its provider's models; it shares the connections."""
        ...

    def check_schema(self, schema: ExtractionSchema) -> None:
        """Refuse a schema that this model cannot take.

        Raises:
            InputError: `invalid_schema`, with the path and the rule.
        """
        ...

    async def complete(self, request: ExtractionRequest, *, timeout_s: float) -> ChatCompletion:
        """Send one request and give the whole answer.

        Page numbers in the answer are 1-based within the request's own pages.

        Raises:
            ClientError: the call failed after the client's own retries; `retryable` tells whether a later one may work.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
