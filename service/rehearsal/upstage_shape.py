"""The vendor's live shape: what is refused, and a whole answer with its keys in the vendor's order.

Source: https://console.upstage.ai/docs (information extraction, errors, rate limits) and recorded answers, read
2026-11-30.
"""

from __future__ import annotations

import hashlib
import time

from pydantic import JsonValue

from service.rehearsal.annotations import mirror
from service.rehearsal.json_values import JsonObject, as_object, write_json
from service.rehearsal.refusals import Refusal, refused_key
from service.rehearsal.values import Source, answer_values, properties_of

DATED_MODEL = "information-extract-260904"
CREATED = 1_790_000_000
MAX_PROPERTIES = 100
_METERS = (("Requests", 1_000), ("Tokens", 1_000_000), ("Pages", 10_000))


def wanted_schema(body: JsonObject) -> JsonObject:
    """The schema of a request; empty when there is none."""
    return as_object(as_object(as_object(body.get("response_format")).get("json_schema")).get("schema"))


def refusal_of(body: JsonObject, key: str) -> Refusal | None:
    """What the live service refuses."""
    if refused := refused_key(key):
        return refused
    schema = wanted_schema(body)
    if not schema:
        return Refusal(400, "invalid_request_body", "response_format is required")
    fault = _schema_fault(schema)
    return None if fault is None else Refusal(400, "invalid_request_body", f"Invalid Schema: {fault}")


def _schema_fault(schema: JsonObject) -> str | None:
    fields = list(properties_of(schema).values())
    rows = [as_object(f.get("items")) for f in fields if f.get("type") == "array"]
    inner = [child for row in rows for child in properties_of(row).values()]
    if any(f.get("type") == "object" for f in (*fields, *inner)):
        return "The type of properties of object cannot be 'object'"
    if any(row.get("type") == "array" for row in rows):
        return "The items of array cannot be 'array'"
    return f"At most {MAX_PROPERTIES} properties" if len(fields) + len(inner) > MAX_PROPERTIES else None


def completion(body: JsonObject, source: Source) -> JsonObject:
    """The whole answer: with `split` a choice for each planted object, else one."""
    schema = wanted_schema(body)
    wanted = source.planted if body.get("split") or body.get("doc_split") else source.planted[:1]
    values = [answer_values(schema, planted, source.patterns, "") for planted in wanted]
    texts = [write_json(v).decode() for v in values]
    asked = write_json(schema)
    prompt, written = 900 + len(asked) // 4, sum(map(len, texts)) // 4
    return {
        "id": f"iex-{hashlib.blake2b(asked + texts[0].encode(), digest_size=8).hexdigest()}",
        "choices": [_choice(n, v, text, body) for n, (v, text) in enumerate(zip(values, texts, strict=True))],
        "created": CREATED,
        "model": DATED_MODEL,
        "object": "chat.completion",
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    }


def _choice(index: int, values: JsonObject, text: str, body: JsonObject) -> JsonValue:
    message: JsonObject = {"content": text, "role": "assistant"}
    if body.get("location") or body.get("confidence"):
        arguments = write_json(mirror(values, body)).decode()
        message["tool_calls"] = [
            {"type": "function", "function": {"name": "additional_values", "arguments": arguments}}
        ]
    return {"finish_reason": "stop", "index": index, "message": message}


def rate_headers() -> dict[str, str]:
    """What comes with every answer: limits, and resets as unix timestamps."""
    headers = {"X-Request-Id": f"rehearsal-{time.monotonic_ns():x}"}
    reset = str(int(time.time()) + 1)
    for meter, limit in _METERS:
        headers[f"X-Upstage-RateLimit-Limit-{meter}"] = str(limit)
        headers[f"X-Upstage-RateLimit-Remaining-{meter}"] = str(limit - 1)
        headers[f"X-Upstage-RateLimit-Reset-{meter}"] = reset
    return headers
