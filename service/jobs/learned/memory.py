"""What is remembered of layouts: found for the next document of the same one, listed, forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.errors import ErrorCode, StateError
from service.domain.memory import Landmark, Lessons, Memory
from service.domain.pages import PageText
from service.extraction.learning.memory import SAME_LAYOUT, landmarks, likeness
from service.jobs.services import Services
from service.jobs.settle import Claim
from service.storage.store import Rows

MOST_LISTED = 500
MOST_KNOWN = 300
"""Memories of a schema that are looked through, the newest."""
_MOST_COMPARED = 40
"""Of these, those that are compared place by place: the ones that share most words."""
_MOST_USED = 5
_WORSE = 0.15
"""How much less alike than the best one another memory may be."""


def recall(rows: Rows, claim: Claim) -> tuple[Memory, ...]:
    """The memories of the layout of a split's document, the newest first; none where nothing like it was seen."""
    job = claim.job
    schema_name = job.parsed_schemas()(claim.step.document).name
    known = rows.memories.newest(job.tenant_id, schema_name, MOST_KNOWN)
    if not known:
        return ()
    document = job.page_ranges()[claim.step.document]
    first = first_worded(rows.pages.load(job.source_key or "", document.numbers()[:3]))
    return () if first is None else alike(known, landmarks(first))


def alike(known: Sequence[Memory], seen: Sequence[Landmark]) -> tuple[Memory, ...]:
    """Those of the memories that are of the layout, in their order."""
    words = {mark.text for mark in seen}
    shared = sorted(known, key=lambda memory: -len(words.intersection(m.text for m in memory.landmarks)))
    scored = {memory.id: likeness(memory.landmarks, seen) for memory in shared[:_MOST_COMPARED]}
    least = max(SAME_LAYOUT, max(scored.values(), default=0.0) - _WORSE)
    return tuple(memory for memory in known if scored.get(memory.id, 0.0) >= least)[:_MOST_USED]


def lessons_of(memories: Sequence[Memory]) -> Lessons:
    """All that some memories say, the newest first."""
    return Lessons(
        fields=tuple(lesson for memory in memories for lesson in memory.lessons),
        tables=tuple(table for memory in memories for table in memory.tables),
    )


def list_memories(services: Services, tenant_id: str, schema_name: str | None) -> tuple[Memory, ...]:
    """What is remembered, the newest first."""
    with services.store.read() as rows:
        return rows.memories.newest(tenant_id, schema_name, MOST_LISTED)


def delete_memory(services: Services, tenant_id: str, memory_id: str) -> None:
    """Forget one document's lessons.

    Raises:
        StateError: `memory_not_found`.
    """
    with services.store.write(durable=True) as rows:
        if not rows.memories.remove(tenant_id, memory_id):
            raise StateError(ErrorCode.MEMORY_NOT_FOUND, f"There is no memory {memory_id[:60]!r}; it may be forgotten.")
    services.store.forget_deleted()


def first_worded(texts: Sequence[PageText]) -> PageText | None:
    """The page by which a document's layout is known."""
    return next((text for text in texts if text.words), None)
