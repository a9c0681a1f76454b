"""The models that a job may name."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from service.api.context import Reader, ServicesOf, refuse_query
from service.api.documentation import errors, success
from service.api.payloads import examples
from service.api.payloads.parts import ModelListPayload, ModelPayload
from service.clients.registry import parse_model_name
from service.domain.errors import InputError
from service.jobs.services import Services

router = APIRouter(tags=["models"], dependencies=[Depends(refuse_query)])


@router.get(
    "/models",
    summary="List models",
    responses=errors() | success(ModelListPayload, examples.MODEL_LIST, "All of them."),
)
def read_models(services: ServicesOf, _caller: Reader) -> ModelListPayload:
    """What the option `model` may be; the default is taken when a job names none."""
    default = parse_model_name(services.default_model)[0]
    return ModelListPayload(models=[_model(services, name, default) for name in services.models.providers])


def _model(services: Services, provider: str, default: str) -> ModelPayload:
    try:
        name = services.models.canonical(provider)
    except InputError:  # its key is not set
        return ModelPayload(id=provider, provider=provider, available=False, default=provider == default)
    return ModelPayload(id=name, provider=provider, available=True, default=provider == default)
