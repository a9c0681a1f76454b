"""Uploads, and how their pages are shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from service.domain.pages import PageSize, Turns


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One upload; the bytes are a blob that other uploads of the same bytes share."""

    id: str
    tenant_id: str
    name: str
    """As the caller gave it, for display only; never part of a path."""
    sha256: str
    size_bytes: int
    kind: str
    blob_key: str
    created_at: float
    source_key: str | None = None
    """Blob whose pages can be shown; None until a job opened it."""
    page_sizes: tuple[PageSize, ...] | None = None
    """Every page as displayed; None until a job opened it."""
    turns: Turns = field(default_factory=dict[int, int])
    """In `page_sizes` already."""

    def as_turned(self, turns: Turns) -> StoredFile:
        """The file with its pages turned just so."""
        if turns == self.turns or self.page_sizes is None:
            return self
        by = {s.page: turns.get(s.page, 0) - self.turns.get(s.page, 0) for s in self.page_sizes}
        return replace(self, turns=turns, page_sizes=tuple(s.turned(by[s.page]) for s in self.page_sizes))

    def shown_at(self, page: int, rotation: int) -> StoredFile:
        """The file with one page (1-based) turned so that it has this rotation."""
        if self.page_sizes is None or not 1 <= page <= len(self.page_sizes):
            return self
        further = rotation - self.page_sizes[page - 1].rotation
        return self.as_turned({**self.turns, page: (self.turns.get(page, 0) + further) % 360})
