"""Characters first: what cannot be heard goes, spaces become spaces, look-alikes become the letters they show."""

import re
import unicodedata

from server.render.normalise.draft import Draft

# Zero-width marks, joiners, soft hyphen, direction marks, variation selectors, keycaps, tags; private use; surrogates.
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffd\u20e3"
    "\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]+"
)
_GROUPING = re.compile(r"(?<=\d)[\u00a0\u2009\u202f\u2007](?=\d{3}(?!\d))")
_SPACE = re.compile(r"[^\S ]|[\u0085\u2800\u3164]| {2,}")
_SYLLABLES = re.compile(r"(?<=[^\W\d_])[·‧](?=[^\W\d_])")  # "drag·on"
_ACCENTED = re.compile(r"[^\W\d_][\u0300-\u036f]+")

_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u00ac\ufe63\uff0d"), "-")
_DASHES = {**dict.fromkeys(map(ord, "\u2015\u2e3a\u2e3b\u2e0f\ufe58\u2500"), "—"), 0x2012: "–", 0x2212: "−"}
_STOPS = {
    **dict.fromkeys(map(ord, "。．｡"), "."), **dict.fromkeys(map(ord, "，、､"), ","), ord("！"): "!", ord("？"): "?",
    ord("；"): ";", ord("："): ":", ord("‽"): "?!", ord("⁇"): "??", ord("⁈"): "?!", ord("⁉"): "!?", ord("؟"): "?",
    ord("،"): ",", ord("¡"): "", ord("¿"): "", ord("†"): "", ord("‡"): "", ord("¶"): "", ord("‖"): "", ord("⁂"): "",
    ord("☞"): "", ord("☙"): "", ord("❧"): "", ord("⁄"): "/", ord("∕"): "/",
}  # fmt: skip
_TABLE = {**_HYPHENS, **_DASHES, **_STOPS}

# Letters that NFKD leaves alone but a reader of English says as these.
_LATIN = {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ſ": "s", "ŀ": "l", "ﬅ": "st", "ﬆ": "st"}


def _shown(char: str) -> str:
    """What a compatibility letter shows: ligatures, full-width and mathematical letters, digits of any script."""
    if unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    if char in "ªº" or unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<fraction>")):
        return char
    return unicodedata.normalize("NFKC", char)


def clean(draft: Draft) -> None:
    """Takes out the invisible, joins digit groups, makes every space a plain one and every letter a plain letter."""
    draft.sub(_INVISIBLE, "")
    draft.sub(_GROUPING, ",")
    draft.sub(_SPACE, " ")
    if draft.text.isascii():
        return
    draft.sub(_SYLLABLES, "")
    draft.translate(_TABLE)
    compatible = {
        ord(char): shown
        for char in set(draft.text)
        if ord(char) > 0x7F and char.isalnum() and (shown := _shown(char)) != char
    }
    draft.translate({**compatible, **{ord(k): v for k, v in _LATIN.items() if k not in "æÆœŒ"}})
    draft.sub(_ACCENTED, lambda match: unicodedata.normalize("NFC", match[0]))
