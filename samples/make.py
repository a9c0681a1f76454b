"""Writes every sample: the document, its schema, its truth and where it comes from.

The truth is the data the document was drawn from; no reader or model has part in it. The same run gives the same files
(pictures to the last pixel only with the same versions of Pillow and numpy).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from build_form import build_form
from build_invoice import build_bound_invoices, build_invoice
from build_mixed import build_mixed
from build_receipt import build_receipt
from build_statement import build_statement
from paper import Sample

BUILDERS = (build_invoice, build_receipt, build_statement, build_form, build_bound_invoices, build_mixed)

SOURCE = """# {name}

{story}

Made by `samples/make.py` (`make samples`). Text, names, layout and figures are our own; the firms and people in it are
invented, and no real one is meant. Licence: that of this repository.

`expected.json` is written from the data the document was drawn from: one entry in `records` per document of the file,
with its pages (from 1), its values and, for each value that is printed, the page and the box `[x0, y0, x1, y1]` in
fractions of the page as displayed, origin top-left. A value that the document does not have is null and has no place.
"""


def write_sample(sample: Sample, folder: Path) -> None:
    """Fill one sample's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / sample.file_name).write_bytes(sample.content)
    _write_json(folder / "schema.json", sample.schema)
    _write_json(folder / "expected.json", {"records": sample.records})
    (folder / "SOURCE.md").write_text(SOURCE.format(name=sample.name, story=sample.story), encoding="utf-8")


def _write_json(path: Path, content: object) -> None:
    path.write_text(_compact_boxes(json.dumps(content, indent=1, ensure_ascii=False)) + "\n", encoding="utf-8")


def _compact_boxes(text: str) -> str:
    """Lists of numbers on one line, so that a diff shows one field a line."""
    lines: list[str] = []
    open_list = False
    for line in text.split("\n"):
        bare = line.strip()
        if open_list:
            lines[-1] += bare + (" " if bare.endswith(",") and "]" not in bare else "")
            open_list = "]" not in bare
        else:
            lines.append(line)
            open_list = bare in ('"box": [', '"pages": [')
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all samples below `--out`, by default beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder that gets one folder a sample")
    out: Path = parser.parse_args(arguments).out
    for build in BUILDERS:
        sample = build()
        write_sample(sample, out / sample.name)
        print(f"{sample.name}: {len(sample.content):,} bytes, {len(sample.records)} record(s)")


if __name__ == "__main__":
    main()
