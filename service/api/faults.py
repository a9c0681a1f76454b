"""What FastAPI and Starlette raise, turned into the one error body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from service.api.context import request_id_of
from service.api.errors import error_response
from service.api.unsupported import refuse_unsupported
from service.domain.errors import ErrorCode, InputError, ServiceError, StateError
from service.domain.records import JsonObject

M = TypeVar("M", bound=BaseModel)

_NO_SUCH: Mapping[str, tuple[ErrorCode, str]] = {
    "job_id": (ErrorCode.JOB_NOT_FOUND, "There is no job of that id."),
    "file_id": (ErrorCode.FILE_NOT_FOUND, "There is no file of that id."),
    "batch_id": (ErrorCode.BATCH_NOT_FOUND, "There is no batch of that id; GET /batches lists those there are."),
    "export_id": (ErrorCode.EXPORT_NOT_FOUND, "There is no export of that id; GET /exports lists those there are."),
    "reference": (ErrorCode.SCHEMA_NOT_FOUND, "There is no schema of that name; GET /schemas lists those there are."),
    "webhook_id": (ErrorCode.WEBHOOK_NOT_FOUND, "There is no webhook of that id."),
    "delivery_id": (ErrorCode.DELIVERY_NOT_FOUND, "There is no delivery of that id."),
    "page": (ErrorCode.PAGE_NOT_FOUND, "There is no such page; pages are counted from 1."),
}
"""What a part of a path that cannot be right means."""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def install_handlers(app: FastAPI) -> None:
    """Make the errors that are meant leave in the one form; the rest is the envelope's."""
    app.add_exception_handler(ServiceError, _on_service_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)


def input_fault(errors: Sequence[Mapping[str, object]], code: ErrorCode = ErrorCode.INVALID_REQUEST) -> ServiceError:
    """The first of the faults that pydantic found, with where it is; what was sent is not repeated."""
    first = errors[0]
    location = tuple(cast("Sequence[str | int]", first["loc"]))
    where = location[0] if location and location[0] in ("query", "path", "header", "body") else "body"
    names = location[1:] if location and location[0] == where else location
    param = ".".join(str(name) for name in names) or str(where)
    if where == "path":
        missing, hint = _NO_SUCH[param]
        return StateError(missing, hint)
    if first["type"] == "extra_forbidden":
        return refuse_unsupported(param)
    message = str(first["msg"]).removeprefix("Value error, ")
    if where == "query":
        code = ErrorCode.INVALID_OPTION
    return InputError(code, f"{param}: {message[:1].lower()}{message[1:]}.", param=param)


def validation_fault(error: ValidationError, code: ErrorCode = ErrorCode.INVALID_REQUEST) -> ServiceError:
    """As `input_fault`, for a model that was checked by hand."""
    return input_fault(error.errors(include_url=False, include_context=False, include_input=False), code)


def check_body(kind: type[M], body: JsonObject) -> M:
    """A body as its model.

    Raises:
        InputError: `invalid_request_body`, with the part that is meant.
    """
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise validation_fault(error) from None


async def _on_service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return error_response(error, request_id_of(request))


async def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fault = input_fault(cast("Sequence[Mapping[str, object]]", error.errors()))
    return error_response(fault, request_id_of(request))


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Starlette raises 404 and 405 alone here; 400 for what it cannot parse."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        known = StateError(
            ErrorCode.ROUTE_NOT_FOUND, f"There is nothing at {request.url.path[:200]!r}; /openapi.json lists what is."
        )
        return error_response(known, request_id_of(request))
    if error.status_code == 405:
        allowed = ", ".join(_methods_of(request))
        known = StateError(ErrorCode.METHOD_NOT_ALLOWED, f"{request.method} is not offered here; use {allowed}.")
        return error_response(known, request_id_of(request), {"Allow": allowed})
    return error_response(InputError(ErrorCode.INVALID_REQUEST, str(error.detail)), request_id_of(request))


def _methods_of(request: Request) -> tuple[str, ...]:
    """What the path does offer; a router tells only of the first route that has it."""
    app = cast(FastAPI, request.app)
    offered: list[str] = []
    for method in _METHODS:
        asked = "GET" if method == "HEAD" else method
        scope = {**request.scope, "method": asked}
        if any(route.matches(scope)[0] is Match.FULL for route in app.router.routes):
            offered.append(method)
    return tuple(offered)
