"""Whether a job's model may be called at all, told when the job is handed in; the door below the clients asks again."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.egress import EgressPolicy, schema_rule, tenant_rule
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import JobOptions
from service.domain.routes import JobSchema
from service.domain.traffic import Destination
from service.jobs.services import Services


def check_model_rules(services: Services, tenant_id: str, options: JobOptions, schemas: Sequence[JobSchema]) -> None:
    """Refuse a job whose pages may not go to its model, or whose cost cannot be bounded as it asks.

    Raises:
        InputError: `egress_denied`, `invalid_option` or `invalid_schema`.
    """
    canonical = services.models.canonical(options.model)
    client, model = services.models.resolve(options.model)
    to = Destination(provider=canonical.partition(":")[0], host=client.capabilities.host, model=model)
    of_tenant = tenant_rule(services.rules.egress, tenant_id)
    for schema in schemas:
        refusal = EgressPolicy((*of_tenant, *schema_rule(schema.source))).refusal(to)
        if refusal is not None:
            raise InputError(ErrorCode.EGRESS_DENIED, f"Nothing was sent: {refusal}.", param="model")
    if options.budget.max_cost is not None and services.rules.prices.find(canonical) is None:
        message = f"The cost of {canonical!r} cannot be bounded: FIELDMARK_MODEL_PRICES has no price for it."
        raise InputError(ErrorCode.INVALID_OPTION, message, param="max_cost")
