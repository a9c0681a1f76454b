"""What the doctor looks at."""

from __future__ import annotations

from pathlib import Path

from service.cli.doctor.machine_checks import State, check_machine, file_system_of
from service.settings import Settings

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/export /srv nfs4 rw 0 0
tmpfs /srv/scratch tmpfs rw 0 0
//nas/share /mnt/my\\040files cifs rw 0 0
"""


def test_the_nearest_mount_decides_the_file_system(tmp_path: Path):
    """Also where a name holds a space, and where one mount lies inside another."""
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    expected = {"/opt": "ext4", "/srv/home": "nfs4", "/srv/scratch/home": "tmpfs", "/mnt/my files/home": "cifs"}
    assert {path: file_system_of(Path(path), mounts) for path in expected} == expected
    assert file_system_of(Path("/opt"), tmp_path / "none") is None


def test_everything_that_is_not_there_comes_with_how_to_get_it(tmp_path: Path):
    """And looking leaves no trace."""
    home = tmp_path / "home"
    findings = check_machine(Settings(home=home, redis_binary="none"))
    assert [f.subject for f in findings if f.state is not State.OK and not f.remedy] == []
    assert next(f.state for f in findings if f.subject == "Redis") is State.MISSING
    assert not home.exists()
