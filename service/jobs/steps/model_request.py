"""What any model is asked for."""

from __future__ import annotations

import re
from typing import Literal

from service.domain.records import JsonObject
from service.protocol.request import ExtractionOptions, ExtractionRequest, build_extraction_request


def ask(
    model: str, file: str | bytes, source: JsonObject, name: str, *, mode: Literal["enhanced"] | None = None
) -> ExtractionRequest:
    """A request for values, places and confidences."""
    return build_extraction_request(
        model=model,
        file=file,
        schema=source,
        schema_name=re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "document",
        options=ExtractionOptions(mode=mode, location=True, location_granularity="all", confidence=True),
    )
