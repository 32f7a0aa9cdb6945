"""Bytes of a text file that says nothing of its encoding, as text."""

import codecs
import re
from typing import Final

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE: Final = 65_536  # bytes that are looked at
_LINE_ENDS = re.compile("[\r\x0b\u2028\u2029]")  # of old Macs, and of Word
_STRUCK = re.compile("[^\n]\x08")  # printers struck a letter twice to make it bold
_CONTROLS: Final = 100  # so many bytes have at most one control byte in text: somebody's slip
# Quotes, dashes and accents of old Macs, where they would be odd letters in Windows-1252.
_MAC = re.compile(
    rb"[a-z]\xd5(?:[a-z]|\s)|(?:^|[\s(])[\xd2\xd4][A-Za-z]|[.,!?a-z][\xd3\xd5](?:\s|$)|\s?[\xd0\xd1]\s|[a-z][\x8e\x8f][a-z]?"
)
_WINDOWS_QUOTES: Final = (b"\x91", b"\x92", b"\x93", b"\x94", b"\x96", b"\x97")
_KANA = re.compile(r"[ぁ-ヶ]")
_COMMON_HAN = re.compile(r"[的是不了一在人有我他這这們们]")
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
# (encoding, what its text is full of, share of the letters beyond ASCII)
_DENSE: Final = (
    ("shift_jis", _KANA, 0.15),
    ("euc_jp", _KANA, 0.15),
    ("gb18030", _COMMON_HAN, 0.06),
    ("big5", _COMMON_HAN, 0.06),
    ("cp1251", _CYRILLIC, 0.9),
    ("koi8-r", _CYRILLIC, 0.9),
)


def decode_text(data: bytes) -> tuple[str, str | None]:
    """(text with line feeds alone, the encoding where it is not UTF-8)."""
    encoding = encoding_of(data)
    text = data.decode(encoding, "replace").lstrip("\ufeff")
    plain = text.replace("\r\n", "\n").replace("\x1a", "")
    return _LINE_ENDS.sub("\n", _STRUCK.sub("", plain)), None if encoding == "utf-8" else encoding


def encoding_of(data: bytes) -> str:
    """By its byte-order mark, else UTF-8 if it is that, else by what the text would be full of, else Windows-1252."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    head = data[:_SAMPLE]
    if wide := _utf_16(head):
        return wide
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    high = sum(byte >= 0x80 for byte in head)
    if high > 0.2 * len(head):
        for encoding, sign, share in _DENSE:
            text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
            letters = sum(ord(character) >= 0x80 for character in text)
            if text.count("\ufffd") <= letters // 200 and len(sign.findall(text)) >= share * letters:
                return encoding
    # One broken byte among thousands that are right is a slip, not another encoding.
    wrong = data.decode("utf-8", "replace").count("\ufffd")
    if wrong * 20 < high:
        return "utf-8"
    return "mac_roman" if 3 * len(_MAC.findall(head)) > high > 3 * sum(map(head.count, _WINDOWS_QUOTES)) else "cp1252"


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are text in any encoding: hardly a control byte but those of a page."""
    if any(head.startswith(bom) for bom, _ in _BOMS) or _utf_16(head):
        return True
    plain = head.rstrip(b"\0")  # some programs fill a file up
    controls = sum(byte < 9 or 13 < byte < 26 or byte in (27, 28, 29, 30, 31, 127) for byte in plain)
    struck = plain.count(b"\x08") if b"\0" not in plain else 0
    return bool(plain) and controls - struck <= max(1, len(plain) // _CONTROLS)


def _utf_16(head: bytes) -> str | None:
    """UTF-16 without a mark, where every other byte of Latin text is nought."""
    if len(head) < 8:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * len(head) / 2 and even < 0.05 * len(head) / 2:
        return "utf-16-le"
    if even > 0.4 * len(head) / 2 and odd < 0.05 * len(head) / 2:
        return "utf-16-be"
    return None
