"""ISO base media boxes for one AAC-LC track (pure bytes): whole files, and the pieces of a fragmented stream.

Times are samples at `SAMPLE_RATE`, which is every time scale here; an access unit lasts `FRAME_SAMPLES`.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence

from server.render.index import FRAME_SAMPLES, PRIMING_SAMPLES, SAMPLE_RATE

_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
_UNDETERMINED = 0x55C4  # language "und", packed
_FILE_BRANDS = b"M4A \0\0\2\0M4A isomiso2"
_STREAM_BRANDS = b"iso5\0\0\2\0iso5iso6mp41"
_TRACK = 1

Chunk = tuple[int, int]  # access units in the chunk, bytes from the start of the media data to it


def box(kind: bytes, *parts: bytes) -> bytes:
    """A box of the four-letter `kind` around `parts`."""
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def full_box(kind: bytes, version: int, flags: int, *parts: bytes) -> bytes:
    """A box that opens with a version and 24 bits of flags."""
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def hidden_samples(data: bytes) -> int | None:
    """What the edit list of an .m4a hides before the first sample that is heard; None where there is none."""
    for kind in (b"moov", b"trak", b"edts", b"elst"):
        body = next((body for name, body in _boxes(data) if name == kind), None)
        if body is None:
            return None
        data = body
    wide = data[:1] == b"\1"  # 64 bits for the duration and the time, behind version, flags and count
    form, at = (">q", 16) if wide else (">i", 12)
    return int(struct.unpack_from(form, data, at)[0]) if len(data) >= at + struct.calcsize(form) else None


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of the boxes that lie in `data`; what is no box ends them."""
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1 and at + 16 <= len(data):
            size, head = struct.unpack_from(">Q", data, at + 8)[0], 16
        size = size or len(data) - at  # 0 says: to the end
        if size < head:
            return
        yield kind, data[at + head : at + size]
        at += size


def file_header(codec_config: bytes, au_sizes: Sequence[int], chunks: Sequence[Chunk]) -> bytes:
    """All of an .m4a before its media data: `ftyp`, `moov` and the head of `mdat`.

    `au_sizes` holds the bytes of every access unit, the priming one first; `chunks` tells where runs of them lie.
    The edit list hides the priming, so that what is heard is exactly `(len(au_sizes) - 1) * FRAME_SAMPLES` samples.
    """
    kind = box(b"ftyp", _FILE_BRANDS)
    length_bytes = sum(au_sizes)
    # The header holds absolute offsets, which depend on its own length: measure it with any, then write it.
    base = len(kind) + len(_file_moov(codec_config, au_sizes, chunks, 0)) + 8
    return kind + _file_moov(codec_config, au_sizes, chunks, base) + struct.pack(">I4s", length_bytes + 8, b"mdat")


def stream_header(codec_config: bytes) -> bytes:
    """The initialisation segment of a fragmented stream: no samples and no edit list."""
    tables = [full_box(kind, 0, 0, bytes(4)) for kind in (b"stts", b"stsc", b"stco")]
    tables.insert(2, full_box(b"stsz", 0, 0, bytes(8)))
    extends = box(b"mvex", full_box(b"trex", 0, 0, struct.pack(">5I", _TRACK, 1, FRAME_SAMPLES, 0, 0)))
    table = box(b"stbl", _sample_description(codec_config, 0), *tables)
    return box(b"ftyp", _STREAM_BRANDS) + box(b"moov", _movie_header(0), _track(0, 0, table, b""), extends)


def fragment(number: int, start_samples: int, access_units: Sequence[bytes]) -> bytes:
    """One `moof` and `mdat`: `access_units` from `start_samples` of the time line; `number` counts from 1."""
    header = _fragment_header(number, start_samples, access_units, 0)
    header = _fragment_header(number, start_samples, access_units, len(header) + 8)
    return header + box(b"mdat", *access_units)


def _fragment_header(number: int, start_samples: int, access_units: Sequence[bytes], data_offset: int) -> bytes:
    default_base_is_moof, duration_given, flags_given = 0x20000, 0x8, 0x20
    head = struct.pack(">3I", _TRACK, FRAME_SAMPLES, 0x2000000)  # each access unit depends on no other
    run = struct.pack(">Ii", len(access_units), data_offset) + _sizes(map(len, access_units))
    return box(
        b"moof",
        full_box(b"mfhd", 0, 0, struct.pack(">I", number)),
        box(
            b"traf",
            full_box(b"tfhd", 0, default_base_is_moof | duration_given | flags_given, head),
            full_box(b"tfdt", 1, 0, struct.pack(">Q", start_samples)),
            full_box(b"trun", 0, 0x201, run),  # 0x1 the data offset and 0x200 each size are given
        ),
    )


def _file_moov(codec_config: bytes, au_sizes: Sequence[int], chunks: Sequence[Chunk], base: int) -> bytes:
    count = len(au_sizes)
    media_samples = count * FRAME_SAMPLES
    heard_samples = media_samples - PRIMING_SAMPLES
    bit_rate = sum(au_sizes) * 8 * SAMPLE_RATE // media_samples
    table = box(
        b"stbl",
        _sample_description(codec_config, bit_rate),
        full_box(b"stts", 0, 0, struct.pack(">3I", 1, count, FRAME_SAMPLES)),
        full_box(b"stsc", 0, 0, _chunk_runs(chunks)),
        full_box(b"stsz", 0, 0, struct.pack(">2I", 0, count), _sizes(au_sizes)),
        full_box(b"stco", 0, 0, struct.pack(">I", len(chunks)), _sizes(base + offset for _, offset in chunks)),
        # Decoding may start at any access unit if the one before it is decoded first.
        full_box(b"sgpd", 1, 0, b"roll", struct.pack(">IIh", 2, 1, -1)),
        full_box(b"sbgp", 0, 0, b"roll", struct.pack(">3I", 1, count, 1)),
    )
    edit = struct.pack(">IIiI", 1, heard_samples, PRIMING_SAMPLES, 0x10000)
    edits = box(b"edts", full_box(b"elst", 0, 0, edit))
    return box(b"moov", _movie_header(heard_samples), _track(heard_samples, media_samples, table, edits))


def _chunk_runs(chunks: Sequence[Chunk]) -> bytes:
    """The body of `stsc`: one entry wherever the number of access units in a chunk changes."""
    entries, before = [], -1
    for ordinal, (count, _) in enumerate(chunks, start=1):
        if count != before:
            entries.append(struct.pack(">3I", ordinal, count, 1))
            before = count
    return struct.pack(">I", len(entries)) + b"".join(entries)


def _movie_header(duration_samples: int) -> bytes:
    times = struct.pack(">4I", 0, 0, SAMPLE_RATE, duration_samples)
    rate_and_volume = struct.pack(">IH", 0x10000, 0x100) + bytes(10)
    return full_box(b"mvhd", 0, 0, times, rate_and_volume, _MATRIX, bytes(24), struct.pack(">I", _TRACK + 1))


def _track(heard_samples: int, media_samples: int, sample_table: bytes, edits: bytes) -> bytes:
    enabled_in_movie = 3
    header = struct.pack(">5I", 0, 0, _TRACK, 0, heard_samples) + bytes(12) + struct.pack(">HH", 0x100, 0)
    media_header = struct.pack(">4IHH", 0, 0, SAMPLE_RATE, media_samples, _UNDETERMINED, 0)
    data_is_here = box(b"dinf", full_box(b"dref", 0, 0, struct.pack(">I", 1), full_box(b"url ", 0, 1)))
    media = box(
        b"mdia",
        full_box(b"mdhd", 0, 0, media_header),
        full_box(b"hdlr", 0, 0, bytes(4), b"soun", bytes(13)),
        box(b"minf", full_box(b"smhd", 0, 0, bytes(4)), data_is_here, sample_table),
    )
    return box(b"trak", full_box(b"tkhd", 0, enabled_in_movie, header, _MATRIX, bytes(8)), edits, media)


def _sample_description(codec_config: bytes, bit_rate: int) -> bytes:
    """`stsd` with one mono `mp4a` entry; `bit_rate` 0 says that it is not known."""
    aac, audio_stream = 0x40, 0x15
    decoder = struct.pack(">BB3xII", aac, audio_stream, bit_rate, bit_rate) + _descriptor(5, codec_config)
    stream = struct.pack(">HB", _TRACK, 0) + _descriptor(4, decoder) + _descriptor(6, b"\2")
    entry = bytes(6) + struct.pack(">H8xHHIHH", 1, 1, 16, 0, SAMPLE_RATE, 0)
    return full_box(
        b"stsd", 0, 0, struct.pack(">I", 1), box(b"mp4a", entry, full_box(b"esds", 0, 0, _descriptor(3, stream)))
    )


def _descriptor(tag: int, body: bytes) -> bytes:
    if len(body) > 127:
        raise ValueError(f"an MPEG-4 descriptor of {len(body)} bytes does not fit a one-byte length")
    return bytes((tag, len(body))) + body


def _sizes(values: Iterable[int]) -> bytes:
    numbers = list(values)
    return struct.pack(f">{len(numbers)}I", *numbers)
