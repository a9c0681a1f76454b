"""A result for a person's eyes: each value with its page, coloured by whether to trust it; lists of rows as tables.

Text of a document is never taken as markup, and cannot steer the terminal.
"""

from __future__ import annotations

import re

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.session import counted
from service.domain.records import Json, JsonObject, objects_in
from service.domain.schema import unescape_pointer

_CELL = re.compile(r"^(?P<list>.*)/(?P<row>\d+)/(?P<name>[^/]+)$")
_MOST_ROWS = 200
_STYLES = {"high": "green", "low": "yellow"}
_STATUS_STYLES = {"succeeded": "bold green", "partially_succeeded": "bold yellow"}


def print_result(result: JsonObject, target: Console, *, most_rows: int = _MOST_ROWS) -> None:
    """Print a full result, of a long list the first rows alone."""
    target.print(_headline(result))
    for record in objects_in(result.get("records")):
        target.print(Padding(render_record(record, most_rows), (1, 0, 0, 0)))
    for issue in objects_in(result.get("issues")):
        where = f"page {issue['page']}: " if issue.get("page") else ""
        target.print(Text(f"{where}{plain(issue.get('message'))} [{plain(issue.get('code'))}]", style="yellow"))


def render_record(record: JsonObject, most_rows: int = _MOST_ROWS) -> RenderableType:
    """One record: its single values, then a table for each list of rows."""
    fields = record.get("fields")
    entries = {path: entry for path, entry in (fields if isinstance(fields, dict) else {}).items()}
    lists: dict[str, dict[int, dict[str, JsonObject]]] = {}
    singles = _new_table("field", "value", "page", "")
    for path, entry in entries.items():
        if not isinstance(entry, dict):
            continue
        cell = _CELL.match(path)
        if cell is None:
            singles.add_row(_name(path), _value(entry), _page(entry), _trust(entry))
        else:
            rows = lists.setdefault(cell["list"], {})
            rows.setdefault(int(cell["row"]), {})[cell["name"]] = entry
    pages = record.get("pages")
    numbers = ", ".join(str(n) for n in pages) if isinstance(pages, list) else ""
    schema = record.get("schema")
    name = plain(schema.get("name")) if isinstance(schema, dict) else ""
    some = "page" if numbers.isdigit() else "pages"
    title = Text(f"record {_plus_one(record.get('index'))} · {some} {numbers} · {name}", style="bold")
    return Group(title, singles, *(_rows_table(path, rows, most_rows) for path, rows in lists.items()))


def plain(value: Json) -> str:
    """A value as text in which nothing steers a terminal."""
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else " " for c in text)


def _headline(result: JsonObject) -> Text:
    status = str(result.get("status"))
    file = result.get("file")
    name = plain(file.get("name")) if isinstance(file, dict) else ""
    usage = result.get("usage")
    said = usage.get("pages") if isinstance(usage, dict) else 0
    pages = said if isinstance(said, int) else 0
    line = Text(f"{name}  ")
    line.append(status, style=_STATUS_STYLES.get(status, "bold red"))
    return line.append(
        f"  {counted(pages, 'page')} · {plain(result.get('model'))} · {plain(result.get('job_id'))}", style="dim"
    )


def _rows_table(path: str, rows: dict[int, dict[str, JsonObject]], most_rows: int) -> RenderableType:
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    table = _new_table("#", *(_name(name) for name in names), "page")
    for number in sorted(rows)[:most_rows]:
        row = rows[number]
        pages = sorted({_page(entry) for entry in row.values()} - {""})
        table.add_row(str(number + 1), *(_value(row.get(name, {})) for name in names), ", ".join(pages))
    left = len(rows) - most_rows
    title = Text(f"{_name(path)} · {len(rows)} rows" + (f", the first {most_rows} are shown" if left > 0 else ""))
    return Group(Padding(title, (1, 0, 0, 0)), table)


def _new_table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    return table


def _value(entry: JsonObject) -> Text:
    if entry.get("value") is None:
        return Text("–" if entry.get("verdict") in (None, "absent") else plain(entry.get("verdict")), style="dim")
    return Text(plain(entry["value"]), style=_STYLES.get(str(entry.get("confidence")), ""))


def _trust(entry: JsonObject) -> Text:
    if entry.get("value") is None:
        return Text("")
    confidence = str(entry.get("confidence"))
    return Text(confidence, style=_STYLES.get(confidence, ""))


def _page(entry: JsonObject) -> str:
    return str(entry.get("page") or "")


def _name(path: str) -> str:
    return plain(unescape_pointer(path.removeprefix("/")))


def _plus_one(index: Json) -> int:
    return index + 1 if isinstance(index, int) else 1
