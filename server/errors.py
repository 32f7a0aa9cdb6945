"""Every error that Lectern raises on purpose.

    LecternError
    ├── SettingsError      a setting that cannot be used
    ├── BookRefused        a file that will not become a book; `kind` says why
    ├── PictureRefused     a picture that cannot be a cover
    ├── BackupRefused      a file that is no backup, or none that can be put back
    ├── NotFound           no such book, chapter, sentence, voice
    ├── Conflict           the request is right but not now
    ├── BadRequest         the request cannot be understood
    ├── StoreError         the store on disk is not as it should be
    │   └── DiskFull       there is no space left to write
    ├── SetupError         model, voices or their source are missing or wrong
    └── RenderError        a sentence could not be rendered
        ├── NotSpeech      what was rendered is no speech: nothing of it is kept
        ├── DeviceWrong    whatever it computes on, the numbers are wrong
        └── WorkerLost     the render process died or stopped answering

A message is one sentence a user can read: it names the thing and the way out, and never shows a stack.
"""

from typing import Literal

RefusalKind = Literal[
    "not-epub",
    "empty",
    "damaged",
    "drm",
    "nothing-to-read",
    "too-large",
    "language",
    "unreadable",
    "timeout",
    "in-cloud",
]


class LecternError(Exception):
    """Base of the tree. `str(error)` is the sentence for the user."""

    code = "error"


class SettingsError(LecternError):
    code = "settings"


class BookRefused(LecternError):
    """A file that will not become a book. `kind` is one of `RefusalKind`; the message is the reason in words."""

    code = "book-refused"

    def __init__(self, kind: RefusalKind, message: str) -> None:
        super().__init__(message)
        self.kind: RefusalKind = kind

    def __reduce__(self) -> tuple[type["BookRefused"], tuple[RefusalKind, str]]:
        # It crosses a process boundary: the default would rebuild it from the message alone.
        return (BookRefused, (self.kind, str(self)))


class PictureRefused(LecternError):
    code = "picture-refused"


class BackupRefused(LecternError):
    code = "backup-refused"


class NotFound(LecternError):
    code = "not-found"


class Conflict(LecternError):
    code = "conflict"


class BadRequest(LecternError):
    code = "bad-request"


class StoreError(LecternError):
    code = "store"


class DiskFull(StoreError):
    code = "disk-full"


class OutOfMemory(LecternError):
    code = "out-of-memory"


class SetupError(LecternError):
    code = "setup"


class RenderError(LecternError):
    code = "render"


class NotSpeech(RenderError):
    code = "not-speech"


class DeviceWrong(RenderError):
    code = "device-wrong"


class WorkerLost(RenderError):
    code = "worker-lost"
