"""Files and folders of the store taken away."""

import logging
import shutil
from pathlib import Path

from server.render.files import write_error
from server.render.layout import DELETED

log = logging.getLogger(__name__)


def remove_folder(folder: Path) -> int:
    """Take a folder away in one step that a crash cannot halve; give the bytes that this frees.

    Of one that is a link to another disk the link goes: what it leads to is somebody else's to delete. Raises
    StoreError.
    """
    try:
        if folder.is_symlink():
            log.warning("%s is a link: what is in %s stays there", folder, folder.resolve())
            folder.unlink()
            return 0
        if not folder.exists():
            return 0
        # A file with a second name, in the folder of another edition, frees nothing.
        found = (file.stat() for file in folder.rglob("*") if file.is_file())
        size = sum(status.st_size for status in found if status.st_nlink == 1)
        doomed = folder.with_name(DELETED + folder.name)
        remove_all(doomed)
        folder.rename(doomed)
        remove_all(doomed)
    except OSError as error:
        raise write_error(folder, error) from error
    return size


def remove_all(path: Path) -> None:
    """Take away a file, a link or a folder with all that is in it, if it is there. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
