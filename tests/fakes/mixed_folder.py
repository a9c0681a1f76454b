"""A folder as people have them: documents of several kinds, some twice, some broken, some that are none."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

PASSWORD = "wickerwork"
_PER_FOLDER = 25


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """How many files of which kind."""

    digital: int
    pictures: int
    duplicates: int
    encrypted: int
    broken: int
    foreign: int

    @property
    def files(self) -> int:
        """All of them."""
        return self.digital + self.pictures + self.duplicates + self.encrypted + self.broken + self.foreign

    @classmethod
    def of(cls, files: int) -> Mixture:
        """Mostly digital pages, and a few of everything else."""
        small = max(1, files // 60)
        pictures, duplicates = max(1, files // 20), max(1, files // 20)
        return cls(
            digital=files - pictures - duplicates - 3 * small,
            pictures=pictures,
            duplicates=duplicates,
            encrypted=small,
            broken=small,
            foreign=small,
        )


def make_mixed_folder(folder: Path, sources: Sequence[Path], mixture: Mixture, seed: int) -> None:
    """Fill a folder; the same seed gives the same bytes.

    Args:
        folder: it is made.
        sources: documents that are repeated, each time with other bytes that mean the same.
        mixture: how many of what.
        seed: of all choices.
    """
    dice = random.Random(seed)
    digital = [path for path in sources if path.suffix == ".pdf"]
    pictures = [path for path in sources if path.suffix != ".pdf"]
    places = _places(folder, mixture.files, dice)
    made: list[Path] = []
    for number in range(mixture.digital + mixture.pictures):
        source = digital if number < mixture.digital else pictures
        path = source[number % mixture.digital % len(source)]
        place = places.pop().with_suffix(path.suffix)
        place.write_bytes(perturbed(path, number))
        made.append(place)
    for first in dice.sample(made, mixture.duplicates):
        shutil.copyfile(first, places.pop().with_suffix(first.suffix))
    for number in range(mixture.encrypted):
        places.pop().with_suffix(".pdf").write_bytes(encrypted_pdf(number))
    for number in range(mixture.broken):
        places.pop().with_suffix(".pdf").write_bytes(b"%PDF-1.7\n" + dice.randbytes(300 + number))
    for number in range(mixture.foreign):
        places.pop().with_suffix(".txt").write_text(f"Notes, number {number}.\n")


def perturbed(path: Path, number: int) -> bytes:
    """Other bytes that look the same: a comment behind a PDF's end, a picture written anew."""
    if path.suffix == ".pdf":
        return path.read_bytes() + f"\n% copy {number}\n".encode()
    picture = Image.open(path)
    out = io.BytesIO()
    picture.save(out, "JPEG" if path.suffix in (".jpg", ".jpeg") else "PNG", quality=90, comment=f"copy {number}")
    return out.getvalue() if path.suffix in (".jpg", ".jpeg") else _with_text_chunk(picture, number)


def encrypted_pdf(number: int) -> bytes:
    """A page that opens with `PASSWORD`."""
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(PASSWORD, strength=128), invariant=True)
    canvas.drawString(72, 720, f"Invoice number: LOCKED-{number}")
    canvas.drawString(72, 700, "Total: 12.50 EUR")
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _with_text_chunk(picture: Image.Image, number: int) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    note = PngInfo()
    note.add_text("Comment", f"copy {number}")
    out = io.BytesIO()
    picture.save(out, "PNG", pnginfo=note)
    return out.getvalue()


def _places(folder: Path, files: int, dice: random.Random) -> list[Path]:
    """Where files go: the same few names in many folders."""
    places: list[Path] = []
    for number in range(files):
        here = folder / f"{number // _PER_FOLDER:03d}"
        here.mkdir(parents=True, exist_ok=True)
        places.append(here / f"invoice-{number % _PER_FOLDER}")
    dice.shuffle(places)
    return places
