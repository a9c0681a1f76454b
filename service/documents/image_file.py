"""Image files: frames as pages, turned as their camera held them, refused before they unpack. In a sandbox only.

An animation (GIF, PNG, WebP) is read by its first frame; only TIFF has pages.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile, get_sampling

from service.documents.pictures import encode, plain
from service.documents.pixels import OCR_MAX_PIXELS, OCR_TALL_MAX_PIXELS, RENDER_MAX_PIXELS, bounded_scale, raw_picture
from service.documents.readings import PageReading, RenderOptions
from service.documents.text.judging import Route
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import (
    NO_TURNS,
    DocumentInfo,
    MediaKind,
    PageRange,
    PageSize,
    PageText,
    RuledTable,
    TextSource,
    Turns,
)
from service.domain.records import Issue, Stage

_ASSUMED_DPI = 150.0
"""Resolution of an image that does not tell its own, or tells one no scanner has."""
_DPI_RANGE = (50.0, 1300.0)
_POINTS = 72.0
_CONTRAST = 14
_ORIENTATION_TAG = 0x0112
_TURNED = {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}
"""EXIF orientation → degrees clockwise that show the picture upright. Source: Exif 2.32, 4.6.4."""
_SIDEWAYS = (5, 6, 7, 8)
_PHOTOS = (MediaKind.HEIC, MediaKind.WEBP)
"""Kinds whose pictures would be many times as large without loss."""
_TRANSPOSED = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
"""Degrees clockwise → the library's turn, which goes the other way."""


class ImagePages:
    """One open image file."""

    def __init__(self, path: Path, kind: MediaKind, max_pixels: int, turns: Turns = NO_TURNS) -> None:
        """Look at the header of a file, some of whose pages are turned.

        Raises:
            InputError: `damaged_file` or `page_too_large`.
        """
        self._path = path
        self._kind = kind
        self._max_pixels = max_pixels
        self._turns = turns
        self._issues: list[Issue] = []
        self._image = self._open()

    @property
    def page_count(self) -> int:
        """Pages of a TIFF; 1 for anything else."""
        return self._frames() if self._kind is MediaKind.TIFF else 1

    def info(self) -> DocumentInfo:
        """Kind, page sizes, and whether frames are left out."""
        sizes = tuple(self._size(index) for index in range(self.page_count))
        issues: tuple[Issue, ...] = ()
        if self._kind is not MediaKind.TIFF and self._frames() > 1:
            message = f"The animation has {self._frames()} frames; the first one is read."
            issues = (Issue(stage=Stage.OPEN, code="first_frame_only", message=message),)
        return DocumentInfo(kind=self._kind, pages=sizes, issues=issues)

    def read(self, index: int, *, by_picture: bool = False) -> PageReading:
        """The picture of a page (0-based), for OCR: it has nothing else."""
        del by_picture
        image, issues = self._load(index)
        size = self._size(index)
        page = PageText(size=size, source=TextSource.NONE, issues=issues)
        if _shows_nothing(image):
            return PageReading(page, Route.DIGITAL)
        long, short = max(image.size), min(image.size)
        limit = OCR_TALL_MAX_PIXELS if long > 4 * short else OCR_MAX_PIXELS
        return PageReading(page, Route.OCR, raw_picture(_shrunk(image, limit)))

    def read_plain(self, index: int) -> None:
        """It has no text."""

    def is_blank(self, index: int) -> bool:
        """Whether a page (0-based) is of one colour."""
        return _shows_nothing(self._load(index)[0])

    def tables(self, index: int) -> tuple[RuledTable, ...]:
        """None: lines of a picture are not looked for."""
        return ()

    def render(self, index: int, options: RenderOptions) -> bytes:
        """The page, or a part of it, as a picture file."""
        image, _ = self._load(index)
        size = self._size(index)
        scale = bounded_scale(size.width, size.height, options.dpi / _POINTS, RENDER_MAX_PIXELS)
        width, height = max(1, round(size.width * scale)), max(1, round(size.height * scale))
        if options.crop is not None:
            box = options.crop
            edges = (box.x0 * image.width, box.y0 * image.height, box.x1 * image.width, box.y1 * image.height)
            width, height = max(1, round(width * box.width)), max(1, round(height * box.height))
            image = image.resize((width, height), Image.Resampling.BILINEAR, box=edges)
        else:
            image = image.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
        return encode(image, options.image_format, grey=options.grey)

    def cut(self, pages: PageRange) -> bytes:
        """The file itself when it is one image, another picture when that is turned, else a PDF of the pages."""
        if self.page_count == 1:
            return self._turned() if self._turns else self._path.read_bytes()
        buffer = io.BytesIO()
        images = self._plain_pages(pages)
        dpi = self._dpi()
        next(images).save(buffer, "PDF", save_all=True, append_images=images, resolution=dpi)
        return buffer.getvalue()

    def close(self) -> None:
        """Let go of the file."""
        self._image.close()

    def _turned(self) -> bytes:
        """The only page as it is turned, about as large as the file: a photo stays one, with the loss it had."""
        image, _ = self._load(0)
        if not isinstance(self._image, JpegImageFile):
            return encode(image, "jpeg" if self._kind in _PHOTOS else "png", grey=False)
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", qtables=self._image.quantization, subsampling=get_sampling(self._image))
        return buffer.getvalue()

    def _plain_pages(self, pages: PageRange) -> Iterator[Image.Image]:
        for number in pages.numbers():
            yield self._load(number - 1)[0]

    def _open(self) -> Image.Image:
        if self._kind is MediaKind.HEIC:
            import pi_heif  # late: loads its library only for the files that need it

            pi_heif.register_heif_opener()
        Image.MAX_IMAGE_PIXELS = None  # the check below is ours, and comes before a pixel is unpacked
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                image = Image.open(self._path, formats=None if self._kind is MediaKind.HEIC else [self._kind.value])
        except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
            raise _damaged(self._kind) from error
        self._check_pixels(image)
        return image

    def _check_pixels(self, image: Image.Image) -> None:
        width, height = image.size
        if width * height > self._max_pixels:
            raise InputError(
                ErrorCode.PAGE_TOO_LARGE,
                f"The image is {width} × {height} pixels; at most {self._max_pixels} are taken. Send it smaller.",
            )

    def _frames(self) -> int:
        return int(getattr(self._image, "n_frames", 1))

    def _seek(self, index: int) -> None:
        try:
            self._image.seek(index)
        except (EOFError, OSError, ValueError, SyntaxError) as error:
            raise _damaged(self._kind) from error
        self._check_pixels(self._image)

    def _orientation(self) -> int:
        try:
            return int(self._image.getexif().get(_ORIENTATION_TAG, 1))
        except (OSError, ValueError, SyntaxError):
            return 1

    def _dpi(self) -> float:
        found = self._image.info.get("dpi")
        dpi = float(found[1]) if isinstance(found, tuple) and len(found) == 2 else 0.0
        return dpi if _DPI_RANGE[0] <= dpi <= _DPI_RANGE[1] else _ASSUMED_DPI

    def _size(self, index: int) -> PageSize:
        self._seek(index)
        width, height = self._image.size
        orientation = self._orientation()
        if orientation in _SIDEWAYS:
            width, height = height, width
        points = _POINTS / self._dpi()
        size = PageSize(index + 1, round(width * points, 2), round(height * points, 2), _TURNED.get(orientation, 0))
        return size.turned(self._turns.get(index + 1, 0))

    def _load(self, index: int) -> tuple[Image.Image, tuple[Issue, ...]]:
        self._seek(index)
        issues: tuple[Issue, ...] = ()
        try:
            self._image.load()
        except (OSError, ValueError, SyntaxError, IndexError):
            self._load_broken(index)
            message = "The picture's data is damaged or ends early; what could be unpacked was read."
            issues = (Issue(stage=Stage.READ, code="picture_damaged", message=message, page=index + 1),)
        image = plain(ImageOps.exif_transpose(self._image))
        turn = _TRANSPOSED.get(self._turns.get(index + 1, 0))
        return (image if turn is None else image.transpose(turn)), issues

    def _load_broken(self, index: int) -> None:
        self._image.close()
        self._image = self._open()
        self._seek(index)
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        try:
            self._image.load()
        except (OSError, ValueError, SyntaxError, IndexError) as error:
            raise _damaged(self._kind) from error
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = False


def _shows_nothing(image: Image.Image) -> bool:
    low, high = image.convert("L").getextrema()
    assert isinstance(low, int)
    assert isinstance(high, int)
    return high - low < _CONTRAST


def _shrunk(image: Image.Image, max_pixels: int) -> Image.Image:
    scale = bounded_scale(image.width, image.height, 1.0, max_pixels)
    if scale >= 1.0:
        return image
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)


def _damaged(kind: MediaKind) -> InputError:
    return InputError(
        ErrorCode.DAMAGED_FILE, f"The file is not a readable {kind.value.upper()} image: it is damaged; send it again."
    )
