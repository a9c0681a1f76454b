"""The cache of pictures, which many fill and trim at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service.storage.pictures import PictureCache

THREADS = 4


def test_many_may_fill_and_trim_it_at_once(tmp_path: Path) -> None:
    """Each draws on; what is found is whole; the size is kept in the end."""
    cache = PictureCache(tmp_path, max_bytes=50_000)

    def draw(number: int) -> None:
        for turn in range(150):
            data = bytes([turn]) * 4_000
            cache.put("blob", f"{turn}", data)  # all draw the same ones
            assert cache.get("blob", f"{turn}") in (None, data)
            cache.put(f"blob-{number}", f"{turn}", data)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(draw, range(THREADS)))
    cache.put("blob", "last", b"x")
    assert sum(path.stat().st_size for path in tmp_path.glob("*/*")) <= 50_000
