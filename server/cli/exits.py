"""Exit codes, which scripts may rely on; `lectern --help` prints them."""

from typing import Final

from server.errors import BookRefused, LecternError, NotFound, SettingsError

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2  # argparse uses it too
REFUSED: Final = 3
NOT_FOUND: Final = 4
INTERRUPTED: Final = 130  # 128 + SIGINT, as shells say it

EXPLAINED: Final = """\
exit codes:
  0  all went well
  1  it failed; the reason is on standard error (doctor: a check failed)
  2  the command or a setting cannot be understood
  3  a file was refused: it is no book that can be read
  4  there is no such file, book, chapter or voice
  130  stopped with Ctrl-C"""


def exit_code(error: LecternError) -> int:
    """The exit code that says what kind of error it was."""
    if isinstance(error, SettingsError):
        return USAGE
    if isinstance(error, BookRefused):
        return REFUSED
    if isinstance(error, NotFound):
        return NOT_FOUND
    return FAILED
