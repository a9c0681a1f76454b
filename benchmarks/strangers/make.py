"""Writes the set "strangers" as a folder that `fieldmark evaluate` runs, the same one every time.

python -m benchmarks.strangers.make FOLDER
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, ImageFilter

from benchmarks.strangers.draw import ASIAN, FACES, WESTERN, WESTERN_FACES, WITH_TICKS, Look, Place, draw
from benchmarks.strangers.kinds import Field, Kind, all_kinds
from benchmarks.strangers.page import Composer
from benchmarks.strangers.values import Facts
from service.evaluation.cases import TRUTH_FILE

SET_NAME = "strangers"
EACH = 2
"""Documents of a description; the later ones may be scanned."""
SCANNED = 0.45
_DOTS_PER_INCH = 170
_TYPES = {
    **dict.fromkeys(("money", "num", "percent", "share"), "number"),
    **dict.fromkeys(("int", "year", "rowno"), "integer"),
    "bool": "boolean",
}
_FORMATS = {"date": "date", "longdate": "date", "birth": "date", "email": "email"}
Json = dict[str, Any]


def make_set(folder: Path, each: int = EACH, faces: Sequence[str] = FACES) -> Path:
    """The set under a folder, `each` documents of a description; where it is.

    Args:
        folder: in which it is made.
        each: how many documents of a description.
        faces: in which languages of Latin letters are written; others than the usual ones make another set.
    """
    own = folder / SET_NAME
    (own / "docs").mkdir(parents=True)
    rows = [_make(kind, number, own, faces) for kind in all_kinds() for number in range(each)]
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (own / TRUTH_FILE).write_text(lines, encoding="utf-8")
    return own


def _make(kind: Kind, number: int, own: Path, faces: Sequence[str]) -> Json:
    """Draw one document; its line of the truth."""
    name = f"{kind.name}_{kind.language}_{number}"
    rng = Random(name)
    face = ASIAN.get(kind.language) or rng.choice((*WESTERN_FACES, *faces) if kind.language in WESTERN else faces)
    glyphs = rng.choice((("☐", "☒"), ("☐", "☑"))) if face == WITH_TICKS else ("[ ]", rng.choice(("[x]", "[X]")))
    facts = Facts(kind, rng)
    size = rng.choice((9.0, 10.0, 11.0))
    pdf, places = draw(Composer(facts, glyphs).blocks(), Look(face, size, rng.choice((45.0, 55.0, 65.0))))
    scanned = number > 0 and kind.language not in ASIAN and rng.random() < SCANNED
    file = f"docs/{name}.{'jpg' if scanned else 'pdf'}"
    (own / file).write_bytes(_scan(pdf, rng) if scanned else pdf)
    return {
        "file": file, "schema": _schema(kind, facts), "truth": _truth(facts), "boxes": _boxes(places, kind),
        "absent": [path for path in sorted(facts.lacking) if "." not in path and "[]" not in path],
        "group": kind.name, "language": kind.language, "by": "construction",
    }  # fmt: skip


def _schema(kind: Kind, facts: Facts) -> Json:
    root: Json = {"type": "object", "properties": {}}
    for one in kind.fields:
        if one.asked:
            _node(root, one, facts)
    return root


def _node(root: Json, one: Field, facts: Facts) -> None:
    """Put a field's schema in its place."""
    *outer, name = one.path.replace("[]", "").split(".") if not one.path.endswith("[]") else [one.path[:-2]]
    here = root
    for step in outer:
        here = here["properties"].setdefault(step, {"type": "object", "properties": {}})
        here = here.get("items", here)
    if one.path.endswith("[]"):
        here["properties"][name] = {"type": "array", "items": {"type": "object", "properties": {}}}
        return
    leaf = _leaf(one, facts)
    if one.description:
        leaf["description"] = one.description
    if name == "*":
        here.clear()
        here.update(leaf)
    else:
        here["properties"][name] = leaf


def _leaf(one: Field, facts: Facts) -> Json:
    if one.absent:
        return {"type": one.maker} if one.maker != "date" else {"type": "string", "format": "date"}
    if one.maker == "enum":
        return {"type": "string", "enum": [argument.partition("=")[0] for argument in one.arguments]}
    if one.maker in _FORMATS:
        return {"type": "string", "format": _FORMATS[one.maker]}
    group, is_row, column = one.path.partition("[].")
    told = facts.rows[group][0][column] if is_row else facts.singles.get(one.path)
    value = told.value if told else ""
    kind = "string" if isinstance(value, str) else "number" if isinstance(value, Decimal) else "integer"
    return {"type": _TYPES.get(one.maker, kind)}


def _truth(facts: Facts) -> Json:
    root: Json = {}
    for one in facts.kind.fields:
        group, is_row, column = one.path.partition("[]")
        if not one.asked or one.path in facts.lacking or column:
            continue
        *outer, name = group.split(".")
        here = root
        for step in outer:
            here = here.setdefault(step, {})
        here[name] = _rows(facts, group) if is_row else _plain(facts.singles[one.path].value)
    return root


def _rows(facts: Facts, group: str) -> list[Any]:
    asked = {one.path for one in facts.kind.fields if one.asked}
    rows = facts.rows[group]
    if f"{group}[].*" in asked:
        return [row["*"].value for row in rows]
    return [{key: _plain(told.value) for key, told in row.items() if f"{group}[].{key}" in asked} for row in rows]


def _plain(value: str | int | Decimal | bool) -> str | int | float | bool:
    return float(value) if isinstance(value, Decimal) else value


def _boxes(places: dict[str, list[Place]], kind: Kind) -> Json:
    """The places of single values, as a truth line has them."""
    root: Json = {}
    for one in kind.fields:
        found = [{"page": page, "bbox": [round(v, 4) for v in box]} for page, box in places.get(one.path, ())]
        if not found or not one.asked:
            continue
        *outer, name = one.path.split(".")
        here = root
        for step in outer:
            here = here.setdefault(step, {})
        here[name] = {**found[0], "alternatives": found[1:]}
    return root


def _scan(pdf: bytes, rng: Random) -> bytes:
    """The first page as a scanner gives it: a little turned, soft and noisy."""
    with pdfium.PdfDocument(pdf) as document:
        drawn = document[0].render(
            scale=_DOTS_PER_INCH / 72,  # pyright: ignore[reportArgumentType] - its default, 1, is taken for its type
            grayscale=True,
        )
        clean: Image.Image = drawn.to_pil().convert("L")
    turned = clean.rotate(rng.uniform(-0.5, 0.5), Image.Resampling.BICUBIC, fillcolor=255)
    soft = turned.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.8)))
    grain = np.random.default_rng(rng.randrange(2**32)).normal(0.0, rng.uniform(3.0, 9.0), (soft.height, soft.width))
    seen = Image.fromarray(np.clip(0.94 * np.asarray(soft, np.float64) + grain, 0, 255).astype(np.uint8))
    out = io.BytesIO()
    seen.save(out, "JPEG", quality=rng.choice((60, 75, 88)), dpi=(_DOTS_PER_INCH, _DOTS_PER_INCH))
    return out.getvalue()


if __name__ == "__main__":
    print(make_set(Path(sys.argv[1])))
