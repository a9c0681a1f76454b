"""Finding a batch, and keeping it open while a job is added: what submitting and the batches themselves both need."""

from __future__ import annotations

from service.domain.batches import Batch
from service.domain.errors import ErrorCode, StateError
from service.storage.store import Rows


def batch_of(rows: Rows, tenant_id: str, batch_id: str, *, lock: bool = False) -> Batch:
    """A batch of this tenant; with `lock` it stays open or closed until this transaction ends.

    Raises:
        StateError: `batch_not_found`.
    """
    batch = rows.batches.find(tenant_id, batch_id, lock=lock)
    if batch is None:
        raise StateError(ErrorCode.BATCH_NOT_FOUND, f"There is no batch {batch_id[:100]!r}.", param="batch_id")
    return batch


def hold_open(rows: Rows, tenant_id: str, batch_id: str) -> None:
    """Keep a batch from being closed before a job is added to it.

    Raises:
        StateError: `batch_not_found`, or `wrong_state` when it is closed.
    """
    if batch_of(rows, tenant_id, batch_id, lock=True).closed_at is not None:
        raise StateError(
            ErrorCode.WRONG_STATE, f"The batch {batch_id!r} is closed; open another one.", param="batch_id"
        )
