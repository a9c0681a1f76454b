"""Files named by URL: fetched only where allowed, over https, and never from inside the operator's network."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.clients.urls.addresses import is_public
from service.clients.urls.fetch import FetchRule, UrlFetcher
from service.domain.errors import InputError
from tests.api.job_calls import letter
from tests.dropin.conftest import Live, Starter
from tests.dropin.vendor_calls import CHAT, body, content_of

LARGE = 200_000
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/letter.pdf": (200, {"Content-Type": "application/pdf"}, letter()),
    "/untyped": (200, {}, letter()),
    "/page.html": (200, {"Content-Type": "text/html"}, b"<p>no document</p>"),
    "/missing.pdf": (404, {}, b"gone"),
    "/slow.pdf": (200, {"Content-Type": "application/pdf"}, b""),
    "/large.pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7" + b"\0" * LARGE),
    "/to-letter": (302, {"Location": "/letter.pdf"}, b""),
    "/to-nowhere": (302, {}, b""),
    "/to-itself": (307, {"Location": "/to-itself"}, b""),
    "/to-plain-http": (301, {"Location": "http://localhost/letter.pdf"}, b""),
    "/to-metadata": (302, {"Location": "https://169.254.169.254/latest"}, b""),
    "/to-loopback": (302, {"Location": "https://127.0.0.1:1/letter.pdf"}, b""),
}


_NEVER = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, data = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.path not in ("/large.pdf", "/slow.pdf"):  # their size shows only while they come
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.path == "/slow.pdf":
            _NEVER.wait(30)
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


def _certificate(folder: Path) -> Path:
    """A key and a certificate of our own for this machine, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[str, Path]]:
    """Address of a TLS server of this machine, and the certificate to trust it by."""
    certificate = _certificate(tmp_path_factory.mktemp("tls"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as listening:
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"https://localhost:{listening.server_port}", certificate
        listening.shutdown()
        thread.join()


def fetch(url: str, certificate: Path, **rule: Any) -> tuple[str, bytes]:
    """Name and bytes of a file."""
    limits = {"allowed": True, "trusted_hosts": frozenset({"localhost"}), "max_bytes": 100_000, "timeout_s": 60.0}
    trusting = ssl.create_default_context(cafile=str(certificate))
    fetcher = UrlFetcher(FetchRule(**(limits | rule)), tls=trusting)

    async def run() -> tuple[str, bytes]:
        async with fetcher.open(url) as file:
            return file.name, b"".join([part async for part in file.parts])

    return asyncio.run(run())


@pytest.mark.parametrize("path", ["/letter.pdf", "/to-letter", "/untyped"])
def test_a_file_is_fetched(server: tuple[str, Path], path: str) -> None:
    """Also behind a redirect."""
    name, data = fetch(server[0] + path, server[1])
    assert data == letter()
    assert name == ("untyped" if path == "/untyped" else "letter.pdf")


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/missing.pdf", "invalid_request_body", "HTTP 404"),
        ("/page.html", "unsupported_format", "text/html"),
        ("/large.pdf", "invalid_request_body", "larger than 100000 bytes"),
        ("/slow.pdf", "invalid_request_body", "too long"),
        ("/to-nowhere", "invalid_request_body", "to nowhere"),
        ("/to-itself", "invalid_request_body", "more than 5 times"),
        ("/to-plain-http", "invalid_request_body", "https alone"),
        ("/to-metadata", "invalid_request_body", "public internet"),
        ("/to-loopback", "invalid_request_body", "public internet"),
    ],
)
def test_what_is_no_file_or_leads_elsewhere_is_refused(
    server: tuple[str, Path], path: str, code: str, words: str
) -> None:
    """Each redirect is checked as the first address was."""
    with pytest.raises(InputError, match=words) as fault:
        fetch(server[0] + path, server[1], timeout_s=2.0 if path == "/slow.pdf" else 60.0)
    assert fault.value.code == code


@pytest.mark.parametrize(
    "url",
    [
        "https://localhost/a",
        "https://127.0.0.1/a",
        "https://127.1/a",
        "https://2130706433/a",
        "https://0x7f000001/a",
        "https://[::1]/a",
        "https://[::ffff:10.0.0.1]/a",
        "https://10.1.2.3/a",
        "https://172.16.0.1/a",
        "https://192.168.0.1/a",
        "https://169.254.169.254/latest/meta-data",
        "https://0.0.0.0/a",
        "https://100.64.0.1/a",
        "https://[fe80::1]/a",
        "https://[fd00:ec2::254]/a",
    ],
)
def test_addresses_inside_are_never_reached(server: tuple[str, Path], url: str) -> None:
    """By number in any spelling, or by a name that stands for one."""
    with pytest.raises(InputError, match=r"public internet|InvalidUrl"):
        fetch(url, server[1], trusted_hosts=frozenset())


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://localhost/a", "https alone"),
        ("file:///etc/hosts", "https alone"),
        ("ftp://localhost/a", "https alone"),
        ("fieldmark-pages:x#1", "https alone"),
        ("https://user:secret@localhost/a", "user or a password"),
        ("https://", "https alone|malformed"),
        ("https://[::1/a", "malformed"),
        ("no url", "https alone"),
    ],
)
def test_only_plain_https_is_fetched(server: tuple[str, Path], url: str, words: str) -> None:
    """And the secret is not repeated."""
    with pytest.raises(InputError, match=words) as fault:
        fetch(url, server[1])
    assert "secret" not in fault.value.message


def test_an_unknown_certificate_is_refused(server: tuple[str, Path]) -> None:
    """Trusting a host's address is not trusting whoever answers there."""
    rule = FetchRule(allowed=True, trusted_hosts=frozenset({"localhost"}), max_bytes=1000, timeout_s=60)

    async def run() -> None:
        async with UrlFetcher(rule).open(f"{server[0]}/letter.pdf"):
            pass

    with pytest.raises(InputError, match="connection fails"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:4700::1111", True),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("198.18.0.1", False),
        ("::", False),
        ("ff02::1", False),
        ("fe80::1%1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d70e", True),
        ("::ffff:93.184.215.14", True),
    ],
)
def test_public_addresses_are_told_from_the_rest(address: str, public: bool) -> None:
    """Both families, and the ones that carry another inside."""
    assert is_public(ipaddress.ip_address(address)) is public


def asked_for(url: str) -> dict[str, Any]:
    """A request that names its file."""
    part = {"type": "image_url", "image_url": {"url": url}}
    return body(messages=[{"role": "user", "content": [part]}])


def test_without_the_setting_a_url_is_refused_by_name(live: Live) -> None:
    """With what to do instead."""
    answer = live.client.post(CHAT, json=asked_for("https://files.example/a.pdf"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "option_not_supported")
    assert "FIELDMARK_FETCH_URLS" in answer.json()["error"]["message"]


def test_with_the_setting_a_url_is_as_good_as_a_file(
    start: Starter, server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an address inside is still refused."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server[1]))
    live = start(fetch_urls=True, fetch_hosts="localhost")
    answer = live.client.post(CHAT, json=asked_for(f"{server[0]}/letter.pdf"))
    assert answer.status_code == 200, answer.text
    assert content_of(answer.json())["number"] == "L-17"
    inside = live.client.post(CHAT, json=asked_for("https://169.254.169.254/latest"))
    assert (inside.status_code, inside.json()["error"]["code"]) == (400, "invalid_request_body")
