"""Results as files: which are asked for, and how they are answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any, Literal
from urllib.parse import quote

from fastapi import Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from service.api.documentation import Responses
from service.api.payloads.results import ResultPayload
from service.domain.errors import ErrorCode, InputError
from service.exports.files import ExportFile
from service.exports.formats import MEDIA_TYPES, CsvDialect, ExportFormat, ExportOptions, Separator

_PIECE = 1 << 18
Row = dict[str, str | int | float | bool | None]
"""Of a table in JSON: by the names of its columns."""
_FILE_ENDINGS = {
    ExportFormat.JSON: "the whole result, or with `table` its rows",
    ExportFormat.JSONL: "a line for each record, or with `table` for each row",
    ExportFormat.CSV: "one table: the records, or `table`",
    ExportFormat.XLSX: "every table, or `table`",
    ExportFormat.PARQUET: "one table: the records, or `table`",
}


class FileQuery(BaseModel):
    """In which format a result comes; docs/exports.md tells how a record becomes tables."""

    model_config = ConfigDict(extra="forbid")

    format: ExportFormat = Field(
        ExportFormat.JSON, description="; ".join(f"{kind}: {holds}" for kind, holds in _FILE_ENDINGS.items()) + "."
    )
    table: str | None = Field(
        None, max_length=2000, description="Path of an array, such as `/lines`; empty: the records."
    )
    separator: Separator | None = Field(None, description="Of CSV: comma by default.")
    decimal: Literal["point", "comma"] | None = Field(None, description="Of CSV: point by default.")
    bom: bool | None = Field(None, description="Of CSV: whether it begins with a byte order mark.")

    def export_options(self, review_url: str) -> ExportOptions | None:
        """What is wanted of the file; None: the plain JSON result.

        Args:
            review_url: of the job in the review screen, as this caller reaches it.

        Raises:
            InputError: `invalid_option`, an option of CSV for another format, or one that cannot be.
        """
        if self.format is ExportFormat.JSON and self.table is None:
            self._refuse_dialect()
            return None
        return self.collection_options(review_url)

    def collection_options(self, review_url: str) -> ExportOptions:
        """What is wanted of a file of many results.

        Args:
            review_url: of the list of jobs in the review screen, as this caller reaches it.

        Raises:
            InputError: `invalid_option`, an option of CSV for another format, or one that cannot be.
        """
        self._refuse_dialect()
        comma = self.decimal == "comma"
        usual = Separator.SEMICOLON if comma else Separator.COMMA
        csv = CsvDialect(separator=self.separator or usual, decimal_comma=comma, bom=bool(self.bom))
        return ExportOptions(format=self.format, table=self.table, dialect=csv, review_url=review_url)

    def _refuse_dialect(self) -> None:
        dialect = {"separator": self.separator, "decimal": self.decimal, "bom": self.bom}
        if self.format is not ExportFormat.CSV:
            for name in (name for name, value in dialect.items() if value is not None):
                raise InputError(ErrorCode.INVALID_OPTION, f"{name} is an option of format=csv alone.", param=name)


def file_response(file: ExportFile, headers: Mapping[str, str]) -> Response:
    """A file as a download, under its own name in whatever script."""
    named = {**headers, "Content-Disposition": content_disposition(file.name)}
    return Response(file.content, media_type=file.media_type, headers=named)


class FileAnswer(StreamingResponse):
    """An open file that is sent and closed, also if its caller leaves before the first byte."""

    def __init__(self, file: IO[bytes], media_type: str, headers: Mapping[str, str]) -> None:
        super().__init__(_pieces(file), media_type=media_type, headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


def content_disposition(name: str) -> str:
    """The header that names a download: for old programs in ASCII, for all others exactly.

    Source: RFC 6266, RFC 8187, read 2026-11-30.
    """
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in name)
    exact = quote(name.encode("utf-8", "replace"), safe="!#$&+-.^_`|~")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}"


def with_files(responses: Responses) -> Responses:
    """The answers of a route that also gives files."""
    schema = {"type": "string", "format": "binary"}
    others: dict[str, Any] = {
        kind.partition(";")[0]: {"schema": schema} for kind in MEDIA_TYPES.values() if kind != "application/json"
    }
    whole = responses[200]
    return {**responses, 200: {**whole, "model": ResultPayload | list[Row], "content": {**whole["content"], **others}}}
