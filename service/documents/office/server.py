"""Answers to requests in an office sandbox: LibreOffice turns a file into a PDF, with a profile for that file alone."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from service.documents.office.convert import unlock
from service.domain.errors import ErrorCode, ReadingError
from service.domain.records import JsonObject

LIBRE_OFFICE = "soffice"


class OfficeServer:
    """Starts LibreOffice for one file after the other; it lives in the sandbox's process group and ends with it."""

    def serve(self, head: JsonObject, body: bytes) -> tuple[JsonObject, bytes]:
        """Answer `convert`: the PDF as body.

        Raises:
            InputError: as `unlock`.
            ReadingError: LibreOffice gave no PDF.
        """
        program = shutil.which(LIBRE_OFFICE)
        password = str(head["password"]) if head.get("password") else None
        kind, data = unlock(Path(str(head["path"])), password)
        if program is None:
            raise _failed()
        with tempfile.TemporaryDirectory(prefix="fieldmark-office-") as name:
            folder = Path(name)
            source = folder / f"document.{kind.value}"
            source.write_bytes(data)
            subprocess.run(  # noqa: S603 - the program found on PATH, on a file we named
                [
                    program,
                    "--headless",
                    "--norestore",
                    f"-env:UserInstallation={(folder / 'profile').as_uri()}",
                    "--convert-to",
                    "pdf",
                    "--outdir",
                    str(folder),
                    str(source),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            result = source.with_suffix(".pdf")
            if not result.is_file():
                raise _failed()
            return {"kind": kind.value}, result.read_bytes()


def _failed() -> ReadingError:
    return ReadingError(ErrorCode.PAGE_CRASHED, "LibreOffice could not turn the file into a PDF.")
