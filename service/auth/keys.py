"""API keys: made, listed, ended and checked. Only the SHA-256 of a key is stored; the key itself is shown once."""

from __future__ import annotations

import hashlib
import secrets
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from service.auth.callers import LOCAL_CALLER, LOCAL_TENANT, Caller
from service.auth.links import PREFIX, LinkSigner
from service.auth.origin import is_loopback
from service.domain.access import ApiKey, Role, User
from service.domain.errors import AccessError, ErrorCode, InputError
from service.jobs.services import Services
from service.storage.store import Rows

KEY_PREFIX = "fm_"
_KEY_BYTES = 32
_SHOWN = 9
"""First characters of a key that are kept for display: the prefix and six more."""
_LONGEST_NAME = 100
_CACHE_S = 5.0
"""Longest time for which a process believes what it last read of a key; a revoked one works so long at most."""
_CACHE_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was just made. `secret` is nowhere else: who loses it makes another."""

    key: ApiKey
    user: User
    secret: str


def create_key(
    services: Services, *, user: str, role: Role | None = None, label: str = "", tenant_id: str = LOCAL_TENANT
) -> NewKey:
    """Make a key for a user, who is made if not there.

    Args:
        services: of this process.
        user: name of a person or program, unique in its tenant.
        role: what the user may do from now on, with all keys; None: as before, `submit` for a new user.
        label: where the key is used, for those who look after keys.
        tenant_id: whose data it opens.

    Raises:
        InputError: `invalid_option`, the name or the label is not usable.
    """
    _check_text("user", user, required=True)
    _check_text("label", label, required=False)
    secret = KEY_PREFIX + secrets.token_urlsafe(_KEY_BYTES)
    now = services.clock()
    with services.store.write(durable=True) as rows:
        owner = _user(rows, tenant_id, user, role, now)
        key = ApiKey(
            id=f"key_{uuid.uuid4().hex}",
            tenant_id=tenant_id,
            user_id=owner.id,
            label=label,
            prefix=secret[:_SHOWN],
            digest=digest_of(secret),
            created_at=now,
        )
        rows.access.add_key(key)
    return NewKey(key=key, user=owner, secret=secret)


def list_keys(services: Services, tenant_id: str = LOCAL_TENANT) -> tuple[tuple[ApiKey, User], ...]:
    """All keys with their users, the ended ones too, oldest first."""
    with services.store.read() as rows:
        return rows.access.keys(tenant_id)


def revoke_key(services: Services, key_id: str, tenant_id: str = LOCAL_TENANT) -> None:
    """End a key; every process refuses it within five seconds.

    Raises:
        InputError: `invalid_option`, there is no such key in force.
    """
    with services.store.write(durable=True) as rows:
        if not rows.access.revoke(tenant_id, key_id, services.clock()):
            raise InputError(
                ErrorCode.INVALID_OPTION,
                f"No key {key_id!r} is in force; `fieldmark keys list` shows them.",
                param="key",
            )


def digest_of(secret: str) -> str:
    """The form in which a key is stored and looked up, in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", errors="surrogatepass")).hexdigest()


class Authenticator:
    """Tells who sent a request; one a process, safe between threads.

    A key has 256 random bits and only its digest is ever compared or looked up, so the time an answer takes says
    nothing about a key.
    """

    def __init__(self, services: Services, links: LinkSigner) -> None:
        self._services = services
        self.links = links
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Caller, float]] = {}
        self._keys_seen_at = float("-inf")

    def now(self) -> float:
        """Unix seconds, by the clock that ends links."""
        return self._services.clock()

    def authenticate(
        self,
        authorization: str | None,
        client_host: str | None,
        *,
        any_key_alone: bool = False,
        named: Mapping[str, object] | None = None,
    ) -> Caller:
        """Who it is.

        Args:
            authorization: the header as sent.
            client_host: address of the other end of the connection; None if unknown.
            any_key_alone: whether, while there are no keys, this machine itself may show any: clients of the vendor
                cannot do without one.
            named: the ids in the request's path; a signed link opens only what is about its document.

        Raises:
            AccessError: `invalid_api_key`: a key is missing, malformed, unknown or ended; `forbidden`: a link is shown
                for something else than its document.
        """
        alone = any_key_alone and is_loopback(client_host) and not self._keys_exist()
        if authorization is not None and not alone:
            secret = _bearer(authorization)
            return self._linked(secret, named or {}) if secret.startswith(PREFIX) else self._owner(secret)
        if self._keys_exist():
            raise _refused("This service wants an API key: send it as `Authorization: Bearer fm_…`.")
        if not is_loopback(client_host):
            raise _refused("Without API keys only this machine itself is served; make one with `fieldmark keys add`.")
        return LOCAL_CALLER

    def _linked(self, token: str, named: Mapping[str, object]) -> Caller:
        link = self.links.read(token, self._services.clock())
        if not link.allows(named):
            raise AccessError(ErrorCode.FORBIDDEN, "This link opens one document alone; use a key for anything else.")
        return Caller(tenant_id=link.tenant_id, user=link.user, role=Role.REVIEW, link=link)

    def _owner(self, secret: str) -> Caller:
        digest, now = digest_of(secret), self._services.clock()
        with self._lock:
            caller, at = self._known.get(digest, (None, 0.0))
        if caller is not None and 0 <= now - at < _CACHE_S:
            return caller
        with self._services.store.read() as rows:
            user = rows.access.owner(digest)
        if user is None:
            raise _refused("The API key is not known here, or was revoked; check it, or make a new one.")
        caller = Caller(tenant_id=user.tenant_id, user=user.name, role=user.role)
        with self._lock:
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            self._known[digest] = (caller, now)
        return caller

    def _keys_exist(self) -> bool:
        """Only a yes is remembered: the first key counts from the moment it is made."""
        now = self._services.clock()
        if 0 <= now - self._keys_seen_at < _CACHE_S:
            return True
        with self._services.store.read() as rows:
            exist = rows.access.any_key()
        if exist:
            self._keys_seen_at = now
        return exist


def _user(rows: Rows, tenant_id: str, name: str, role: Role | None, now: float) -> User:
    user = rows.access.user_named(tenant_id, name)
    if user is None:
        user = User(
            id=f"user_{uuid.uuid4().hex}", tenant_id=tenant_id, name=name, role=role or Role.SUBMIT, created_at=now
        )
        rows.access.add_user(user)
    elif role is not None and role is not user.role:
        rows.access.set_role(user.id, role)
        user = User(id=user.id, tenant_id=tenant_id, name=name, role=role, created_at=user.created_at)
    return user


def _check_text(what: str, text: str, *, required: bool) -> None:
    if (required and not text.strip()) or len(text) > _LONGEST_NAME or not text.isprintable():
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"The {what} must be {'1' if required else '0'} to {_LONGEST_NAME} printable characters.",
            param=what,
        )


def _bearer(authorization: str) -> str:
    scheme, _, secret = authorization.strip().partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _refused("The Authorization header must be `Bearer fm_…`.")
    return secret.strip()


def _refused(message: str) -> AccessError:
    return AccessError(ErrorCode.INVALID_API_KEY, message)
