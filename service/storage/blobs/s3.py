"""Blobs in S3-compatible storage: streamed in parts, so that an upload of any size takes little memory.

What is small is written under its content's key at once. What is larger is written under `incoming/` while its hash is
not known yet, and then copied by the store itself. A process that is killed in between may leave an unfinished upload
or an object under `incoming/`: give the bucket a lifecycle rule that removes both after a day.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import tempfile
import threading
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol, TypedDict, cast
from urllib.parse import urlsplit

from boto3.s3.transfer import TransferConfig
from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from service.domain.errors import ErrorCode, InternalError
from service.storage.blobs.base import Incoming, StoredBlob, blob_key, derived_key, is_key, nothing_came, too_large

_log = logging.getLogger(__name__)
_PART_BYTES = 5 * 2**20
"""The least that S3 takes as a part, of 10,000; two are in memory at a time."""
_CHUNK_BYTES = 2**20
_FULL = frozenset({"XMinioStorageFull", "QuotaExceeded", "InsufficientStorage"})
_MISSING = frozenset({"NoSuchKey", "404"})


class S3Blobs:
    """A `BlobStore` in a bucket; safe to share between threads, made anew after a fork.

    Args:
        url: `s3://bucket/prefix`.
        endpoint_url: of a store that is not Amazon's; None: Amazon's own. Credentials and region are found by boto3.
    """

    def __init__(self, url: str, *, endpoint_url: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme != "s3" or not parts.netloc:
            raise ValueError(f"not the address of a bucket: {url!r}; write s3://bucket/prefix")
        self._bucket = parts.netloc
        self._prefix = parts.path.strip("/")
        self._endpoint_url = endpoint_url
        self._lock = threading.Lock()
        self._made: tuple[int, _Client] | None = None

    @asynccontextmanager
    async def receive(self, tenant_id: str, parts: AsyncIterator[bytes], *, max_bytes: int) -> AsyncGenerator[Incoming]:
        """See `BlobStore.receive`."""
        upload = _Upload(self._client(), self._bucket, self._name(f"{tenant_id}/incoming/{uuid.uuid4().hex}"))
        digest, size, waiting = hashlib.sha256(), 0, bytearray()
        try:
            async for part in parts:
                size += len(part)
                if size > max_bytes:
                    raise too_large(max_bytes)
                digest.update(part)
                waiting += part
                while len(waiting) >= _PART_BYTES:
                    await asyncio.to_thread(upload.add, _cut(waiting, _PART_BYTES))
            if size == 0:
                raise nothing_came()
            sha256 = digest.hexdigest()
            blob = StoredBlob(key=blob_key(tenant_id, sha256), sha256=sha256, size_bytes=size)
            yield Incoming(blob=blob, keep=partial(upload.end, bytes(waiting), self._name(blob.key)))
        finally:
            await asyncio.to_thread(upload.clean_up)

    def put_derived(self, key: str, data: bytes) -> str:
        """See `BlobStore.put_derived`."""
        with _mapped_errors():
            self._client().put_object(Bucket=self._bucket, Key=self._name(derived_key(key)), Body=data)
        return derived_key(key)

    @contextmanager
    def local(self, key: str) -> Generator[Path]:
        """See `BlobStore.local`: a copy in the folder for temporary files, removed at the end."""
        with tempfile.NamedTemporaryFile(prefix="fieldmark-") as copy:
            with _mapped_errors(key):
                found = self._client().get_object(Bucket=self._bucket, Key=self._name(key))
                for chunk in found["Body"].iter_chunks(_CHUNK_BYTES):
                    copy.write(chunk)
                copy.flush()
            yield Path(copy.name)

    def exists(self, key: str) -> bool:
        """See `BlobStore.exists`."""
        with _mapped_errors():
            found = self._client().list_objects_v2(Bucket=self._bucket, Prefix=self._name(key), MaxKeys=1)
        return any(each["Key"] == self._name(key) for each in found.get("Contents", ()))  # the shortest comes first

    def delete(self, key: str) -> None:
        """See `BlobStore.delete`."""
        with _mapped_errors():
            for each in (derived_key(key), key):
                self._client().delete_object(Bucket=self._bucket, Key=self._name(each))

    def written(self, after: float, before: float) -> Iterator[str]:
        """See `BlobStore.written`."""
        prefix = self._name("")
        with _mapped_errors():
            for page in self._client().get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix):
                for each in page.get("Contents", ()):
                    key = each["Key"].removeprefix(prefix)
                    if is_key(key) and after <= each["LastModified"].timestamp() < before:
                        yield key

    def clean_up(self, older_than_s: float) -> None:
        """Nothing: the bucket's own lifecycle rule does it."""

    def _name(self, key: str) -> str:
        return f"{self._prefix}/{key}" if self._prefix else key

    def _client(self) -> _Client:
        with self._lock:
            if self._made is None or self._made[0] != os.getpid():
                config = Config(
                    connect_timeout=10,
                    read_timeout=60,
                    retries={"max_attempts": 4, "mode": "standard"},
                    max_pool_connections=32,
                    request_checksum_calculation="when_required",  # stores that are not Amazon's refuse the newer kinds
                    response_checksum_validation="when_required",
                    s3={"addressing_style": "path" if self._endpoint_url else "auto"},
                )
                client = Session().client("s3", endpoint_url=self._endpoint_url, config=config)
                self._made = os.getpid(), cast(_Client, client)
            return self._made[1]


class _Upload:
    """An object that comes in parts; its methods run in threads, one at a time."""

    def __init__(self, client: _Client, bucket: str, incoming: str) -> None:
        self._client = client
        self._bucket = bucket
        self._incoming = incoming
        self._id: str | None = None
        self._parts: list[_Part] = []
        self._whole = False
        self._lock = threading.Lock()  # a caller that goes away leaves a part under way, and the rest waits for it

    def add(self, data: bytes) -> None:
        """One part more."""
        with self._lock, _mapped_errors():
            if self._id is None:
                begun = self._client.create_multipart_upload(Bucket=self._bucket, Key=self._incoming)
                self._id = begun["UploadId"]
            number = len(self._parts) + 1
            done = self._client.upload_part(
                Bucket=self._bucket, Key=self._incoming, UploadId=self._id, PartNumber=number, Body=data
            )
            self._parts.append({"ETag": done["ETag"], "PartNumber": number})

    def end(self, rest: bytes, name: str) -> None:
        """The last bytes, and the object's own name."""
        if self._id is None:
            with self._lock, _mapped_errors():
                self._client.put_object(Bucket=self._bucket, Key=name, Body=rest)
            return
        if rest:
            self.add(rest)
        with self._lock, _mapped_errors():
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=self._incoming,
                UploadId=self._id,
                MultipartUpload={"Parts": self._parts},
            )
            self._whole = True
            source: _Source = {"Bucket": self._bucket, "Key": self._incoming}
            self._client.copy(source, self._bucket, name, Config=TransferConfig(use_threads=False))

    def clean_up(self) -> None:
        """Leave nothing under the incoming name; what cannot be removed is no fault of a job that is made by now."""
        try:
            with self._lock, _mapped_errors():
                if self._whole:
                    self._client.delete_object(Bucket=self._bucket, Key=self._incoming)
                elif self._id is not None:
                    self._client.abort_multipart_upload(Bucket=self._bucket, Key=self._incoming, UploadId=self._id)
        except InternalError as error:
            _log.warning("an upload left %s to the bucket's lifecycle rule: %s", self._incoming, error.message)


def _cut(waiting: bytearray, size: int) -> bytes:
    """Take the first bytes out."""
    with memoryview(waiting) as view:
        part = bytes(view[:size])
    del waiting[:size]
    return part


@contextmanager
def _mapped_errors(key: str | None = None) -> Generator[None]:
    try:
        yield
    except ClientError as error:
        code = cast(_Refusal, error.response)["Error"]["Code"]
        if code in _MISSING and key is not None:
            message = f"The stored bytes {key!r} are gone from the object store."
            raise InternalError(ErrorCode.INTERNAL, message) from error
        if code in _FULL:
            raise _full("in the object store") from error
        message = f"The object store refused a request ({code}); check the bucket and what the credentials allow."
        raise InternalError(ErrorCode.INTERNAL, message) from error
    except BotoCoreError as error:
        message = f"The object store cannot be used ({type(error).__name__}); check its address and credentials."
        raise InternalError(ErrorCode.INTERNAL, message) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full("for temporary files") from error
        raise


def _full(where: str) -> InternalError:
    return InternalError(ErrorCode.STORAGE_FULL, f"No space is left {where}; free some and try again.")


class _ErrorBody(TypedDict):
    Code: str


class _Refusal(TypedDict):
    Error: _ErrorBody


class _Part(TypedDict):
    ETag: str
    PartNumber: int


class _Parts(TypedDict):
    Parts: list[_Part]


class _Source(TypedDict):
    Bucket: str
    Key: str


class _Begun(TypedDict):
    UploadId: str


class _Sent(TypedDict):
    ETag: str


class _Body(Protocol):
    def iter_chunks(self, chunk_size: int) -> Iterator[bytes]: ...


class _Found(TypedDict):
    Body: _Body


class _Object(TypedDict):
    Key: str
    LastModified: datetime


class _Listed(TypedDict, total=False):
    Contents: list[_Object]


class _Pages(Protocol):
    def paginate(self, *, Bucket: str, Prefix: str) -> Iterator[_Listed]: ...


class _Client(Protocol):
    """What is used of boto3's client, which makes its methods at run time and so has no types."""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes) -> object: ...

    def get_object(self, *, Bucket: str, Key: str) -> _Found: ...

    def get_paginator(self, operation_name: str) -> _Pages: ...

    def list_objects_v2(self, *, Bucket: str, Prefix: str, MaxKeys: int) -> _Listed: ...

    def delete_object(self, *, Bucket: str, Key: str) -> object: ...

    def copy(self, CopySource: _Source, Bucket: str, Key: str, *, Config: TransferConfig) -> object: ...

    def create_multipart_upload(self, *, Bucket: str, Key: str) -> _Begun: ...

    def upload_part(self, *, Bucket: str, Key: str, UploadId: str, PartNumber: int, Body: bytes) -> _Sent: ...

    def complete_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str, MultipartUpload: _Parts) -> object: ...

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> object: ...
