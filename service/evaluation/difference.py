"""What changed between two runs, set by set and field by field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from service.domain.errors import ErrorCode, InputError
from service.evaluation.metrics import ALL
from service.evaluation.run import Run
from service.evaluation.tables import share_cell, text_table

LEAST_CHANGE = 0.0005
"""A smaller one does not show in three decimals."""
_COLUMNS = ("before", "now", "change", "high before", "high now")


class _Figures(BaseModel):
    f1: float | None = None
    high_precision: float | None = None


class _Part(BaseModel):
    fields: dict[str, _Figures]


class _Set(BaseModel):
    all: _Part
    development: _Part
    validation: _Part

    @property
    def parts(self) -> dict[str, _Part]:
        return {"all": self.all, "development": self.development, "validation": self.validation}


class EarlierRun(BaseModel):
    """The JSON of a run, as far as it is compared."""

    model: str = ""
    made_at: str = ""
    sets: dict[str, _Set]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that differs: F1, and how often `high` is right."""

    set_name: str
    part: str
    """`all`, `development` or `validation`; fields are compared in `all`."""
    field: str
    f1_before: float | None
    f1_now: float | None
    high_before: float | None
    high_now: float | None

    @property
    def is_worth_a_row(self) -> bool:
        """Sums always are; a field is if a figure moved."""
        pairs = ((self.f1_before, self.f1_now), (self.high_before, self.high_now))
        return self.field == ALL or any(_moved(before, now) for before, now in pairs)


def read_run(path: Path) -> EarlierRun:
    """A run that was written as JSON.

    Raises:
        InputError: `no_file`; `invalid_request_body`, it is no run.
    """
    try:
        return EarlierRun.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(ErrorCode.NO_FILE, f"The run {str(path)!r} cannot be read: {error.strerror}.") from None
    except ValidationError:
        raise InputError(
            ErrorCode.INVALID_REQUEST, f"{str(path)!r} is not the JSON of a run; `evaluate --json` writes one."
        ) from None


def compare_runs(before: EarlierRun, now: Run) -> tuple[Change, ...]:
    """The rows that differ, of the sets that both runs have, in the order of the later one."""
    changes: list[Change] = []
    for one in now.sets:
        old = before.sets.get(one.name)
        if old is None:
            continue
        for part, report in one.parts:
            old_fields = old.parts[part].fields
            names = sorted({*report.fields, *old_fields}) if part == "all" else [ALL]
            for name in names:
                tally, earlier = report.fields.get(name), old_fields.get(name)
                change = Change(
                    set_name=one.name,
                    part=part,
                    field=name,
                    f1_before=earlier.f1 if earlier else None,
                    f1_now=tally.f1 if tally else None,
                    high_before=earlier.high_precision if earlier else None,
                    high_now=tally.high_precision if tally else None,
                )
                if change.is_worth_a_row:
                    changes.append(change)
    return tuple(changes)


def changes_text(before: EarlierRun, changes: tuple[Change, ...]) -> str:
    """The changes as a table."""
    rows = [(_name(change), _cells(change)) for change in changes]
    return text_table(f"F1 since {before.made_at}", _COLUMNS, rows)


def _name(change: Change) -> str:
    if change.field != ALL:
        return f"  {change.field}"
    return change.set_name if change.part == "all" else f"  ({change.part})"


def _cells(change: Change) -> list[str]:
    before, now = change.f1_before, change.f1_now
    moved = "–" if before is None or now is None else f"{now - before:+z.3f}"
    highs = (change.high_before, change.high_now)
    return [share_cell(before), share_cell(now), moved, *(share_cell(share) for share in highs)]


def _moved(before: float | None, now: float | None) -> bool:
    if before is None or now is None:
        return before is not now
    return abs(now - before) >= LEAST_CHANGE
