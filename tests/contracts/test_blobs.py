"""Blobs by key, in a folder and in S3-compatible storage."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import boto3
import pytest
from boto3.session import Session
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from service.domain.errors import ErrorCode, InputError, InternalError
from service.jobs.intake.uploads import get_file, receive_upload
from service.jobs.services import Services
from service.storage.blobs.base import BlobStore, StoredBlob, blob_key
from service.storage.blobs.folder import FolderBlobs
from service.storage.blobs.s3 import S3Blobs
from service.storage.store import Store

TENANT = "tenant-a"
MANY = 64 * 2**20
SMALL = b"%PDF-1.7 a small file"
LARGE = bytes(range(256)) * (15 * 2**12) + b"the end"
"""15 MiB and a little: some parts of S3."""


@dataclass(frozen=True, slots=True)
class Place:
    """A store, and a look behind it."""

    blobs: BlobStore
    names: Callable[[], list[str]]
    """Everything that lies there, unfinished uploads included."""


@pytest.fixture(scope="session")
def s3_endpoint() -> Generator[str]:
    """An S3 server of this process."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that open nothing but the server above."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each kind of store, empty."""
    if request.param == "folder":
        root = tmp_path / "blobs"
        return Place(
            FolderBlobs(root),
            lambda: sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()),
        )
    request.getfixturevalue("s3_account")
    endpoint: str = request.getfixturevalue("s3_endpoint")
    bucket = f"b-{uuid.uuid4().hex}"
    client = boto3.client("s3", endpoint_url=endpoint)
    client.create_bucket(Bucket=bucket)

    def names() -> list[str]:
        objects = client.list_objects_v2(Bucket=bucket).get("Contents", [])
        uploads = client.list_multipart_uploads(Bucket=bucket).get("Uploads", [])
        return sorted(str(found["Key"]).removeprefix("some/prefix/") for found in [*objects, *uploads])

    return Place(S3Blobs(f"s3://{bucket}/some/prefix/", endpoint_url=endpoint), names)


async def _stream(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        await asyncio.sleep(0)
        yield part


async def _keep(blobs: BlobStore, tenant_id: str, parts: AsyncIterator[bytes], max_bytes: int = MANY) -> StoredBlob:
    async with blobs.receive(tenant_id, parts, max_bytes=max_bytes) as incoming:
        await asyncio.to_thread(incoming.keep)
        return incoming.blob


def _receive(place: Place, parts: Iterable[bytes], *, max_bytes: int = MANY) -> StoredBlob:
    return asyncio.run(_keep(place.blobs, TENANT, _stream(parts), max_bytes))


def _cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _read(place: Place, key: str) -> bytes:
    with place.blobs.local(key) as path:
        return path.read_bytes()


@pytest.mark.parametrize("data", [SMALL, LARGE, LARGE[: 5 * 2**20]], ids=["small", "large", "one part"])
@pytest.mark.parametrize("size", [7, 65_536, MANY], ids=["crumbs", "chunks", "at once"])
def test_what_was_streamed_in_comes_out(place: Place, data: bytes, size: int) -> None:
    """Under a key that names its content, with its hash and size, and nothing beside it."""
    blob = _receive(place, _cut(data, max(size, len(data) // 5000)))
    sha256 = hashlib.sha256(data).hexdigest()
    assert blob == StoredBlob(key=blob_key(TENANT, sha256), sha256=sha256, size_bytes=len(data))
    assert _read(place, blob.key) == data
    assert place.names() == [blob.key]


def test_a_pdf_that_was_made_of_a_blob_stands_beside_it_and_goes_with_it(place: Place) -> None:
    """The last one that was made counts; it may be there without the blob, and the blob without it."""
    key = blob_key(TENANT, hashlib.sha256(SMALL).hexdigest())
    made = place.blobs.put_derived(key, b"first")
    assert (place.blobs.exists(made), place.blobs.exists(key)) == (True, False)
    _receive(place, [SMALL])
    assert place.blobs.put_derived(key, b"second") == made
    assert (_read(place, key), _read(place, made)) == (SMALL, b"second")
    place.blobs.delete(key)
    assert place.names() == []


def test_what_was_taken_in_is_no_program(tmp_path: Path) -> None:
    """Whatever bytes came, nobody may run them."""
    place = Place(FolderBlobs(tmp_path), list)
    for key in (_receive(place, [SMALL]).key, place.blobs.put_derived("tenant-a/00/00", SMALL)):
        assert not (tmp_path / key).stat().st_mode & 0o111


def test_an_upload_that_is_kept_stands_though_its_first_name_cannot_be_removed(
    s3_endpoint: str, s3_account: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then a job may stand on it; the bucket's lifecycle rule does the rest."""
    boto3.client("s3", endpoint_url=s3_endpoint).create_bucket(Bucket="keeps-all")
    make = Session.client

    def refuse(**_request: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "DeleteObject")

    def make_refusing(self: Session, *args: Any, **options: Any) -> Any:
        client = make(self, *args, **options)
        client.meta.events.register("before-send.s3.DeleteObject", refuse)
        return client

    monkeypatch.setattr(Session, "client", make_refusing)
    place = Place(S3Blobs("s3://keeps-all", endpoint_url=s3_endpoint), list)
    assert _read(place, _receive(place, [LARGE]).key) == LARGE


def test_what_was_written_within_a_time_is_named(place: Place) -> None:
    """A PDF that was made of a blob too; neither uploads under way nor what others put into the same store."""
    assert list(place.blobs.written(0.0, 1e12)) == []
    key = _receive(place, [SMALL]).key
    made = place.blobs.put_derived(key, SMALL)
    place.blobs.put_derived("notes/ab/of-somebody-else", SMALL)
    assert sorted(place.blobs.written(0.0, 1e12)) == [key, made]
    assert list(place.blobs.written(0.0, 1e9)) == []
    assert list(place.blobs.written(1e11, 1e12)) == []


def test_tenants_do_not_share_blobs(place: Place) -> None:
    """Deleting one's leaves the other's."""
    mine = _receive(place, [SMALL])
    theirs = asyncio.run(_keep(place.blobs, "tenant-b", _stream([SMALL])))
    assert mine.key != theirs.key
    place.blobs.delete(mine.key)
    assert _read(place, theirs.key) == SMALL


@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "large"])
def test_a_limit_that_is_passed_in_the_middle_leaves_nothing(place: Place, data: bytes) -> None:
    """And the rest of the stream is not asked for."""
    asked: list[int] = []

    def parts() -> Iterable[bytes]:
        for number, part in enumerate(_cut(data, len(data) // 10)):
            asked.append(number)
            yield part

    with pytest.raises(InputError) as caught:
        _receive(place, parts(), max_bytes=len(data) * 8 // 10)
    assert (caught.value.code, asked) == (ErrorCode.FILE_TOO_LARGE, [*range(9)])
    assert place.names() == []


def test_a_file_of_exactly_the_limit_is_taken(place: Place) -> None:
    """The limit is the most that is allowed."""
    assert _receive(place, [SMALL], max_bytes=len(SMALL)).size_bytes == len(SMALL)


@pytest.mark.parametrize("parts", [[], [b"", b""]], ids=["no part", "empty parts"])
def test_an_empty_file_is_refused(place: Place, parts: list[bytes]) -> None:
    """And leaves nothing."""
    with pytest.raises(InputError) as caught:
        _receive(place, parts)
    assert (caught.value.code, place.names()) == (ErrorCode.EMPTY_FILE, [])


def test_a_sender_who_breaks_off_leaves_nothing(place: Place) -> None:
    """The sender's own error goes on."""

    def parts() -> Iterable[bytes]:
        yield LARGE
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        _receive(place, parts())
    assert place.names() == []


def test_an_upload_that_is_cancelled_leaves_nothing(place: Place) -> None:
    """However far it came."""

    async def cancel_in_the_middle() -> None:
        first_is_in = asyncio.Event()

        async def parts() -> AsyncIterator[bytes]:
            yield LARGE
            first_is_in.set()
            await asyncio.Event().wait()

        upload = asyncio.create_task(_keep(place.blobs, TENANT, parts()))
        await first_is_in.wait()
        upload.cancel()
        with pytest.raises(asyncio.CancelledError):
            await upload

    asyncio.run(cancel_in_the_middle())
    assert place.names() == []


@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "large"])
def test_what_came_whole_and_is_not_kept_is_gone(place: Place, data: bytes) -> None:
    """Whoever takes it in may still think better of it."""

    async def look_only() -> StoredBlob:
        async with place.blobs.receive(TENANT, _stream([data]), max_bytes=MANY) as incoming:
            return incoming.blob

    blob = asyncio.run(look_only())
    assert (blob.sha256, blob.size_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    assert (place.blobs.exists(blob.key), place.names()) == (False, [])


def test_the_same_content_twice_is_one_blob(place: Place) -> None:
    """Also when both come at once."""

    async def both() -> tuple[StoredBlob, StoredBlob]:
        parts = _cut(LARGE, 65_536)
        return await asyncio.gather(
            _keep(place.blobs, TENANT, _stream(parts)),
            _keep(place.blobs, TENANT, _stream(parts)),
        )

    first, second = asyncio.run(both())
    assert first == second
    assert place.names() == [first.key]
    assert _read(place, first.key) == LARGE


def test_deleting_is_done_once_and_asked_for_as_often_as_one_likes(place: Place) -> None:
    """What is gone says so when it is wanted."""
    blob = _receive(place, [SMALL])
    assert place.blobs.exists(blob.key)
    place.blobs.delete(blob.key)
    place.blobs.delete(blob.key)
    assert not place.blobs.exists(blob.key)
    assert place.names() == []
    with pytest.raises(InternalError, match="gone"), place.blobs.local(blob.key):
        pytest.fail("there is nothing to open")


def test_a_bucket_that_is_not_there_is_our_error_and_names_no_secret(s3_endpoint: str, s3_account: None) -> None:
    """Whatever is asked of it."""
    place = Place(S3Blobs("s3://no-such-bucket", endpoint_url=s3_endpoint), list)
    key = blob_key(TENANT, "0" * 64)
    for ask in (
        lambda: place.blobs.put_derived(key, SMALL),
        lambda: _receive(place, [SMALL]),
        lambda: _receive(place, [LARGE]),
        lambda: _read(place, key),
        lambda: place.blobs.exists(key),
        lambda: place.blobs.delete(key),
    ):
        with pytest.raises(InternalError, match="NoSuchBucket") as caught:
            ask()
        assert "testing" not in caught.value.message


def test_a_store_that_does_not_answer_is_our_error(s3_account: None) -> None:
    """It may be back later."""
    blobs = S3Blobs("s3://bucket", endpoint_url="http://127.0.0.1:1")
    with pytest.raises(InternalError, match="EndpointConnectionError") as caught:
        blobs.put_derived(blob_key(TENANT, "0" * 64), SMALL)
    assert caught.value.retryable


@pytest.mark.parametrize("url", ["bucket", "http://bucket", "s3://", "s3:///prefix"])
def test_an_address_that_is_no_bucket_is_refused_at_the_start(url: str) -> None:
    """With the form it should have."""
    with pytest.raises(ValueError, match="s3://bucket/prefix"):
        S3Blobs(url)


@pytest.mark.parametrize(
    "name", ["../../../outside.pdf", "/outside.pdf", "C:\\outside.pdf", "%2e%2e/x", "名\u202efdp.exe", ""]
)
def test_a_files_name_is_kept_for_display_and_is_in_no_path(place: Place, store: Store, name: str) -> None:
    """Whatever it is, the bytes lie under their content's key."""
    parts = SimpleNamespace(
        blobs=place.blobs, store=store, clock=lambda: 1.0, limits=SimpleNamespace(max_file_bytes=MANY)
    )
    services = cast(Services, parts)  # only what an upload asks for
    file = asyncio.run(receive_upload(services, TENANT, name, _stream([SMALL])))
    assert place.names() == [blob_key(TENANT, hashlib.sha256(SMALL).hexdigest())]
    assert get_file(services, TENANT, file.id).name == name


_WRITE_UNDER_A_LIMIT = """
import asyncio, resource, sys
from pathlib import Path
from service.domain.errors import InternalError
from service.storage.blobs.folder import FolderBlobs

async def parts():
    for _ in range(64):
        yield bytes(65536)

async def receive():
    async with blobs.receive("tenant-a", parts(), max_bytes=10_000_000):
        print("taken")

blobs = FolderBlobs(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
for write in (
    lambda: blobs.put_derived("tenant-a/00/00", bytes(4_000_000)),
    lambda: asyncio.run(receive()),
):
    try:
        write()
    except InternalError as error:
        print(error.code)
"""


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    """The system refuses the write half way: here by the largest file that a process may write."""
    command = [sys.executable, "-c", _WRITE_UNDER_A_LIMIT, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.stdout.split(), ended.stderr) == ([ErrorCode.STORAGE_FULL, ErrorCode.STORAGE_FULL], "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
