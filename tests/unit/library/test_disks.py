from pathlib import Path

import pytest

from server.library.disks import Disk, Polling, disk_of, linux_mounts, mac_mounts, mounted

LINUX = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
23 22 0:20 / /proc rw,nosuid - proc proc rw
40 22 0:44 / /mnt/nas rw,relatime shared:2 - nfs4 nas:/books rw,vers=4.2
41 22 0:45 / /mnt/My\040Books rw - cifs //nas/my\040books rw
42 40 254:1 / /mnt/nas/local rw master:1 - xfs /dev/vdb rw
43 22 0:46 / /home/a/remote rw - fuse.sshfs a@b: rw
44 22 0:47 / /mnt/over rw - nfs nas:/x rw
45 22 254:2 / /mnt/over rw - ext4 /dev/vdc rw
not a line
"""
MAC = """/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
//reader@nas._smb._tcp.local/Books on /Volumes/Books (smbfs, nodev, nosuid, mounted by reader)
nas:/export on /Volumes/My Books (old) (nfs, nodev, nosuid, automounted, mounted by reader)
/dev/disk5s1 on /Volumes/Stick on the desk (exfat, local, nodev, nosuid, noowners, mounted by reader)
"""


@pytest.mark.parametrize(
    ("folder", "disk"),
    [
        ("/home/a/Books", Disk("ext4", True)),
        ("/mnt/nas", Disk("nfs4", False)),
        ("/mnt/nas/deep/er", Disk("nfs4", False)),
        ("/mnt/nasty", Disk("ext4", True)),
        ("/mnt/My Books/a", Disk("cifs", False)),
        ("/mnt/nas/local/x", Disk("xfs", True)),
        ("/home/a/remote/x", Disk("fuse.sshfs", False)),
        ("/mnt/over", Disk("ext4", True)),
    ],
)
def test_linux_says_what_disk_a_folder_is_on(folder: str, disk: Disk) -> None:
    assert disk_of(Path(folder), lambda: linux_mounts(LINUX)) == disk


@pytest.mark.parametrize(
    ("folder", "disk"),
    [
        ("/Volumes/Books/in", Disk("smbfs", False)),
        ("/Volumes/My Books (old)/in", Disk("nfs", False)),
        ("/Volumes/Stick on the desk", Disk("exfat", True)),
        ("/System/Volumes/Data/Users/a", Disk("apfs", True)),
        ("/Applications", Disk("apfs", True)),
    ],
)
def test_macos_says_what_disk_a_folder_is_on(folder: str, disk: Disk) -> None:
    assert disk_of(Path(folder), lambda: mac_mounts(MAC)) == disk


def test_this_machine_knows_its_own_disk(tmp_path: Path) -> None:
    assert list(mounted())
    assert disk_of(tmp_path / "not" / "there") is not None


def test_where_nobody_knows_events_are_trusted_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.library.disks.mounted", lambda: iter(()))
    assert Polling(tmp_path, 30, always=False).poll_s() is None
    assert Polling(tmp_path, 30, always=False).told() is None
    forced = Polling(tmp_path, 12.5, always=True)
    assert forced.poll_s() == 12.5
    assert forced.told() == "The library folder is looked at every 12.5 seconds, as LECTERN_POLL asks."


def test_a_network_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.library.disks.mounted", lambda: iter([("/", Disk("smbfs", False))]))
    polling = Polling(tmp_path, 30, always=False)
    assert polling.poll_s() == 30
    assert "network disk (smbfs), which tells of no changes: it is looked at every 30 seconds" in str(polling.told())
