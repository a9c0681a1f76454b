"""Draws three samples with a box around each value that was found, as the README shows them (`make samples`).

Green boxes are values of high confidence, amber ones those that a person should look at.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image, ImageDraw

SAMPLES = Path(__file__).parent
PICTURES = SAMPLES.parent / "docs" / "pictures"
SHOWN = ("invoice", "receipt", "bank_statement")
SCALE = 3
"""Times 72 dpi, before it is made smaller."""
WIDTH = 760
COLOURS = {"high": (22, 122, 62), "low": (196, 118, 0)}
COLOURS_OF_A_PAPER = 64


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in SHOWN:
        document = next((SAMPLES / name).glob("document.*"))
        picture = _first_page(document)
        _draw(picture, _extract(document, SAMPLES / name / "schema.json"))
        picture.thumbnail((WIDTH, 10 * WIDTH))
        flat = picture.quantize(COLOURS_OF_A_PAPER) if document.suffix == ".pdf" else picture
        target = PICTURES / f"{name}{'.png' if document.suffix == '.pdf' else '.jpg'}"
        flat.save(target, optimize=True)
        print(target)


def _extract(document: Path, schema: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home:
        command = [
            sys.executable,
            "-m",
            "service.cli.main",
            "extract",
            str(document),
            "--schema",
            str(schema),
            "--json",
        ]
        done = subprocess.run([*command, "--home", home], check=True, capture_output=True)  # noqa: S603 - a command of our own
    return json.loads(done.stdout)


def _first_page(document: Path) -> Image.Image:
    if document.suffix != ".pdf":
        return Image.open(io.BytesIO(document.read_bytes())).convert("RGB")
    with pypdfium2.PdfDocument(document) as pdf:
        return pdf[0].render(scale=SCALE).to_pil().convert("RGB")


def _draw(picture: Image.Image, result: dict[str, Any]) -> None:
    pen = ImageDraw.Draw(picture, "RGBA")
    line = max(2, picture.width // 400)
    for field in result["records"][0]["fields"].values():
        if field["page"] != 1 or not field["coordinates"]:
            continue
        corners = _apart([(p["x"] * picture.width, p["y"] * picture.height) for p in field["coordinates"]], 2 * line)
        colour = COLOURS[field["confidence"]]
        pen.polygon(corners, fill=(*colour, 36), outline=(*colour, 255), width=line)


def _apart(corners: list[tuple[float, float]], by: float) -> list[tuple[float, float]]:
    """The box a little larger, so that its line does not run through the words."""
    middle_x = sum(x for x, _ in corners) / len(corners)
    middle_y = sum(y for _, y in corners) / len(corners)
    return [(x + (by if x > middle_x else -by), y + (by if y > middle_y else -by)) for x, y in corners]


if __name__ == "__main__":
    main()
