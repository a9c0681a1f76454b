"""What the environment says of proxies, in the forms that people write."""

from __future__ import annotations

import pytest

from service.cli.desk.http import HttpDesk
from service.clients.door.proxies import proxy_for
from service.domain.errors import InputError

_PROXY = "http://proxy.invalid:3128"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HTTP_PROXY", _PROXY)
    monkeypatch.setenv("HTTPS_PROXY", _PROXY)
    proxy_for.cache_clear()


@pytest.mark.parametrize(
    ("no_proxy", "url"),
    [
        ("models.test", "http://models.test/v1"),
        ("models.test", "https://a.models.test/v1"),
        (".models.test", "https://a.models.test/v1"),
        ("models.test:8000", "http://models.test:8000/v1"),
        ("http://models.test", "http://models.test:8000/v1"),
        ("other.test, HTTP://Models.test:8000", "http://models.test:8000/v1"),
        ("https://models.test:443", "https://models.test/v1"),
        ("all://*.models.test", "https://a.models.test/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
        ("10.0.0.0/8", "http://10.1.2.3:8000/v1"),
        ("fd00::/8", "http://[fd00::1]/v1"),
        ("::1", "http://[::1]:8000/v1"),
        ("*", "https://models.test/v1"),
        ("other.test, *", "https://models.test/v1"),
    ],
)
def test_servers_that_are_named_are_called_directly(monkeypatch: pytest.MonkeyPatch, no_proxy: str, url: str) -> None:
    """As curl, requests and httpx have it, taken together."""
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert proxy_for(url) is None


@pytest.mark.parametrize(
    ("no_proxy", "url"),
    [
        ("models.test", "http://badmodels.test/v1"),
        ("models.test:8000", "http://models.test:9000/v1"),
        ("https://models.test", "http://models.test/v1"),
        ("http://models.test:8000", "http://models.test/v1"),
        ("http://models.test", "http://badmodels.test/v1"),
        ("http://,http://[bad,http://models.test:port", "http://models.test/v1"),
        ("10.0.0.0/8", "http://11.1.2.3/v1"),
        ("10.0.0.0/8,300.0.0.0/8", "http://models.test/v1"),
        ("", "http://models.test/v1"),
    ],
)
def test_all_others_are_called_through_the_proxy(monkeypatch: pytest.MonkeyPatch, no_proxy: str, url: str) -> None:
    """A mistake in one entry names nobody."""
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert proxy_for(url) == _PROXY


def test_a_machine_without_a_proxy_calls_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a list of exceptions."""
    monkeypatch.delenv("HTTP_PROXY")
    monkeypatch.setenv("NO_PROXY", "localhost")
    assert proxy_for("http://models.test/v1") is None


@pytest.mark.parametrize("variable", ["ALL_PROXY", "HTTPS_PROXY", "https_proxy"])
def test_a_proxy_of_another_kind_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A SOCKS proxy would take a request for noise, and the fault would look like one of the server."""
    monkeypatch.delenv("HTTPS_PROXY")
    monkeypatch.setenv(variable, "socks5h://user:word@127.0.0.1:1080")
    with pytest.raises(InputError, match=rf"{variable.upper()} names a proxy of the kind 'socks5h'") as refused:
        proxy_for("https://models.test/v1")
    assert "word" not in refused.value.message
    monkeypatch.setenv("NO_PROXY", "models.test")
    assert proxy_for("https://models.test/v1") is None


def test_commands_that_call_a_service_refuse_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for a service that needs no proxy."""
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    monkeypatch.delenv("HTTPS_PROXY")
    with pytest.raises(InputError, match="ALL_PROXY"):
        HttpDesk("https://service.test", "", far=True)
    monkeypatch.setenv("NO_PROXY", "service.test")
    HttpDesk("https://service.test", "", far=True).close()
