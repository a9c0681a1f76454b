"""What the work costs with no service around it: raw loops, from which the ideal of each benchmark is computed.

PINNED: it imports nothing of the service and is not changed with it, so that a faster or slower service never moves the
ideal it is measured against.

    python -m benchmarks.reference --pdf FILE --url http://127.0.0.1:40123/v1/information-extraction

prints CPU seconds as JSON: `page_s` for the words with boxes of one page and its share of a cut of ten pages, `call_s`
for one request with ten pages in it, body built and answer parsed.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import ctypes
import io
import json
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import orjson
import pypdfium2 as pdfium
import pypdfium2.raw as raw

PAGES_A_CUT = 10
CALLS = 100
CALLS_AT_ONCE = 20
ROUNDS = 3
SCHEMA = {"type": "object", "properties": {"number": {"type": "string"}, "total": {"type": "number"}}}


def read_words(page: pdfium.PdfPage) -> int:
    """Words of a page with the box of each; how many."""
    text = page.get_textpage()
    count = raw.FPDFText_CountChars(text)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    words: list[tuple[str, list[float]]] = []
    letters: list[str] = []
    box = [1e9, 1e9, -1e9, -1e9]
    for index in range(count):
        letter = chr(raw.FPDFText_GetUnicode(text, index))
        if letter.isspace():
            if letters:
                words.append(("".join(letters), box))
                letters, box = [], [1e9, 1e9, -1e9, -1e9]
            continue
        raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
        letters.append(letter)
        box = [
            min(box[0], left.value),
            min(box[1], bottom.value),
            max(box[2], right.value),
            max(box[3], top.value),
        ]
    text.close()
    return len(words) + bool(letters)


def cut(document: pdfium.PdfDocument, first: int, last: int) -> bytes:
    """A PDF of the pages `first` to `last` (0-based, the last one not included)."""
    part = pdfium.PdfDocument.new()
    part.import_pages(document, list(range(first, last)))
    buffer = io.BytesIO()
    part.save(buffer)
    part.close()
    return buffer.getvalue()


def page_cost_s(path: Path) -> tuple[float, bytes]:
    """CPU seconds a page, and one of the cuts."""
    document = pdfium.PdfDocument(path)
    began = time.process_time()
    for page in document:
        read_words(page)
        page.close()
    parts = [cut(document, n, min(n + PAGES_A_CUT, len(document))) for n in range(0, len(document), PAGES_A_CUT)]
    return (time.process_time() - began) / len(document), parts[0]


async def call_cost_s(url: str, part: bytes) -> float:
    """CPU seconds a call."""
    gate = asyncio.Semaphore(CALLS_AT_ONCE)
    headers = {"authorization": "Bearer up_test", "content-type": "application/json"}

    async def call(session: aiohttp.ClientSession) -> None:
        async with gate:
            file_url = "data:application/pdf;base64," + base64.b64encode(part).decode()
            body = {
                "model": "information-extract",
                "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": file_url}}]}],
                "response_format": {"type": "json_schema", "json_schema": {"name": "document", "schema": SCHEMA}},
                "location": True,
                "confidence": True,
            }
            async with session.post(url, data=orjson.dumps(body), headers=headers) as answer:
                answer.raise_for_status()
                orjson.loads(await answer.read())

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await call(session)
        began = time.process_time()
        await asyncio.gather(*(call(session) for _ in range(CALLS)))
        return (time.process_time() - began) / CALLS


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; the least of some rounds, since other work on the machine only ever adds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdf", type=Path, required=True)
    parser.add_argument("--url", required=True, help="of a model server that answers at once")
    given = parser.parse_args(arguments)
    pages = [page_cost_s(given.pdf) for _ in range(ROUNDS)]
    calls = [asyncio.run(call_cost_s(given.url, pages[0][1])) for _ in range(ROUNDS)]
    print(json.dumps({"page_s": min(cost for cost, _ in pages), "call_s": min(calls)}))


if __name__ == "__main__":
    main()
