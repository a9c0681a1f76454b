"""Bytes that no upload counts on: a process was killed between keeping them and writing the upload's row."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from service.jobs.intake.uploads import forget_blob
from service.jobs.services import Services
from service.storage.blobs.base import origin_key, tenant_of

_MARK = "blobs looked through"
_DAY_S = 86_400.0
_AT_ONCE = 500


def remove_strays(services: Services) -> None:
    """Remove bytes that were kept a day ago or longer and have no upload; once a day, for it goes over all names.

    What lay there before this database was first swept stays: one that came to a full store by mistake knows nothing of
    what is in it.
    """
    now = services.clock()
    with services.store.read() as rows:
        since = rows.upkeep.mark(_MARK)
    if since is None:
        upto = now
    elif now - _DAY_S < since + _DAY_S:
        return
    else:
        upto = now - _DAY_S
        names = services.blobs.written(since, upto)
        while keys := {origin_key(key) for key in islice(names, _AT_ONCE)}:
            _forget_uncounted(services, keys)
    with services.store.write() as rows:
        rows.upkeep.set_mark(_MARK, upto)


def _forget_uncounted(services: Services, keys: Collection[str]) -> None:
    with services.store.read() as rows:
        counted = rows.files.counted(keys)
    for key in sorted(set(keys) - counted):
        forget_blob(services, tenant_of(key), key)
