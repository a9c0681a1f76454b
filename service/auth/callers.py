"""Who asks, and what each role may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.auth.links import ReviewLink
from service.domain.access import Role
from service.domain.errors import AccessError, ErrorCode

LOCAL_TENANT = "local"
"""The tenant of an installation that serves one organisation."""
LOCAL_USER = "local"
"""Who asks from this machine while there is no key."""

_INCLUDES: Mapping[Role, frozenset[Role]] = {
    Role.READ: frozenset({Role.READ}),
    Role.SUBMIT: frozenset({Role.SUBMIT, Role.READ}),
    Role.REVIEW: frozenset({Role.REVIEW, Role.READ}),
    Role.ADMIN: frozenset(Role),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Someone whose key was checked, or who sits at this machine."""

    tenant_id: str
    user: str
    role: Role
    link: ReviewLink | None = None
    """Then nothing but its document."""

    def require(self, role: Role) -> None:
        """Let nobody pass who may not do this.

        Raises:
            AccessError: `forbidden`.
        """
        if not may(self.role, role):
            raise AccessError(
                ErrorCode.FORBIDDEN,
                f"The role {self.role.value!r} of {self.user!r} does not include {role.value!r}; use another key.",
            )


def may(has: Role, needs: Role) -> bool:
    """Whether a role includes another: `submit` and `review` include `read`, `admin` includes all."""
    return needs in _INCLUDES[has]


LOCAL_CALLER = Caller(tenant_id=LOCAL_TENANT, user=LOCAL_USER, role=Role.ADMIN)
