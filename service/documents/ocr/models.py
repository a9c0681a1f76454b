"""The three small networks that read pictures, run by onnxruntime on one thread. In an OCR sandbox only.

The weights are those of PP-OCR that ship inside the `rapidocr` wheel; its pipeline is not used, since exact-width
crops read one by one cost half the CPU.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

Picture: TypeAlias = npt.NDArray[np.uint8]
"""Height × width × 3, blue-green-red."""
Corners: TypeAlias = npt.NDArray[np.float32]
"""Four corners (x, y) in pixels, clockwise from the top-left one as the text runs."""

DETECTION_PIXELS = 1_160_000
"""Pixels of the picture in which text is searched: a page of A4 has 1280 on its longer side."""
_STEP = 32
"""The detector's picture has sides that are multiples of this."""
_INK = 0.3
_SURE = 0.5
_UNCLIP = 1.6
_MAX_BOXES = 1500
_MIN_SIDE = 3
_LINE_HEIGHT = 48
"""Pixels: the height of a line as the recogniser wants it."""
_MAX_LINE_WIDTH = 3200
_TURN_SIZE = (192, 48)
_DETECTOR, _RECOGNISER, _TURN = "det", "rec", "cls"


@dataclass(frozen=True, slots=True)
class ReadLetter:
    """One letter of a line: where it stands along the line (0–1) and how sure the recogniser is (0–1)."""

    text: str
    start: float
    end: float
    certainty: float


class OcrModels:
    """Loaded networks; about 200 MB. Make one a process."""

    def __init__(self) -> None:
        folder = _weights_folder()
        self._detector = _session(folder, _DETECTOR)
        self._recogniser = _session(folder, _RECOGNISER)
        self._turn = _session(folder, _TURN)
        characters = self._recogniser.get_modelmeta().custom_metadata_map["character"].split("\n")
        self._characters = ["", *characters, " "]

    def find_lines(self, picture: Picture) -> list[Corners]:
        """Where lines of text stand, in pixels of the picture given; no order."""
        height, width = picture.shape[:2]
        scale = min(1.0, (DETECTION_PIXELS / (height * width)) ** 0.5)
        size = _in_steps(width * scale), _in_steps(height * scale)
        small = _resized(picture, size, sharp=scale < 1)
        ink = self._run(self._detector, _normalised(small))[0, 0]
        found = _boxes_of(ink)
        factors = np.array([width / size[0], height / size[1]], dtype=np.float32)
        return [corners * factors for corners in found]

    def read_line(self, crop: Picture) -> list[ReadLetter]:
        """The letters of one line, a crop of which is given; spaces are among them."""
        height, width = crop.shape[:2]
        target = min(_MAX_LINE_WIDTH, max(16, round(width * _LINE_HEIGHT / height)))
        line = _resized(crop, (target, _LINE_HEIGHT), sharp=False)
        scores = self._run(self._recogniser, _normalised(line))[0]
        return self._decode(scores)

    def upside_down(self, crops: list[Picture]) -> float:
        """How likely it is that lines stand on their heads: the mean over the crops, 0–1."""
        chances: list[float] = []
        for crop in crops:
            sample = _resized(crop, _fit(crop), sharp=True)
            canvas = np.zeros((_TURN_SIZE[1], _TURN_SIZE[0], 3), dtype=np.float32)
            canvas[:, : sample.shape[1]] = (sample.astype(np.float32) / 255 - 0.5) / 0.5
            batch = canvas.transpose(2, 0, 1)[np.newaxis]
            chances.append(float(self._run(self._turn, batch)[0, 1]))
        return sum(chances) / len(chances) if chances else 0.0

    def _run(self, session: onnxruntime.InferenceSession, batch: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        outputs = session.run(None, {session.get_inputs()[0].name: batch})
        return np.asarray(outputs[0], dtype=np.float32)

    def _decode(self, scores: npt.NDArray[np.float32]) -> list[ReadLetter]:
        """Connectionist temporal classification, greedily: repeats fold, blanks (class 0) part."""
        best = scores.argmax(axis=1)
        steps = len(best)
        letters: list[ReadLetter] = []
        previous = 0
        for step, label in enumerate(best.tolist()):
            if label != 0:
                sure = float(scores[step, label])
                if label == previous and letters:
                    last = letters[-1]
                    letters[-1] = ReadLetter(last.text, last.start, (step + 1) / steps, max(last.certainty, sure))
                else:
                    letters.append(ReadLetter(self._characters[label], step / steps, (step + 1) / steps, sure))
            previous = label
        return letters


def crop_line(picture: Picture, corners: Corners) -> Picture:
    """The picture of one line, straightened; a line that runs downwards is turned to lie."""
    width = max(1, round(max(_distance(corners[0], corners[1]), _distance(corners[3], corners[2]))))
    height = max(1, round(max(_distance(corners[0], corners[3]), _distance(corners[1], corners[2]))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    crop = cv2.warpPerspective(
        picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, dtype=np.uint8)


def line_size(corners: Corners) -> tuple[float, float]:
    """Width and height of a line in pixels."""
    return _distance(corners[0], corners[1]), _distance(corners[0], corners[3])


def _weights_folder() -> Path:
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package rapidocr, whose networks read scanned pages, is not installed")
    return Path(spec.origin).parent / "models"


def _session(folder: Path, role: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    found = sorted(path for path in folder.glob("*.onnx") if f"_{role}_" in path.name)
    if not found:
        raise FileNotFoundError(f"no {role!r} network among the files of the package rapidocr")
    return onnxruntime.InferenceSession(found[-1], options, providers=["CPUExecutionProvider"])


def _in_steps(side: float) -> int:
    return max(_STEP, round(side / _STEP) * _STEP)


def _normalised(picture: Picture) -> npt.NDArray[np.float32]:
    batch = picture.astype(np.float32)
    batch *= 2 / 255
    batch -= 1
    return np.ascontiguousarray(batch.transpose(2, 0, 1)[np.newaxis])


def _resized(picture: Picture, size: tuple[int, int], *, sharp: bool) -> Picture:
    """The picture at another size (width, height); `sharp` averages over all pixels when it shrinks."""
    way = cv2.INTER_AREA if sharp else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, size, interpolation=way), dtype=np.uint8)


def _fit(crop: Picture) -> tuple[int, int]:
    height, width = crop.shape[:2]
    return min(_TURN_SIZE[0], max(8, round(width * _TURN_SIZE[1] / height))), _TURN_SIZE[1]


def _boxes_of(ink: npt.NDArray[np.float32]) -> list[Corners]:
    """Rectangles around connected ink, grown to hold the whole letters (differentiable binarisation's own way)."""
    mask = cv2.dilate((ink > _INK).astype(np.uint8), np.ones((2, 2), dtype=np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Corners] = []
    for contour in contours[:_MAX_BOXES]:
        (x, y), (width, height), angle = cv2.minAreaRect(contour)
        if min(width, height) < _MIN_SIDE or _mean_ink(ink, np.asarray(contour, dtype=np.int32)) < _SURE:
            continue
        grow = width * height * _UNCLIP / (2 * (width + height))
        width, height = width + 2 * grow, height + 2 * grow
        if min(width, height) < _MIN_SIDE + 2:
            continue
        found.append(_ordered(np.asarray(cv2.boxPoints(((x, y), (width, height), angle)), dtype=np.float32)))
    return found


def _mean_ink(ink: npt.NDArray[np.float32], contour: npt.NDArray[np.int32]) -> float:
    x, y, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), dtype=np.uint8)
    cv2.fillPoly(mask, [contour - np.array([x, y], dtype=np.int32)], 1)
    return float(cv2.mean(ink[y : y + height, x : x + width], mask)[0])


def _ordered(points: npt.NDArray[np.float32]) -> Corners:
    """Clockwise from the corner that is top-left when the text lies as flat as the rectangle allows."""
    by_x = points[np.argsort(points[:, 0])]
    left, right = by_x[:2], by_x[2:]
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.array([left[0], right[0], right[1], left[1]], dtype=np.float32)


def _distance(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
