"""Hand files to the `fieldmark serve` that owns this home."""

from __future__ import annotations

from typing import Literal, cast

import httpx
import orjson

from service.cli.desk import JobView, Order
from service.cli.home import ServerInfo
from service.domain.errors import ErrorCode, InputError, InternalError, ServiceError, StateError
from service.domain.jobs import JobStatus
from service.domain.records import Json, JsonObject

_API = "/api/v1"
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)


class HttpDesk:
    """A `Desk` on the other side of HTTP."""

    where: Literal["here", "serve"] = "serve"

    def __init__(self, server: ServerInfo, api_key: str) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Proxies of the environment are for calls that leave this machine.
        self._client = httpx.Client(base_url=server.url, headers=headers, timeout=_TIMEOUT, trust_env=False)

    def submit(self, order: Order) -> str:
        """See `Desk.submit`."""
        fields = {"schema": orjson.dumps(order.schema).decode(), "priority": order.priority.name.lower()}
        if order.split_documents:
            fields["split_documents"] = "true"
        given = {"model": order.model, "password": order.password, "pages_per_chunk": order.pages_per_chunk}
        fields |= {name: str(value) for name, value in given.items() if value is not None}
        try:
            with order.path.open("rb") as file:
                return str(self._ask("POST", "/jobs", data=fields, file=(order.path.name, file))["id"])
        except OSError as error:
            raise InputError(
                ErrorCode.NO_FILE, f"The file {str(order.path)!r} cannot be read: {error.strerror}.", param="file"
            ) from None

    def look(self, job_id: str) -> JobView:
        """See `Desk.look`."""
        job = self._ask("GET", f"/jobs/{job_id}")
        progress, error = _object(job.get("progress")), _object(job.get("error"))
        total = progress.get("pages_total")
        return JobView(
            status=JobStatus(str(job["status"])),
            pages_total=total if isinstance(total, int) else None,
            pages_read=_count(progress, "pages_read"),
            splits_total=_count(progress, "splits_total"),
            splits_done=_count(progress, "splits_done"),
            fault_code=str(error["code"]) if error else None,
            fault_message=str(error["message"]) if error else None,
        )

    def result(self, job_id: str) -> JsonObject:
        """See `Desk.result`."""
        return self._ask("GET", f"/jobs/{job_id}/result")

    def cancel(self, job_id: str) -> None:
        """See `Desk.cancel`."""
        try:
            self._ask("POST", f"/jobs/{job_id}/cancel")
        except StateError:
            return

    def close(self) -> None:
        """See `Desk.close`."""
        self._client.close()

    def _ask(
        self, method: str, path: str, *, data: dict[str, str] | None = None, file: tuple[str, object] | None = None
    ) -> JsonObject:
        files = cast("dict[str, tuple[str, bytes]] | None", {"file": file} if file else None)
        try:
            answer = self._client.request(method, _API + path, data=data, files=files)
            body = _object(cast(Json, orjson.loads(answer.content)))
        except (httpx.TransportError, orjson.JSONDecodeError) as error:
            raise InternalError(
                ErrorCode.NOT_READY,
                f"`fieldmark serve` at {self._client.base_url} did not answer ({type(error).__name__}); see its log.",
            ) from None
        if answer.is_success:
            return body
        raise _fault(answer.status_code, _object(body.get("error")))


def _fault(status: int, error: JsonObject) -> ServiceError:
    message = str(error.get("message") or f"`fieldmark serve` answered with status {status}.")
    try:
        code = ErrorCode(str(error.get("code")))
    except ValueError:  # of a newer service
        code = ErrorCode.INTERNAL
    if code is ErrorCode.INVALID_API_KEY:
        message += " The key is read from FIELDMARK_API_KEY."
    kind = StateError if status in (404, 409, 410) else InputError if status < 500 else InternalError
    return kind(code, message)


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _count(body: JsonObject, name: str) -> int:
    value = body.get(name)
    return value if isinstance(value, int) else 0
