"""Bytes that no upload counts on: a process was killed between keeping them and writing the upload's row."""

from __future__ import annotations

import logging
from collections.abc import Collection
from itertools import islice

from service.jobs.intake.uploads import forget_blob
from service.jobs.services import Services
from service.storage.blobs.base import origin_key, tenant_of

_LOOKED_THROUGH, _AT_WORK = "blobs looked through", "blobs looked after"
_DAY_S = 86_400.0
_NOTED_S, _PAUSE_S = 600.0, 3600.0
_AT_ONCE = 500
_log = logging.getLogger(__name__)


def remove_strays(services: Services) -> None:
    """Remove bytes that were kept a day ago or longer and have no upload; once a day, for it goes over all names.

    Only what came while this database was swept without an hour's pause: one that was brought back, or that came to a
    full store by mistake, knows nothing of what else is in it, and that stays.
    """
    now = services.clock()
    with services.store.read() as rows:
        since, noted = rows.upkeep.mark(_LOOKED_THROUGH), rows.upkeep.mark(_AT_WORK)
    if noted is not None and now - noted < _NOTED_S:
        return
    if since is None or noted is None or now - noted > _PAUSE_S:
        since = now
    elif now - _DAY_S >= since + _DAY_S:
        names = services.blobs.written(since, now - _DAY_S)
        while keys := {origin_key(key) for key in islice(names, _AT_ONCE)}:
            _forget_uncounted(services, keys)
        since = now - _DAY_S
    with services.store.write() as rows:
        rows.upkeep.set_mark(_LOOKED_THROUGH, since)
        rows.upkeep.set_mark(_AT_WORK, now)


def _forget_uncounted(services: Services, keys: Collection[str]) -> None:
    with services.store.read() as rows:
        counted = rows.files.counted(keys)
    for key in sorted(set(keys) - counted):
        try:
            forget_blob(services, tenant_of(key), key)
        except Exception:  # those after it are another's; it stays, as it would without this
            _log.exception("bytes without an upload were left")
