"""What a person says of a file before a new run: the documents inside it, their schemas, pages that mislead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from service.domain.errors import ErrorCode, InputError
from service.domain.pages import PageRange
from service.domain.routes import JobSchema, Route, UnroutedReason
from service.jobs.intake.schemas import ChosenSchemas
from service.jobs.steps.mend_pages import PageWishes


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDocument:
    """A document inside the file, as a person sees it."""

    pages: PageRange
    schema: JobSchema | None = None
    """None: the job's only one, or the one of several that it fits."""
    is_ignored: bool = False
    """Whether nothing is to be extracted from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a person says of a file before a new run."""

    documents: Sequence[GivenDocument] | None = None
    """The documents inside it, which must cover its pages; None: found anew."""
    pages: PageWishes = field(default_factory=PageWishes)


NOTHING_GIVEN = Given()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a run starts with of its schemas and documents; see `Job`."""

    schemas: tuple[JobSchema, ...]
    is_routed: bool
    documents: tuple[PageRange, ...] | None = None
    routes: tuple[Route | None, ...] | None = None


def lay_out(chosen: ChosenSchemas, given: Sequence[GivenDocument] | None) -> Layout:
    """A schema that a person gave to a document is a route that is not looked for; the others are found as usual."""
    if given is None:
        return Layout(schemas=chosen.schemas, is_routed=chosen.is_routed)
    schemas = list(chosen.schemas)
    for document in given:
        if document.schema is not None and document.schema not in schemas:
            schemas.append(document.schema)
    documents = tuple(document.pages for document in given)
    if all(document.is_ignored for document in given):
        raise _boundary_fault("nothing is left to extract from")
    ignored = Route(schema=None, reason=UnroutedReason.IGNORED)
    if len(schemas) == 1 and not chosen.is_routed:
        kept = tuple(ignored if document.is_ignored else Route(schema=0) for document in given)
        routes = kept if ignored in kept else None
        return Layout(schemas=chosen.schemas, is_routed=False, documents=documents, routes=routes)
    usual = None if chosen.is_routed else Route(schema=0)
    found = tuple(usual if d.schema is None else Route(schema=schemas.index(d.schema)) for d in given)
    routes = tuple(ignored if d.is_ignored else route for d, route in zip(given, found, strict=True))
    return Layout(schemas=tuple(schemas), is_routed=True, documents=documents, routes=routes)


def check_documents(documents: tuple[PageRange, ...], page_count: int | None) -> None:
    """Refuse boundaries that would lose a page, or give it to two documents.

    Raises:
        InputError: `invalid_request_body`, with the first page that is wrong.
    """
    wanted = 1
    for number, document in enumerate(documents):
        if document.first != wanted:
            raise _boundary_fault(f"document {number + 1} must begin at page {wanted}, behind the one before it")
        wanted = document.last + 1
    if page_count is None:
        raise _boundary_fault("the file was never opened, so that its pages are not known")
    if wanted != page_count + 1:
        raise _boundary_fault(f"the last document must end at page {page_count}, the file's last")


def _boundary_fault(why: str) -> InputError:
    return InputError(
        ErrorCode.INVALID_REQUEST, f"The documents cannot be taken: {why}. Each page is in one.", param="documents"
    )
