"""The list of models, in OpenAI's form.

Source: https://developers.openai.com/api/reference (models), read 2026-11-30.
"""

from __future__ import annotations

from service.protocol.base import WireModel


class ModelCard(WireModel):
    """One model."""

    id: str
    """The name a request gives as `model`."""
    object: str = "model"
    created: int = 0
    """Unix seconds; 0 when not known."""
    owned_by: str = ""


class ModelList(WireModel):
    """Every model that is served."""

    object: str = "list"
    data: list[ModelCard]
