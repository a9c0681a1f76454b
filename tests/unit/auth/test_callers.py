"""What each role may do."""

from __future__ import annotations

import pytest

from service.auth.callers import Caller, may
from service.domain.access import Role
from service.domain.errors import AccessError, ErrorCode


@pytest.mark.parametrize(
    ("has", "includes"),
    [
        (Role.READ, {Role.READ}),
        (Role.SUBMIT, {Role.READ, Role.SUBMIT}),
        (Role.REVIEW, {Role.READ, Role.REVIEW}),
        (Role.ADMIN, set(Role)),
    ],
)
def test_each_role_includes_what_it_should_and_no_more(has: Role, includes: set[Role]) -> None:
    """Submit and review are apart; admin is all."""
    assert includes == {needs for needs in Role if may(has, needs)}


def test_a_refusal_names_the_role_that_is_missing() -> None:
    """Whoever reads the message knows which key to ask for."""
    caller = Caller(tenant_id="t", user="Ada", role=Role.READ)
    with pytest.raises(AccessError) as refused:
        caller.require(Role.SUBMIT)
    assert refused.value.code is ErrorCode.FORBIDDEN
    assert "'submit'" in refused.value.message
