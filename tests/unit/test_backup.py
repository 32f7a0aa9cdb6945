"""A backup has everything that nothing else brings back, and comes back onto an empty machine or over another state."""

import asyncio
import contextlib
import gzip
import hashlib
import io
import os
import re
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest

from server import db, lock
from server.backup import STEPS, archive, make
from server.backup import restore as way_back
from server.backup.archive import About, Writer, read_archive
from server.backup.gather import copy_database
from server.backup.make import backups, make_backup, prune
from server.backup.restore import FOUND_CONFIG, restore
from server.cli import main
from server.config import Settings
from server.errors import Conflict, LecternError, StoreError
from server.house import House
from server.library.editions import Spot
from server.render.records import Place
from server.render.store import Store
from tests.conftest import ROOT
from tests.epubs import build_epub, page
from tests.fakes.synth import ENGINE

GOLDEN = ROOT / "tests" / "data" / "backup-1.tar.gz"
DATA_STORE = ROOT / "tests" / "data" / "store-v2" / "store"
BOOK = "737d490054bc4e2c"
NOW = datetime(2026, 7, 2, 3, 0, tzinfo=UTC)


def settings_in(folder: Path) -> Settings:
    made = Settings(data=folder / "data", library=folder / "library")
    for path in (made.data, made.library):
        path.mkdir(parents=True)
    return made


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house with a rendered book of the golden store, a book of its own, and all kinds of hand work."""
    tmp_path = tmp_path_factory.mktemp("furnished")
    settings = settings_in(tmp_path / "here")
    shutil.copytree(DATA_STORE, settings.store)
    with contextlib.closing(House(settings, ENGINE)) as house:
        epub = build_epub(tmp_path / "w.epub", {"c1.xhtml": page("<h1>Gate</h1><p>Go on. Stay.</p>")}, title="Walk")
        asyncio.run(house.import_file("w.epub", epub))
    store = Store(settings.store)
    (settings.store / "lexicon").mkdir(exist_ok=True)
    (settings.store / "lexicon" / "household.txt").write_text("Hermione = her-MY-oh-nee\n")
    (settings.store / "lexicon" / f"author-{'é' * 90}.txt").write_text("a = b\n")  # a name that no plain tar takes
    (settings.store / "books" / BOOK / "overrides.txt").write_text("gate = GAYT\n")
    (settings.store / "household.json").write_text('{"format":1,"share":50}')
    first = store.chapter(BOOK, 1).sentences[0]
    store.save_place(BOOK, Place(chapter=1, sentence=first.id, word=1, updated=NOW))
    store.bookmarks.add(BOOK, Spot(1, first.id), 0, "Who says this?", NOW)
    store.bookmarks.add(BOOK, Spot(1, first.id), 0, "mine", NOW, "0123456789ab")
    (settings.data / "people.json").write_text('{"format":1,"people":[]}')
    (settings.data / "sample-offered").touch()
    (settings.data / "removed").mkdir()
    (settings.data / "removed" / "x-overrides.txt").write_text("c = d\n")
    for name in ("lectern.lock", "search.db-wal", ".secret.tmp"):
        (settings.data / name).write_text("x")
    (settings.data / "models").mkdir()
    (settings.data / "models" / "weights").write_text("much")
    return tmp_path / "here"


@pytest.fixture
def here(tmp_path: Path, furnished: Path) -> Settings:
    shutil.copytree(furnished, tmp_path / "here")
    return Settings(data=tmp_path / "here" / "data", library=tmp_path / "here" / "library")


def no_config(settings: Settings) -> Path:
    return settings.data.parent / "config.toml"


def names_in(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return tar.getnames()


def everything(settings: Settings) -> dict[str, bytes]:
    """All files that a restore brings back, but for audio and the marks of the moment."""
    kept = {}
    for path in sorted(settings.data.rglob("*")):
        name = path.relative_to(settings.data).as_posix()
        passing = name.startswith((way_back.ASIDE, "backups", "models")) or path.name.startswith(".")
        if path.is_file() and not passing and path.suffix != ".m4a" and ".db" not in name and name != "lectern.lock":
            kept[name] = path.read_bytes()
    return kept


def test_a_backup_comes_back_onto_an_empty_machine(here: Settings, tmp_path: Path) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)
    assert made.path.name == "lectern-backup-20260702T030000Z.tar.gz"
    assert made.path.stat().st_mode & 0o077 == 0
    there = settings_in(tmp_path / "there")
    with lock.hold(there):
        restored = restore(there, no_config(there), made.path)
    assert (restored.books, restored.places, restored.aside) == (2, 1, None)
    assert restored.rendered == 0 < restored.sentences  # what has no audio is text again, and waits
    store = Store(there.store)
    place = store.place(BOOK)
    assert place is not None and place.word == 1
    (mark,) = store.bookmarks.of(BOOK)
    assert mark.note == "Who says this?"
    assert [mark.note for mark in store.bookmarks.of(BOOK, "0123456789ab")] == ["mine"]
    brought = everything(there)
    audio_free = {name for name in everything(here) if "/chapter-" not in name}
    assert audio_free <= brought.keys()
    assert all(brought[name] == data for name, data in everything(here).items() if name in audio_free)
    assert {"people.json", "sample-offered", "removed/x-overrides.txt", "store/household.json"} <= brought.keys()
    with contextlib.closing(House(there, ENGINE)) as house:
        shown = {book.title: book for book in asyncio.run(house.books())}
        assert set(shown) == {store.book(book).title for book in store.books()}
    # chapters are listed and each sentence of them waits to be rendered
    assert all(
        entry.file is None
        for chapter in store.book(BOOK).chapters
        for entry in store.chapter(BOOK, chapter.number).sentences
    )


async def test_what_has_no_audio_after_a_restore_is_rendered(here: Settings, tmp_path: Path) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False)
    there = settings_in(tmp_path / "there")
    restore(there, no_config(there), made.path)
    with contextlib.closing(House(there, ENGINE)) as house:
        house.supervisor.command = (sys.executable, "-m", "tests.fakes.worker")  # tones for a voice
        walk = next(book.id for book in await house.books() if book.title == "Walk")
        rendering = asyncio.create_task(house.planner.run())
        async with asyncio.timeout(120):
            while not all(entry.rendered for entry in house.store.chapter(walk, 1).sentences):
                await asyncio.sleep(0.05)
        rendering.cancel()
        await asyncio.gather(rendering, return_exceptions=True)


def test_with_audio_all_of_it_comes_back(here: Settings, tmp_path: Path) -> None:
    made = make_backup(here, no_config(here), tmp_path / "all.tar", audio=True, now=NOW)
    there = settings_in(tmp_path / "there")
    restored = restore(there, no_config(there), made.path)
    assert restored.rendered > 0
    sounds = sorted(path.relative_to(here.store) for path in here.store.rglob("*.m4a"))
    assert sounds == sorted(path.relative_to(there.store) for path in there.store.rglob("*.m4a"))
    assert all((there.store / path).read_bytes() == (here.store / path).read_bytes() for path in sounds)


def test_what_a_backup_has_and_in_which_order(here: Settings, tmp_path: Path) -> None:
    config = here.data / "config.toml"
    config.write_text("port = 9000\n")
    one = make_backup(here, config, tmp_path / "one.tar.gz", audio=False, now=NOW)
    two = make_backup(here, config, tmp_path / "two.tar.gz", audio=False, now=NOW)
    names = names_in(one.path)
    assert (names[0], names[-1]) == ("lectern.json", "SHA256SUMS")
    assert names.count("config/config.toml") == 1 and "data/config.toml" not in names
    assert "database/lectern.db" in names
    assert not [name for name in names if name.endswith((".m4a", ".lock", "-wal", ".tmp")) or "models" in name]
    with tarfile.open(one.path) as first, tarfile.open(two.path) as second:
        for a, b in zip(first.getmembers(), second.getmembers(), strict=True):
            assert (a.name, a.mtime, a.uid, a.uname, a.mode) == (b.name, 0, 0, "", 0o600)
            if a.name not in ("database/lectern.db", "SHA256SUMS"):
                assert first.extractfile(a).read() == second.extractfile(b).read()  # type: ignore[union-attr]


def test_over_another_state_that_state_is_put_aside_and_its_audio_is_used(here: Settings) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)
    before = sum(1 for _ in here.store.rglob("*.m4a"))
    rendered = sum(entry.rendered for entry in Store(here.store).chapter(BOOK, 1).sentences)
    (here.store / "lexicon" / "household.txt").write_text("another = rule\n")
    (here.data / "people.json").unlink()
    (here.data / "tokens.json").write_text("{}")
    spoiled = next(path for path in sorted(here.store.rglob("*.m4a")) if "chapter-0001" in str(path))
    damaged = bytes([*spoiled.read_bytes()[:-1], spoiled.read_bytes()[-1] ^ 1])
    spoiled.write_bytes(damaged)
    restored = restore(here, no_config(here), made.path)
    assert restored.aside is not None
    assert (restored.aside / "store" / "lexicon" / "household.txt").read_text() == "another = rule\n"
    assert (restored.aside / "tokens.json").exists() and not (here.data / "tokens.json").exists()
    assert (restored.aside / "lectern.db").exists()
    assert (here.store / "lexicon" / "household.txt").read_text() == "Hermione = her-MY-oh-nee\n"
    assert (here.data / "people.json").exists()
    assert sum(1 for _ in (restored.aside / "store").rglob("*.m4a")) == before
    assert sum(1 for _ in here.store.rglob("*.m4a")) == before - 1  # all but the one that is not what it was
    assert sum(entry.rendered for entry in Store(here.store).chapter(BOOK, 1).sentences) in (rendered, rendered - 1)
    assert not (here.data / STEPS).exists() and not (here.data / way_back.STAGING).exists()


def test_a_restore_that_is_broken_off_anywhere_is_finished_at_the_next_start(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)
    wanted = everything(here)
    rename, steps = Path.rename, 0

    def cut(limit: int) -> Callable[[Path, Path], Path]:
        def renaming(self: Path, target: Path) -> Path:
            nonlocal steps
            steps += 1
            if steps > limit:
                raise KeyboardInterrupt
            return rename(self, target)

        return renaming

    for limit in range(12):
        (here.store / "lexicon" / "household.txt").write_text(f"changed = {limit}\n")
        steps = 0
        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", cut(limit))
            with contextlib.suppress(KeyboardInterrupt):
                restore(here, no_config(here), made.path)
        begun = (here.data / STEPS).exists()
        with lock.hold(here):
            pass
        now = everything(here)
        assert {name: now.get(name) for name in wanted if "/chapter-" not in name} == {
            name: data for name, data in wanted.items() if "/chapter-" not in name
        }, limit
        (aside,) = here.data.glob(f"{way_back.ASIDE}*")
        assert (aside / "store" / "lexicon" / "household.txt").read_text() == f"changed = {limit}\n"
        assert not (here.data / STEPS).exists()
        aside.rename(here.data.parent / f"aside-{limit}")
        if not begun:
            break
    else:
        pytest.fail("there are more steps than were tried")


def test_it_is_refused_while_a_server_runs(
    here: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LECTERN_DATA", str(here.data))
    monkeypatch.setenv("HOME", str(here.data.parent))
    with lock.hold(here):
        assert main(["backup"]) == 0  # this is done while it runs
        assert main(["restore"]) == 0
        listed = capsys.readouterr().out
        (path,) = here.backups.iterdir()
        assert path.name in listed
        assert main(["restore", str(path)]) == 1
    assert "already running" in capsys.readouterr().err
    assert main(["restore", str(path)]) == 0
    assert "2 books, 1 place in them." in capsys.readouterr().out
    assert main(["restore", str(path.with_name("none.tar"))]) == 1
    assert "none.tar cannot be read" in capsys.readouterr().err


def test_settings_come_back_only_where_there_are_none(here: Settings, tmp_path: Path) -> None:
    config = no_config(here)
    config.write_text("port = 9000\n")
    made = make_backup(here, config, here.backups, audio=False, now=NOW)
    empty = settings_in(tmp_path / "empty")
    assert restore(empty, no_config(empty), made.path).config is None
    assert no_config(empty).read_text() == "port = 9000\n"
    own = settings_in(tmp_path / "own")
    no_config(own).write_text("port = 7000\n")
    assert restore(own, no_config(own), made.path).config == own.data / FOUND_CONFIG
    assert no_config(own).read_text() == "port = 7000\n"
    config.write_text('data = "/somewhere/else"\n')  # would hide what was restored
    made = make_backup(here, config, tmp_path / "b.tar.gz", audio=False, now=NOW)
    other = settings_in(tmp_path / "other")
    assert restore(other, no_config(other), made.path).config == other.data / FOUND_CONFIG
    assert not no_config(other).exists()


def test_a_backup_of_the_first_format_comes_back(tmp_path: Path) -> None:
    """Made by the Lectern of its day from a store of format 1 and a database of schema 1; it never changes."""
    there = settings_in(tmp_path)
    restored = restore(there, no_config(there), GOLDEN)
    assert (restored.about.format, restored.books, restored.places) == (1, 1, 1)
    store = Store(there.store)
    assert [chapter.title for chapter in store.book(BOOK).chapters]
    assert (there.store / "books" / BOOK / "overrides.txt").read_text() == "gate = GAYT\n"
    assert (there.data / "people.json").exists()
    with contextlib.closing(House(there, ENGINE)) as house:
        (book,) = asyncio.run(house.books())
        assert book.sentences.total > 0


# What is no backup, or a hostile one


def packed(path: Path, members: list[tuple[tarfile.TarInfo, bytes]], *, close: bool = True) -> Path:
    """A backup with these members behind its header, and with sums that are right."""
    stream = io.BytesIO()
    writer = Writer(stream, About(NOW, True, "0"))
    for info, data in members:
        info.size = info.size or len(data)
        writer._tar.addfile(info, io.BytesIO(data.ljust(info.size, b"\0") if info.isreg() else data))
        writer._sums.append(f"{hashlib.sha256(data).hexdigest()}  {info.name}\n")
    if close:
        writer.close()
    path.write_bytes(stream.getvalue())
    return path


def member(name: str, data: bytes = b"x", **fields: object) -> list[tuple[tarfile.TarInfo, bytes]]:
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return [(info, data)]


HOSTILE = {
    "up": member("store/../../evil"),
    "absolute": member("/etc/evil"),
    "elsewhere": member("evil"),
    "dots": member("store/.lock"),
    "backslash": member("store/..\\..\\evil"),
    "control": member("store/a\nb"),
    "deep": member("store/" + "a/" * 20 + "a"),
    "folder": member("store/books", b"", type=tarfile.DIRTYPE),
    "symbolic link": member("store/books", b"", type=tarfile.SYMTYPE, linkname="/etc"),
    "hard link": member("store/a", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    "device": member("store/a", b"", type=tarfile.CHRTYPE),
    "pipe": member("store/a", b"", type=tarfile.FIFOTYPE),
    "twice": [*member("store/a"), *member("store/a")],
    "twice on a Mac": [*member("store/a"), *member("store/A")],
    "a file that is a folder": [*member("store/a"), *member("store/a/b")],
    "the lock": member("data/lectern.lock"),
    "another database": member("data/lectern.db"),
    "the store as a file": member("data/store"),
    "models": member("data/models/weights"),
}


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_archive_is_refused_and_nothing_changes(
    tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]]
) -> None:
    there = settings_in(tmp_path / "there")
    (there.data / "people.json").write_text("{}")
    path = packed(tmp_path / "evil.tar", members)
    with pytest.raises(StoreError, match=r"evil\.tar (cannot be used|is no whole)"):
        restore(there, no_config(there), path)
    assert [file.name for file in there.data.iterdir()] == ["people.json"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["evil.tar", "there"]
    assert not Path("/etc/evil").exists()


def damages(path: Path) -> Iterator[tuple[str, bytes]]:
    whole = path.read_bytes()
    plain = gzip.decompress(whole)
    yield "empty", b""
    yield "text", b"no archive at all" * 100
    yield "cut in the middle", whole[: len(whole) // 2]
    yield "cut before the sums", gzip.compress(plain[: plain.rindex(b"SHA256SUMS")])
    at = plain.index(b"Hermione")
    yield "a letter", gzip.compress(plain[:at] + b"h" + plain[at + 1 :])
    yield "a newer format", gzip.compress(plain.replace(b'"format":1,"lectern"', b'"format":2,"lectern"'))
    yield "another header", gzip.compress(plain.replace(b'"made":', b'"mads":', 1))
    yield "a long name", plain[:1024] + big_name()
    yield "zeros", bytes(100_000)
    yield "headers without end", plain[:1024] + header(b"12 a=bcdefg\n") * 5000 + bytes(1024)
    yield "a length that is none", plain[:1024] + header(b"9" * 30 + b" a=b\n") + bytes(1024)
    for made in (b"0001-01-01T00:00:00+23:00", b"9999-12-31T23:59:00-23:00", b"2026-01-01T00:00:00.00000"):
        yield f"made {made!r}", gzip.compress(re.sub(rb'"made":"[^"]*"', b'"made":"%s"' % made, plain))


def header(told: bytes) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, len(told)
    return info.tobuf(tarfile.USTAR_FORMAT) + told.ljust(512, b"\0")


def big_name() -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 8 << 30
    return info.tobuf(tarfile.GNU_FORMAT)


def test_a_damaged_backup_is_refused_with_a_sentence_and_nothing_changes(here: Settings, tmp_path: Path) -> None:
    made = make_backup(here, no_config(here), tmp_path / "whole.tar.gz", audio=False, now=NOW)
    before = everything(here)
    for what, data in damages(made.path):
        path = tmp_path / "damaged.tar.gz"
        path.write_bytes(data)
        with pytest.raises(StoreError) as refused:
            restore(here, no_config(here), path)
        assert str(path) in str(refused.value), what
        assert "\n" not in str(refused.value), what
        if what == "a letter":
            assert "household.txt is damaged" in str(refused.value)
        if what == "a newer format":
            assert "update Lectern" in str(refused.value)
        if what.startswith("made"):
            assert "does not say what it is" in str(refused.value), what
        assert everything(here) == before, what
        assert not list(here.data.glob(f"{way_back.ASIDE}*"))


def test_what_the_disk_has_no_room_for_is_refused(here: Settings, tmp_path: Path) -> None:
    made = make_backup(here, no_config(here), tmp_path / "b.tar.gz", audio=False, now=NOW)
    with pytest.raises(StoreError, match="no room for it"):
        read_archive(made.path, lambda *_: None, 10)


def test_a_backup_appears_whole_or_not_at_all(here: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setattr(make, "sync_file", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StoreError, match="disk is full"):
        make_backup(here, no_config(here), folder, audio=False)
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    (folder / "mine.tar").write_text("x")
    with pytest.raises(Conflict, match="is there already"):
        make_backup(here, no_config(here), folder / "mine.tar", audio=False)


def test_a_backup_that_was_written_wrong_is_not_kept(
    here: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Writer.put

    def spoiled(self: Writer, name: str, data: bytes) -> None:
        real(self, name, data)
        self._sums[-1] = f"{'0' * 64}  {name}\n"  # as if the disk had turned a bit

    monkeypatch.setattr(Writer, "put", spoiled)
    with pytest.raises(StoreError, match="damaged"):
        make_backup(here, no_config(here), tmp_path / "b.tar.gz", audio=False)
    assert not (tmp_path / "b.tar.gz").exists()


def test_only_nightly_backups_of_ours_are_pruned(tmp_path: Path) -> None:
    ours = [f"lectern-nightly-202607{day:02}T010000Z.tar.gz" for day in range(1, 11)]
    others = [
        "lectern-backup-20200101T000000Z.tar.gz",
        "lectern-nightly-20200101T000000Z.tar.gz.part",
        "lectern-nightly-20209999T000000Z.tar.gz",
        "my lectern-nightly-20200101T000000Z.tar.gz",
        "lectern-schema2-20200101T000000Z.db",
        "photo.jpg",
    ]
    for name in ours + others:
        (tmp_path / name).write_text("x")
    (tmp_path / "lectern-nightly-20200102T000000Z.tar.gz").mkdir()
    (tmp_path / "lectern-nightly-20200103T000000Z.tar.gz").symlink_to(tmp_path / "photo.jpg")
    assert [one.path.name for one in backups(tmp_path) if one.nightly] == ours[::-1]
    assert sorted(path.name for path in prune(tmp_path, 7)) == ours[:3]
    left = {path.name for path in tmp_path.iterdir()}
    assert left >= {*ours[3:], *others, "lectern-nightly-20200102T000000Z.tar.gz"}
    assert os.path.lexists(tmp_path / "lectern-nightly-20200103T000000Z.tar.gz")


def test_members_that_a_backup_has_are_those_that_are_taken_back() -> None:
    good = ["store/store.json", "data/people.json", "data/removed/a.txt", archive.DATABASE, archive.CONFIG]
    assert all(archive.safe_member(name) for name in [*good, "store/lexicon/author-Émile Zola.txt"])
    with pytest.raises(LecternError):
        read_archive(ROOT / "README.md", lambda *_: None, 1 << 40)
    assert not archive.safe_member(f"data/{STEPS}") and not archive.safe_member(f"data/{STEPS.upper()}")


def test_no_backup_is_made_while_a_restore_has_files_change_places(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            restore(here, no_config(here), made.path)
    with pytest.raises(Conflict, match=r"A restore in .* was broken off"):
        make_backup(here, no_config(here), here.data.parent / "half.tar.gz", audio=False)
    assert not (here.data.parent / "half.tar.gz").exists()
    with lock.hold(here):
        pass
    make_backup(here, no_config(here), here.data.parent / "whole.tar.gz", audio=False)


def test_a_restore_that_begins_while_a_backup_is_made_spoils_that(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = copy_database

    def begun(path: Path, copy: Path) -> bool:
        (here.data / STEPS).write_text("{}")
        return copied(path, copy)

    monkeypatch.setattr(make, "copy_database", begun)
    with pytest.raises(Conflict, match="A restore"):
        make_backup(here, no_config(here), here.data.parent / "half.tar.gz", audio=False)
    assert not list(here.data.parent.glob("*half.tar.gz*"))


def test_two_restores_within_a_second_each_put_aside(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Clock":
            return cls(2026, 7, 2, 3, 0, tzinfo=tz)

    monkeypatch.setattr(way_back, "datetime", Clock)
    with lock.hold(here):
        asides = {restore(here, no_config(here), made.path).aside for _ in range(3)}
    assert len(asides) == 3 and None not in asides


def test_a_database_that_is_only_locked_is_not_deleted_by_a_restore(
    here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_backup(here, no_config(here), here.backups, audio=False, now=NOW)
    finish = way_back.finish
    held: list[sqlite3.Connection] = []

    def locked(settings: Settings) -> Path | None:
        aside = finish(settings)
        if aside is not None:
            held.append(sqlite3.connect(settings.database, isolation_level=None))
            held[0].execute("PRAGMA locking_mode=EXCLUSIVE")
            held[0].execute("BEGIN EXCLUSIVE")
        return aside

    monkeypatch.setattr(way_back, "finish", locked)
    monkeypatch.setattr(db, "WAIT_MS", 100)
    told = r"back in its place, but not counted yet.* in use by another"
    with lock.hold(here), pytest.raises(StoreError, match=told):
        restore(here, no_config(here), made.path)
    inode = here.database.stat().st_ino
    held[0].close()
    with contextlib.closing(House(here, ENGINE)) as house:
        assert house.database.path.stat().st_ino == inode
