"""The sandbox: it may die at any moment, and nothing but the page at hand is lost; it never outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from service.documents.reader import DocumentReader, ReadingAbortedError, RenderOptions
from service.domain.errors import ErrorCode, ReadingError
from service.domain.pages import PageRange, TextSource
from tests.contracts.documents_made import LIMITS, pdf_of, raw_pdf, text_page
from tests.fakes.pipeline import wait_until

ROOT = Path(__file__).parents[2]
SLOW = b"0.1 w " + b" ".join(b"%d 0 m 0 %d l S" % (x % 400, x % 300) for x in range(60_000))
"""A drawing that takes PDFium some seconds."""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Six pages of text."""
    path = tmp_path / "six.pdf"
    path.write_bytes(pdf_of(*(text_page(f"Sheet {number}") for number in range(1, 7))))
    return path


_EARLIER: set[int] = set()


@pytest.fixture(autouse=True)
def only_ours() -> None:
    """Sandboxes of services that other tests keep running are none of ours."""
    _EARLIER.clear()
    _EARLIER.update(process.pid for process in sandboxes())


def sandboxes() -> list[psutil.Process]:
    """The sandbox processes that this test started."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if child.pid not in _EARLIER and _is_sandbox(child)]


def _is_sandbox(process: psutil.Process) -> bool:
    try:
        return "service.documents.sandbox" in process.cmdline()
    except psutil.NoSuchProcess:  # it ended meanwhile
        return False


def computed(process: psutil.Process) -> float:
    """Seconds of a processor that a process has had."""
    try:
        return process.cpu_times().user
    except psutil.NoSuchProcess:
        return 0.0


def test_one_warm_process_serves_all_calls(fresh_reader: DocumentReader, pages: Path) -> None:
    """Opening, reading, drawing and cutting use the same child; digital pages start no OCR."""
    fresh_reader.open(pages)
    before = fresh_reader.sandbox_pids()
    assert len(before) == 1
    assert [page.text() for page in fresh_reader.read_pages(pages, PageRange(2, 3))] == ["Sheet 2", "Sheet 3"]
    fresh_reader.render_page(pages, 1, RenderOptions(dpi=72))
    fresh_reader.cut(pages, PageRange(1, 2))
    assert fresh_reader.sandbox_pids() == before


def test_a_killed_sandbox_is_replaced(fresh_reader: DocumentReader, pages: Path) -> None:
    """Kill -9 between two pages loses no page."""
    found: list[str] = []
    for page in fresh_reader.read_pages(pages, PageRange(1, 6)):
        found.append(page.text())
        for process in sandboxes():
            process.kill()
            process.wait()
    assert found == [f"Sheet {number}" for number in range(1, 7)]


def test_a_page_that_ends_every_sandbox_fails_alone(fresh_reader: DocumentReader, tmp_path: Path) -> None:
    """The page under the reader comes as failed and says so; it is tried in one fresh process, not for ever."""
    path = tmp_path / "slow.pdf"
    path.write_bytes(raw_pdf(SLOW * 30))
    light = tmp_path / "light.pdf"
    light.write_bytes(pdf_of(text_page("Still here")))
    fresh_reader.open(light)
    killed: list[int] = []
    stop = threading.Event()

    def kill_all() -> None:
        while not stop.wait(0.25):
            for process in sandboxes():
                killed.append(process.pid)
                process.kill()

    killer = threading.Thread(target=kill_all)
    killer.start()
    with pytest.raises(ReadingError) as caught:
        fresh_reader.render_page(path, 1, RenderOptions(dpi=400))
    stop.set()
    killer.join()
    assert caught.value.code is ErrorCode.PAGE_CRASHED
    assert 1 <= len(set(killed)) <= 3
    assert next(fresh_reader.read_pages(light, PageRange(1, 1))).text() == "Still here"


def test_a_page_that_takes_too_long_fails_and_the_next_is_read(tmp_path: Path) -> None:
    """The time limit is the parent's; the child is ended and replaced."""
    reader = DocumentReader(replace(LIMITS, page_timeout_s=4.0))
    heavy = raw_pdf(b"q " * 10 + SLOW * 40 + b" 1 1 1 rg BT /F1 12 Tf 50 50 Td (late) Tj ET")
    path, light = tmp_path / "heavy.pdf", tmp_path / "light.pdf"
    path.write_bytes(heavy)
    light.write_bytes(pdf_of(text_page("light")))
    try:
        reader.open(light)
        (page,) = reader.read_pages(path, PageRange(1, 1))
        assert page.source is TextSource.FAILED
        assert [issue.code for issue in page.issues] == [ErrorCode.PAGE_TIMEOUT]
        # on a machine that stands still for so long the light page is late as well: then another time
        wait_until(lambda: [page.text() for page in reader.read_pages(light, PageRange(1, 1))] == ["light"])
    finally:
        reader.close()


def test_files_that_take_long_do_not_hold_up_those_behind_them(tmp_path: Path) -> None:
    """After one of them none is looked at quickly for a while, whatever it is: it is opened where nobody waits."""
    heavy, light = tmp_path / "heavy.pdf", tmp_path / "light.pdf"
    heavy.write_bytes(raw_pdf(SLOW * 40))
    light.write_bytes(pdf_of(text_page("light")))
    now = 0.0
    reader = DocumentReader(LIMITS, clock=lambda: now)

    def looks_again() -> bool:
        nonlocal now
        now += 60.0
        with suppress(ReadingError):  # on a machine that stands still for so long: then another time
            return reader.open(light, quickly=True).blank is False
        return False

    try:
        reader.open(light)
        with pytest.raises(ReadingError, match="longer than 2 s"):
            reader.open(heavy, quickly=True)
        for path in (heavy, light):
            with pytest.raises(ReadingError, match="came before"):
                reader.open(path, quickly=True)
        assert len(reader.open(light).info.pages) == 1
        wait_until(looks_again)
    finally:
        reader.close()


def test_a_stream_that_unpacks_to_gigabytes_is_stopped(tmp_path: Path) -> None:
    """A bomb ends its sandbox at the memory limit, not the machine."""
    packer = zlib.compressobj(9)
    block = b" " * 10_000_000
    packed = b"".join(packer.compress(block) for _ in range(60)) + packer.flush()
    bomb = raw_pdf(b"BT /F1 12 Tf 50 50 Td (x) Tj ET")
    old = b"<< /Length 31 >>\nstream\nBT /F1 12 Tf 50 50 Td (x) Tj ET\nendstream"
    assert old in bomb
    new = b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)
    path, light = tmp_path / "bomb.pdf", tmp_path / "light.pdf"
    path.write_bytes(bomb.replace(old, new))
    light.write_bytes(pdf_of(text_page("light")))
    reader = DocumentReader(replace(LIMITS, pdf_memory_bytes=500_000_000))
    try:
        (page,) = reader.read_pages(path, PageRange(1, 1))
        assert page.source in (TextSource.FAILED, TextSource.NONE)
        assert next(reader.read_pages(light, PageRange(1, 1))).text() == "light"
        for process in sandboxes():
            assert process.memory_info().vms < 500_000_000
    finally:
        reader.close()


def test_ocr_over_its_memory_fails_that_page(tmp_path: Path, fresh_reader: DocumentReader) -> None:
    """The resident memory of the process that reads pictures is watched."""
    source = tmp_path / "source.pdf"
    source.write_bytes(pdf_of(text_page("Delivery note 5512", size=30.0)))
    picture = tmp_path / "picture.png"
    picture.write_bytes(fresh_reader.render_page(source, 1, RenderOptions(dpi=150, image_format="png")))
    small = DocumentReader(replace(LIMITS, ocr_memory_bytes=60_000_000))
    try:
        (page,) = small.read_pages(picture, PageRange(1, 1))
        assert page.source is TextSource.FAILED
        assert [issue.code for issue in page.issues] == [ErrorCode.PAGE_MEMORY]
    finally:
        small.close()


def test_abort_from_another_thread_ends_the_call(fresh_reader: DocumentReader, tmp_path: Path) -> None:
    """Cancelling does not wait for the page; the reader can be used again."""
    path, light = tmp_path / "heavy.pdf", tmp_path / "light.pdf"
    path.write_bytes(raw_pdf(SLOW * 40))
    light.write_bytes(pdf_of(text_page("light")))
    fresh_reader.open(light)
    before = sum(map(computed, sandboxes()))

    def abort_in_the_middle() -> None:
        wait_until(lambda: sum(map(computed, sandboxes())) > before + 0.2)
        fresh_reader.abort()

    aborting = threading.Thread(target=abort_in_the_middle)
    aborting.start()
    with pytest.raises(ReadingAbortedError):
        list(fresh_reader.read_pages(path, PageRange(1, 1)))
    aborting.join()
    wait_until(lambda: not [p for p in sandboxes() if p.status() != psutil.STATUS_ZOMBIE])
    assert next(fresh_reader.read_pages(light, PageRange(1, 1))).text() == "light"


def test_abort_for_a_thread_touches_no_other(fresh_reader: DocumentReader, pages: Path) -> None:
    """Stopping a thread that reads nothing leaves the reader as it is."""
    fresh_reader.open(pages)
    before = fresh_reader.sandbox_pids()
    fresh_reader.abort(threading.get_ident())
    assert fresh_reader.sandbox_pids() == before


def test_close_leaves_no_process(pages: Path) -> None:
    """After close no child is left, and closing twice does no harm."""
    reader = DocumentReader(LIMITS)
    reader.open(pages)
    assert sandboxes()
    reader.close()
    reader.close()
    wait_until(lambda: not sandboxes())


def test_the_sandbox_dies_with_its_parent(tmp_path: Path, pages: Path) -> None:
    """Kill -9 of the parent leaves no orphan, also when the thread that used it had ended."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys, threading, time\n"
        "from pathlib import Path\n"
        "from service.documents.reader import DocumentReader, ReadingLimits\n"
        "reader = DocumentReader(ReadingLimits(max_pages=9, max_page_pixels=10**7, page_timeout_s=20,"
        " ocr_page_timeout_s=20, pdf_memory_bytes=2*10**9, ocr_memory_bytes=10**9))\n"
        "user = threading.Thread(target=lambda: reader.open(Path(sys.argv[1])))\n"
        "user.start(); user.join(); time.sleep(0.3)\n"
        "reader.open(Path(sys.argv[1]))\n"
        "print(reader.sandbox_pids(), flush=True)\n"
        "threading.Event().wait()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script), str(pages)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert parent.stdout is not None
    (pid,) = [int(number) for number in parent.stdout.readline().strip().strip("()").split(",") if number]
    assert psutil.pid_exists(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not psutil.pid_exists(pid))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork, and no prefork worker either")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_sandboxes_of_its_own(fresh_reader: DocumentReader, pages: Path) -> None:
    """A prefork worker's child does not talk into its parent's pipes."""
    fresh_reader.open(pages)
    own = fresh_reader.sandbox_pids()
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            text = next(fresh_reader.read_pages(pages, PageRange(4, 4))).text()
            os.write(sender, f"{text}|{set(fresh_reader.sandbox_pids()) & set(own)}".encode())
            fresh_reader.close()
            code = 0
        finally:
            os._exit(code)
    os.close(sender)
    told = os.read(receiver, 1000).decode()
    os.close(receiver)
    assert os.waitpid(child, 0)[1] == 0
    assert told == "Sheet 4|set()"
    assert fresh_reader.sandbox_pids() == own
    assert next(fresh_reader.read_pages(pages, PageRange(5, 5))).text() == "Sheet 5"


def test_the_sandbox_sees_no_secret(fresh_reader: DocumentReader, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of the environment stay outside."""
    monkeypatch.setenv("FIELDMARK_UPSTAGE_API_KEY", "up_planted")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    fresh_reader.open(pages)
    (process,) = sandboxes()
    assert not [name for name, value in process.environ().items() if "planted" in value]
    assert "FIELDMARK_UPSTAGE_API_KEY" not in process.environ()


def test_the_parent_never_loads_the_engines() -> None:
    """Importing the room brings neither PDFium nor networks nor picture codecs into the service's own processes."""
    code = (
        "import sys, service.documents.reader\n"
        "print([m for m in ('pypdfium2', 'pypdfium2_raw', 'PIL', 'onnxruntime', 'cv2', 'numpy', 'pdfplumber', 'docx')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ}
    )
    assert done.stdout.strip() == "[]"
