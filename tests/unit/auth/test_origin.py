"""Which Host names and Origins are served."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.auth.origin import OriginRule, host_name, is_loopback, origin_rule
from service.domain.errors import AccessError, ErrorCode

LOCAL = origin_rule(api_host="127.0.0.1", allowed_hosts="box.example, [fd00::1]:8000")
OPEN = origin_rule(api_host="0.0.0.0", allowed_hosts="ui.example")


def refuses(rule: OriginRule, host: str | None, origin: str | None, scheme: str = "http") -> bool:
    """Whether the rule turns a request away, under its own code."""
    try:
        rule.check(host=host, origin=origin, scheme=scheme)
    except AccessError as error:
        return error.code is ErrorCode.ORIGIN_NOT_ALLOWED
    return False


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "LOCALHOST:80", "[::1]:9", "box.example:1", "[fd00::1]"]
)
def test_names_of_this_machine_are_served(host: str) -> None:
    """With any port, in any case."""
    assert not refuses(LOCAL, host, None)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000", "", None, "[::1", "a@127.0.0.2"]
)
def test_a_rebound_name_is_refused_on_loopback(host: str | None) -> None:
    """DNS may say that evil.example is 127.0.0.1; the Host header tells."""
    assert refuses(LOCAL, host, None)


def test_off_loopback_any_name_is_served() -> None:
    """There keys protect, and names are the operator's affair."""
    assert not refuses(OPEN, "fieldmark.internal", None)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost", "http://localhost"),
        ("box.example", "https://box.example"),
        ("127.0.0.1:8000", "https://box.example"),
    ],
)
def test_pages_of_the_service_itself_and_of_allowed_hosts_may_post(host: str, origin: str) -> None:
    """Also behind a proxy that speaks TLS."""
    assert not refuses(LOCAL, host, origin)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:3000", "http://localhost:8000", "http://[::1", "file://", ""],
)
def test_other_pages_may_not(origin: str) -> None:
    """Another port is another page; a sandboxed page says null."""
    assert refuses(LOCAL, "127.0.0.1:8000", origin)
    assert refuses(OPEN, "127.0.0.1:8000", origin)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "localhost"])
def test_loopback_is_known(host: str) -> None:
    """Also in IPv6's form of it."""
    assert is_loopback(host)


@pytest.mark.parametrize("host", [None, "", "0.0.0.0", "10.0.0.1", "::", "fd00::1", "example.com"])
def test_other_addresses_are_not_loopback(host: str | None) -> None:
    """An address that cannot be read is foreign."""
    assert not is_loopback(host)


@given(st.text(max_size=60))
def test_no_header_makes_the_check_fail_otherwise(text: str) -> None:
    """Whatever is sent, the answer is served or refused, never an error of ours."""
    host_name(text)
    refuses(LOCAL, text, text)
    refuses(OPEN, text, text, "https")
