"""The proof sheet of a job."""

from __future__ import annotations

import base64
import hashlib
from functools import partial
from typing import Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, ServicesOf, context_of
from service.api.documentation import JOB, stream_errors
from service.api.routes.jobs import JobId
from service.domain.errors import ErrorCode
from service.jobs.queries import get_job
from service.jobs.reviewing.proof_sheet import STYLE, proof_sheet

router = APIRouter(tags=["review"])
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"


class ProofQuery(BaseModel):
    """Which version is shown."""

    model_config = ConfigDict(extra="forbid")

    version: Literal["current", "approved"] = Field("current", description="As it is now, or as it was approved.")


@router.get(
    "/jobs/{job_id}/proof",
    summary="The proof sheet",
    response_class=Response,
    responses=stream_errors(*JOB, ErrorCode.NOT_FINISHED, ErrorCode.WRONG_STATE)
    | {200: {"description": "One HTML file that needs nothing else.", "content": {"text/html": {}}}},
)
async def read_proof(
    job_id: JobId, request: Request, wanted: Annotated[ProofQuery, Query()], services: ServicesOf, caller: Reader
) -> Response:
    """Each value beside the cut of the page on which it stands, who looked at it, and the hashes of file and result."""
    job = await to_thread.run_sync(get_job, services, caller.tenant_id, job_id)
    work = partial(proof_sheet, services, job, version=wanted.version)
    sheet = await to_thread.run_sync(work, limiter=context_of(request).drawing)
    headers = {"Content-Security-Policy": _POLICY}
    return Response(sheet.encode("utf-8", errors="replace"), media_type="text/html; charset=utf-8", headers=headers)
