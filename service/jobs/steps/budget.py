"""Whether a step may still ask its model something, by what its run has used and has in flight."""

from __future__ import annotations

from decimal import Decimal

from service.domain.budget import Budget
from service.domain.errors import ClientError, ErrorCode, ProviderBusyError
from service.domain.jobs import Job
from service.domain.records import Usage
from service.domain.steps import Step, StepKind, StepState
from service.domain.traffic import ClosedRoad, WaitReason
from service.jobs.services import Services
from service.jobs.settle import Claim

_LOOK_S = 2.0
"""After which a step asks again whether what is in flight left something for it."""


def requests_left(services: Services, claim: Claim) -> int | None:
    """How many requests a step may send; None: any number.

    Tokens and money are known afterwards only: a request goes if what the run has used, what is in flight and itself,
    reckoned by the average so far, stay within the budget; the first goes alone. So the last request may go over it.

    Raises:
        ClientError: `budget_exceeded`.
        ProviderBusyError: what is in flight may use up the rest; ask again.
    """
    budget = claim.job.options.budget
    if not budget.is_set:
        return None
    with services.store.read() as rows:
        job = rows.jobs.get(claim.job.id) or claim.job
        steps = rows.steps.of_run(job, StepKind.EXTRACT)
    ahead = sum(step.state is StepState.RUNNING and _order(step) < _order(claim.step) for step in steps)
    _check_used(job, budget, ahead)
    if ahead and _may_go_over(job.usage, budget, ahead):
        road = ClosedRoad(reason=WaitReason.BUDGET, wait_s=_LOOK_S)
        message = "What is in flight may use up the job's budget."
        raise ProviderBusyError(ErrorCode.BUDGET_EXCEEDED, message, provider=_provider(job), road=road)
    return None if budget.max_requests is None else budget.max_requests - job.usage.requests - ahead


def _order(step: Step) -> tuple[float, str]:
    return step.started_at or 0.0, step.id


def _check_used(job: Job, budget: Budget, ahead: int) -> None:
    used = job.usage
    pairs = (
        ("max_requests", budget.max_requests, used.requests + ahead),
        ("max_tokens", budget.max_tokens, used.total_tokens),
        ("max_cost", budget.max_cost, used.cost or Decimal(0)),
    )
    for name, most, now in pairs:
        if most is not None and now >= Decimal(str(most)):
            raise ClientError(
                ErrorCode.BUDGET_EXCEEDED,
                f"The job's `{name}` of {most} is used up; these pages were not asked about.",
                retryable=False,
            )


def _may_go_over(used: Usage, budget: Budget, ahead: int) -> bool:
    pairs = ((budget.max_tokens, Decimal(used.total_tokens)), (budget.max_cost, used.cost or Decimal(0)))
    bounds = [(Decimal(str(most)), now) for most, now in pairs if most is not None]
    if not bounds:
        return False
    if not used.requests:
        return True
    return any(now + now / used.requests * (ahead + 1) > most for most, now in bounds)


def _provider(job: Job) -> str:
    return job.options.model.partition(":")[0]
