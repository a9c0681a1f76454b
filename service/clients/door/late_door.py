"""The way to a model server as clients hold it: opened by the first call.

Whoever only asks what a model can (the planner, intake, the command line) never loads the libraries of HTTP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.clients.door.call import AnswerReader, Call, DoorOptions
from service.protocol.completion import ChatCompletion

if TYPE_CHECKING:
    from service.clients.door.http_door import HttpDoor


class LateDoor:
    """An `HttpDoor` from its first call on; used on one event loop."""

    def __init__(self, options: DoorOptions) -> None:
        self._options = options
        self._door: HttpDoor | None = None

    async def post(self, call: Call, reader: AnswerReader) -> ChatCompletion:
        """See `HttpDoor.post`."""
        if self._door is None:
            from service.clients.door.http_door import HttpDoor  # late: a fifth of a second and twenty megabytes

            self._door = HttpDoor(self._options)
        return await self._door.post(call, reader)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        if self._door is not None:
            await self._door.close()
