"""Asking twice makes one job: a caller's key is taken before the body is read, and kept for a day."""

from __future__ import annotations

import hashlib

from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job
from service.domain.records import JsonObject
from service.jobs.queries import get_job
from service.jobs.services import Services
from service.protocol.json_text import canonical_json
from service.storage.store import Rows

KEPT_S = 86_400.0
_IN_FLIGHT_S = 120.0
"""A reservation whose request died without a word is free again after this."""


def reserve_key(services: Services, tenant_id: str, key: str) -> str | None:
    """Take a key; the id of the job it already made, or None if it is fresh and now this request's.

    Raises:
        StateError: `idempotency_in_flight`, another request with this key is being taken in.
    """
    now = services.clock()
    with services.store.write() as rows:
        found = rows.idempotency.get(tenant_id, key, lock=True)
        if found is not None and found[2] > now - KEPT_S:
            _, job_id, at = found
            if job_id is not None:
                return job_id
            if at > now - _IN_FLIGHT_S:
                raise _in_flight(key)
        rows.idempotency.put(tenant_id, key, "", None, now)
    return None


def refuse_second(rows: Rows, tenant_id: str, key: str) -> None:
    """Let no job be made under a key that made one meanwhile: a slow upload may outlast its reservation.

    Raises:
        StateError: `idempotency_in_flight`; whoever asks again is given the other job.
    """
    found = rows.idempotency.get(tenant_id, key, lock=True)
    if found is not None and found[1] is not None:
        raise _in_flight(key)


def _in_flight(key: str) -> StateError:
    return StateError(
        ErrorCode.IDEMPOTENCY_IN_FLIGHT,
        f"A request with the Idempotency-Key {key!r} is being taken in; try again shortly.",
        retry_after_s=1.0,
    )


def match_key(services: Services, tenant_id: str, key: str, fingerprint: str) -> Job:
    """The job a key made, if this request is the same.

    Raises:
        StateError: `idempotency_mismatch`, the key was used for something else.
    """
    with services.store.read() as rows:
        found = rows.idempotency.get(tenant_id, key)
    if found is None or found[1] is None or found[0] != fingerprint:
        raise StateError(
            ErrorCode.IDEMPOTENCY_MISMATCH,
            f"The Idempotency-Key {key!r} was used with another file, schema or options; take a new key.",
            param="Idempotency-Key",
        )
    return get_job(services, tenant_id, found[1])


def release_key(services: Services, tenant_id: str, key: str) -> None:
    """Give back a key whose request failed before it made a job; one that made a job stays."""
    with services.store.write() as rows:
        rows.idempotency.remove(tenant_id, key, None)  # a request may be cut off just after it made its job


def fingerprint_of(file_sha256: str, schema: JsonObject, options: JsonObject) -> str:
    """What makes two requests the same."""
    return hashlib.sha256(canonical_json([file_sha256, schema, options])).hexdigest()
