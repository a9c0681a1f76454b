"""The shapes of a result: values, where each stands on the page, and whether to trust it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from typing_extensions import TypeAliasType

from service.domain.geometry import Quad, turn_quad

Scalar: TypeAlias = str | int | float | bool | None
if TYPE_CHECKING:
    Json: TypeAlias = "Scalar | list[Json] | dict[str, Json]"
else:  # the named form is the one that pydantic can follow into itself
    Json = TypeAliasType("Json", "Scalar | list[Json] | dict[str, Json]")
JsonObject: TypeAlias = dict[str, Json]


def as_object(value: Json) -> JsonObject:
    """An object; an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Json) -> list[JsonObject]:
    """The objects of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Verdict(StrEnum):
    """Why a value is what it is."""

    FOUND = "found"
    ABSENT = "absent"
    """The document was read and does not have it."""
    UNREADABLE = "unreadable"
    """Its place was found, or its page could not be read."""
    AMBIGUOUS = "ambiguous"
    """Several values fit and none is better."""
    NOT_REACHED = "not_reached"
    """The pages that may hold it were not extracted."""


class Confidence(StrEnum):
    """Whether to trust a value; `high` is measured to be right at least 98 times in 100."""

    HIGH = "high"
    LOW = "low"


class Origin(StrEnum):
    """Who put a value or its place there."""

    MODEL = "model"
    GROUNDED = "grounded"
    """The model gave the value, Fieldmark found its place."""
    CORRECTED = "corrected"
    DERIVED = "derived"


class BoxCheck(StrEnum):
    """Whether the text under the box is the value."""

    MATCH = "match"
    PARTIAL = "partial"
    NONE = "none"
    UNCHECKED = "unchecked"


class Stage(StrEnum):
    """The step of the pipeline that noticed something."""

    INTAKE = "intake"
    OPEN = "open"
    READ = "read"
    PLAN = "plan"
    EXTRACT = "extract"
    MERGE = "merge"
    CHECK = "check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something a reader of the result should know; never document text."""

    stage: Stage
    code: str
    """A stable code, see docs/errors.md."""
    message: str
    page: int | None = None
    """1-based page of the file, if one page is meant."""
    split: int | None = None
    """0-based split index, if one split is meant."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a value stands: 1-based page and polygons in fractions of the page as displayed."""

    page: int
    coordinates: Quad
    word_coordinates: tuple[Quad, ...] = ()

    def turned(self, degrees: int) -> Location:
        """The place after its page was turned clockwise."""
        quarters = degrees // 90
        words = tuple(turn_quad(word, quarters) for word in self.word_coordinates)
        return Location(self.page, turn_quad(self.coordinates, quarters), words)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEntry:
    """What is known of one leaf of a record."""

    value: Scalar
    verdict: Verdict
    confidence: Confidence
    raw: str | None = None
    """The text as printed."""
    probability: float | None = None
    """Calibrated chance that the value is right, 0–1."""
    origin: Origin = Origin.MODEL
    location: Location | None = None
    box_check: BoxCheck = BoxCheck.UNCHECKED


Fields: TypeAlias = Mapping[str, FieldEntry]
"""JSON Pointer of a leaf (`/lines/2/price`, `~0` and `~1` escapes) → its entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a request or a run consumed."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    pages: int = 0
    requests: int = 0
    """Sent to the model, those that failed or were repeated included."""
    cached: int = 0
    """Splits that were answered from the cache: they cost nothing and count nowhere else but in `pages`."""
    cost: Decimal | None = None
    """In the currency of the price table; None: the model has no price there."""

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            total_tokens=self.total_tokens + other.total_tokens,
            pages=self.pages + other.pages,
            requests=self.requests + other.requests,
            cached=self.cached + other.cached,
            cost=sum(costs, Decimal(0)) if costs else None,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing:
    """Which model saw which pages, whatever came of it."""

    pages: tuple[int, ...]
    """1-based, ascending."""
    provider: str
    host: str
    """Empty: nowhere, the model is in this process."""
    model: str
    """As it was asked for."""
    version: str = ""
    """As the answer named itself; empty: there was no answer, or it did not."""


def join_processing(found: Iterable[Processing]) -> tuple[Processing, ...]:
    """One entry for each model that saw pages, in the order in which they did first."""
    pages: dict[Processing, set[int]] = {}
    for one in found:
        pages.setdefault(replace(one, pages=()), set()).update(one.pages)
    return tuple(replace(one, pages=tuple(sorted(seen))) for one, seen in pages.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks for a value of which its model does not say how sure it is."""

    token_probability: float | None = None
    """Of the least probable of its tokens, 0–1; None: not told."""
    places: int = 0
    """At how many places of its pages it stands; 0: not looked for, or nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """One split's answer, decoded: every leaf of `values` has an entry in `fields`; pages are those of the file."""

    values: JsonObject
    fields: dict[str, FieldEntry]
    pages: tuple[int, ...]
    issues: tuple[Issue, ...] = ()
    model: str = ""
    usage: Usage = NO_USAGE
    grounded: bool = True
    """Whether its values were looked for on their pages; not yet, when it came before the pages were read."""
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    """By JSON Pointer, of the values of a model that tells no confidence; empty for one that does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two answers for one scalar: the one kept, the one put aside, and the rule that chose."""

    path: str
    kept: FieldEntry
    other: FieldEntry
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The outcome of one of the schema's `x-checks`."""

    rule: str
    ok: bool
    paths: tuple[str, ...]
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The merged result for one document."""

    id: str
    index: int
    """0-based position among the file's documents."""
    pages: tuple[int, ...]
    values: JsonObject
    fields: dict[str, FieldEntry]
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """JSON Pointer of an array of objects → the ids of its rows, in order."""
    conflicts: tuple[Conflict, ...] = ()
    checks: tuple[CheckResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRows:
    """The balance of one split's rows, those of all its arrays together."""

    split: int
    """0-based split index."""
    pages: tuple[int, ...]
    """1-based pages of the file that it covered."""
    rows_in: int
    """Rows of its answer."""
    rows_out: int
    """Those that are rows of a record; the others were repeats or rests of rows, and each has an issue."""


class PageState(StrEnum):
    """Where a page ended; no page is without one."""

    EXTRACTED = "extracted"
    BLANK = "blank"
    UNREADABLE = "unreadable"
    SKIPPED_LIMIT = "skipped_limit"
    FAILED = "failed"
    NOT_REACHED = "not_reached"
    UNROUTED = "unrouted"
    """None of the job's schemas fits the document."""
    IGNORED = "ignored"
    """A person said that it is nothing to extract from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCoverage:
    """One row of the ledger of pages."""

    page: int
    text: str
    """`digital`, `ocr`, `none`, `unreadable` or `failed`, as read; `none` if never read."""
    splits: tuple[int, ...]
    state: PageState
    fields: int
    """How many values stand on the page."""
