"""One chat-completions request for the pages of one split, and what is made of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service.clients.base import ExtractionClient, PagesReference
from service.domain.errors import ErrorCode
from service.domain.pages import NO_TURNS, PageRange, PageText, TextSource, Turns
from service.domain.records import Extraction
from service.domain.schema import ExtractionSchema
from service.domain.steps import Fault, QueueName, Step, StepKind
from service.extraction.decoding.decode import Finish, decode_choice, judge_finish_reason
from service.extraction.grounding.ground import ground
from service.extraction.learning.hints import with_hints
from service.extraction.schema.narrow import narrow_schema
from service.extraction.splitting.plan import PlannedSplit, SplitKind, halve, halve_fields
from service.jobs.learned.memory import lessons_of, recall
from service.jobs.lifecycle import NewStep, is_to_read
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.jobs.steps.model_request import ask
from service.protocol.completion import ChatCompletion, Choice
from service.protocol.json_text import encode_json
from service.protocol.request import ExtractionRequest

_FREE = -1


def schema_of(claim: Claim) -> ExtractionSchema:
    """The part of the caller's schema that this split asks for."""
    return narrow_schema(claim.job.parsed_schemas()(claim.step.document), claim.step.fields)


def without_blank_ends(services: Services, claim: Claim) -> Claim | None:
    """The claim without blank pages at its ends, which may not have been read yet; None if all are blank.

    Only for a model that is given the file: any other is asked about pages that were read.
    """
    client, _ = services.models.resolve(claim.job.options.model)
    if client.capabilities.pages_as != "file":
        return claim
    pages, source_key = claim.step.pages, claim.job.source_key or ""
    with services.store.read() as rows:
        known = rows.pages.sources_of(source_key, (pages[0], pages[-1]))
    if all(known.get(page, TextSource.NONE) is not TextSource.NONE for page in (pages[0], pages[-1])):
        return claim
    with services.blobs.local(source_key) as path:
        inked = services.reader.inked(path, PageRange(pages[0], pages[-1]))
    within = tuple(n for n in pages if inked is not None and inked.first <= n <= inked.last)
    return replace(claim, step=replace(claim.step, pages=within)) if within else None


def build_request(services: Services, claim: Claim) -> ExtractionRequest:
    """The request for a split; where the model wants bytes, its pages are cut out of the file."""
    job = claim.job
    client, model = services.models.resolve(job.options.model)
    schema = schema_of(claim)
    source = schema.source
    with services.store.read() as rows:
        memories = recall(rows, claim)
        turns = rows.pages.turns(job.source_key or "") if client.capabilities.pages_as == "file" else NO_TURNS
    if memories and client.capabilities.pages_as != "reference":
        spare = client.capabilities.max_schema_chars - len(encode_json(source))
        source = with_hints(source, lessons_of(memories), most_chars=spare)
    if client.capabilities.pages_as == "file":
        file: str | bytes = _file_of(services, claim, client, turns)
    else:
        file = PagesReference(job.source_key or "", claim.step.pages, tuple(memory.id for memory in memories)).url()
    return ask(model, file, source, schema.name, mode=job.options.mode if job.options.mode != "standard" else None)


def _file_of(services: Services, claim: Claim, client: ExtractionClient, turns: Turns) -> bytes:
    source_key, pages = claim.job.source_key or "", claim.step.pages
    with services.blobs.local(source_key) as path:
        if (
            not turns
            and len(pages) == claim.job.page_count
            and path.stat().st_size <= client.capabilities.max_file_bytes
        ):
            return path.read_bytes()
        return services.reader.cut(path, PageRange(pages[0], pages[-1]), turns=turns)


def covered_pages(claim: Claim, client: ExtractionClient) -> tuple[int, ...]:
    """File pages in the order in which the model numbers them."""
    pages = claim.step.pages
    return PageRange(pages[0], pages[-1]).numbers() if client.capabilities.pages_as == "file" else pages


def read_answer(services: Services, claim: Claim, answer: ChatCompletion) -> Outcome:
    """Decode and ground an answer, or ask again for less.

    Raises:
        DecodingError: the answer cannot be used.
    """
    if not answer.choices:
        return _ended(ErrorCode.MODEL_BAD_ANSWER, "The model answered without a choice.")
    choice = answer.choices[0]
    finish = judge_finish_reason(choice.finish_reason)
    if finish is Finish.TRUNCATED:
        return _ask_for_less(claim)
    if finish is Finish.FILTERED:
        return _ended(
            ErrorCode.CONTENT_FILTERED, "The model's provider withheld the answer for these pages (content filter)."
        )
    found = _extraction(services, claim, choice)
    return Outcome(result=found, awaited=frozenset(() if found.grounded else found.pages))


def _extraction(services: Services, claim: Claim, choice: Choice) -> Extraction:
    client, _ = services.models.resolve(claim.job.options.model)
    schema = schema_of(claim)
    pages = covered_pages(claim, client)
    found = decode_choice(choice, schema=schema, pages=pages, model=services.models.canonical(claim.job.options.model))
    texts = _texts(services, claim, pages)
    if texts is None:
        return replace(found, grounded=False)  # merging waits for the reading, and does it then
    return ground(found, schema, texts)


def _texts(services: Services, claim: Claim, pages: tuple[int, ...]) -> Mapping[int, PageText] | None:
    """The pages as they were read; None: one of them is still to be read."""
    source_key = claim.job.source_key or ""
    with services.store.read() as rows:
        known = rows.pages.sources(source_key)
        if any(is_to_read(known.get(page)) for page in pages):
            return None
        return {text.page: text for text in rows.pages.load(source_key, pages)}


def _ask_for_less(claim: Claim) -> Outcome:
    step = claim.step
    kind = SplitKind.FIELD_GROUP if step.fields else SplitKind.PAGE_CHUNK
    split = PlannedSplit(index=step.ordinal, pages=step.pages, document=step.document, kind=kind, fields=step.fields)
    schema = claim.job.parsed_schemas()(step.document)
    halves = halve(split, first_index=0) or halve_fields(split, schema, first_index=0)
    if not halves:
        return _ended(
            ErrorCode.OUTPUT_TRUNCATED,
            f"The model's answer for page {step.pages[0]} was cut off even for a single field of a single page.",
        )
    return Outcome(more=tuple(_half(half, step) for half in halves))


def _half(half: PlannedSplit, step: Step) -> NewStep:
    return NewStep(
        kind=StepKind.EXTRACT,
        ordinal=_FREE,
        pages=half.pages,
        document=half.document,
        fields=half.fields,
        queue=QueueName(step.queue),
    )


def _ended(code: ErrorCode, message: str) -> Outcome:
    return Outcome(fault=Fault(code=code, message=message))
