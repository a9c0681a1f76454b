"""Answers to requests in an OCR sandbox: it sees raw pixels only, never a file."""

from __future__ import annotations

from service.documents.messages import decode_box, encode_words
from service.documents.ocr.codes import find_codes
from service.documents.ocr.models import OcrModels
from service.documents.ocr.page import compare_lines, picture_of, read_picture
from service.domain.records import Json, JsonObject


class OcrServer:
    """Holds the networks, loaded at the first request."""

    def __init__(self) -> None:
        self._models: OcrModels | None = None

    def serve(self, head: JsonObject, body: bytes) -> tuple[JsonObject, bytes]:
        """Answer `read` (words of a picture), `compare` (texts in boxes) or `codes` (formats of bar codes)."""
        width, height, channels = (int(str(head[key])) for key in ("width", "height", "channels"))
        picture = picture_of(body, width, height, channels)
        if head["op"] == "codes":
            return {"codes": list(find_codes(picture))}, b""
        models = self._models = self._models or OcrModels()
        if head["op"] == "compare":
            boxes = head["boxes"]
            assert isinstance(boxes, list)
            texts: list[Json] = list(compare_lines(models, picture, [decode_box(box) for box in boxes]))
            return {"texts": texts}, b""
        result = read_picture(models, picture, height_points=float(str(head["height_points"])))
        return {"words": encode_words(result.words), "quarter_turns": result.quarter_turns}, b""
