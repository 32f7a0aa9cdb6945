"""`lectern add` and `lectern render`."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx

from server.cli.console import Bar, Console
from server.cli.exits import OK, exit_code
from server.config import Settings, path_of
from server.errors import BookRefused, LecternError, NotFound
from server.setup.running import ask_running, reach

UPLOAD_S = 600.0  # reading a huge book in takes minutes
CHUNK_BYTES = 1 << 20


def add(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Add each file; a bad one does not keep the others out. Gives the exit code of the first that failed."""
    added: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    code = OK
    for given in arguments.files:
        try:
            book = add_one(settings, path_of(given), arguments.language)
            added.append({"file": given, **book})
            if not arguments.json:
                console.say(added_line(book))
        except LecternError as error:
            code = code or exit_code(error)
            refused.append({"file": given, "kind": getattr(error, "kind", error.code), "reason": str(error)})
            if not arguments.json:
                console.complain(str(error))
    if arguments.json:
        console.answer({"added": added, "refused": refused})
    return code


def added_line(book: dict[str, Any]) -> str:
    size = f"{count(book['chapters'], 'chapter')}, {count(book['sentences'], 'sentence')}"
    if book["there"]:
        return f"“{book['title']}” is on the shelf already: {size}."
    return f"Added “{book['title']}”: {size}."


def add_one(settings: Settings, path: Path, language: str | None = None) -> dict[str, Any]:
    """Add one book, through the server when it runs, to be read in `language` or in its own.

    Gives id, title, chapters, sentences and whether it was there; raises LecternError.
    """
    if not path.exists():
        raise NotFound(f"There is no file {path}.")
    if ask_running(settings) is not None:
        return upload(reach(settings), path, language)
    from server.app import add_file

    return asdict(add_file(settings, path.absolute(), language))


def upload(server: str, path: Path, language: str | None = None) -> dict[str, Any]:
    """Send a file to the running server. Raises BookRefused, LecternError with the server's own sentence."""
    if path.is_dir():
        raise LecternError(f"{path} is a folder: copy it into the library folder, the server will find it there.")
    try:
        with path.open("rb") as stream:
            answer = httpx.post(
                f"{server}/api/v1/books",
                params={"name": path.name} | ({"language": language} if language else {}),
                content=iter(lambda: stream.read(CHUNK_BYTES), b""),
                headers={"Content-Type": "application/octet-stream", "Content-Length": str(path.stat().st_size)},
                timeout=UPLOAD_S,
                trust_env=False,
            )
    except httpx.HTTPError as error:
        raise LecternError(f"The server stopped answering while {path.name} was sent ({error}).") from error
    except OSError as error:
        raise BookRefused("unreadable", f"{path} cannot be read ({error.strerror}).") from error
    told = answer.json()
    if answer.is_success:
        return {
            "id": told["id"],
            "title": told["title"],
            "chapters": told["chapters"],
            "sentences": told["sentences"]["total"],
            "there": answer.status_code == 200,
        }
    sentence = str(told.get("detail") or told.get("title") or f"The server answered {answer.status_code}.")
    if told.get("code") == BookRefused.code:
        raise BookRefused(told["kind"], sentence)
    raise LecternError(sentence)


def render(settings: Settings, arguments: argparse.Namespace, console: Console) -> int:
    """Render in the foreground, with a bar."""
    from server.headless import RenderProgress, render_file

    with Bar(console) as bar:

        def report(progress: RenderProgress) -> None:
            note = f"{progress.done}/{progress.total} sentences, {duration(progress.audio_s)}"
            if progress.work_s > 0:
                note += f", {progress.audio_s / progress.work_s:.1f} × as fast as it is spoken"
            bar.show("Rendering", progress.done, progress.total, note)

        made = render_file(
            settings,
            arguments.book,
            chapters=arguments.chapters,
            limit=arguments.limit,
            voice=arguments.voice,
            language=arguments.language,
            report=report,
        )
    if arguments.json:
        console.answer(asdict(made))
        return OK
    console.say(f"“{made.title}”: {count(made.rendered, 'sentence')} rendered, {duration(made.audio_s)} of speech.")
    if made.there:
        console.say(f"{count(made.there, 'sentence')} had been rendered before.")
    if made.failed:
        console.say(f"{count(made.failed, 'sentence')} could not be rendered and will be skipped.")
    console.say(f"The audio is in {made.folder}.")
    return OK


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """`2 h 05 min`, `3 min 20 s` or `12 s`."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"
