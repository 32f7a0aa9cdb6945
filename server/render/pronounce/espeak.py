"""espeak-ng for the words that no lexicon has, through ctypes: no process, no phonemizer, no network."""

import ctypes
import functools
import re
import threading

import espeakng_loader

_SYNCHRONOUS = 2
_DONT_EXIT = 0x8000
_UTF8 = 1
_IPA_WITH_TIES = 0x02 | 0x80 | (ord("^") << 8)

# espeak's IPA on the left, the model's symbols on the right; longest first, since parts of some are entries too.
_BOTH = {
    "ʔˌn\u0329": "ʔn", "ʔn\u0329": "ʔn", "a^ɪ": "I", "a^ʊ": "W", "d^ʒ": "ʤ", "e^ɪ": "A", "t^ʃ": "ʧ", "ɔ^ɪ": "Y",
    "ə^l": "ᵊl", "ʲo": "jo", "ʲə": "jə", "ʲ": "", "ɚ": "əɹ", "r": "ɹ", "x": "k", "ç": "k", "ɐ": "ə", "ɬ": "l",
    "\u0303": "", "e": "A", "ɡʲ": "ɡ",
}  # fmt: skip
_AMERICAN = {"o^ʊ": "O", "ɜːɹ": "ɜɹ", "ɜː": "ɜɹ", "ɪə": "iə", "ː": "", "ɒ": "ɑ"}
_BRITISH = {"e^ə": "ɛː", "iə": "ɪə", "ə^ʊ": "Q", "o^ʊ": "Q"}
_LANGUAGE_SWITCH = re.compile(r"\([\^a-z-]+\)")  # "(^h^y)", with ties like any other letters
_SYLLABIC = re.compile("(\\S)\u0329")
_lock = threading.Lock()


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    library.espeak_Initialize.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
    library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
    library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    data = espeakng_loader.get_data_path().encode()
    if library.espeak_Initialize(_SYNCHRONOUS, 0, data, _DONT_EXIT) <= 0:
        raise OSError("espeak-ng could not be started; reinstall the package espeakng-loader")
    return library


def ipa(text: str, british: bool) -> str:
    """espeak's own IPA of an English `text`, ties written "^"."""
    return ipa_in(text, "gmw/en" if british else "gmw/en-US")


def ipa_in(text: str, voice: str) -> str:
    """The IPA of `text` in the language of an espeak voice ("roa/fr"), ties written "^"."""
    with _lock:
        library = _library()
        if library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise OSError(f"espeak-ng lacks its voice {voice}; reinstall the package espeakng-loader")
        rest = ctypes.c_char_p(text.encode())
        clauses = []
        while rest.value:
            clause = library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _IPA_WITH_TIES)
            if clause:
                clauses.append(clause.decode())
    return _LANGUAGE_SWITCH.sub("", " ".join(clauses)).strip()


def phonemes(word: str, british: bool) -> str:
    """`word` in the model's symbols, "" where espeak has nothing to say."""
    said = ipa(word, british)
    for table in (_BOTH, _BRITISH if british else _AMERICAN):
        for written in sorted(table, key=len, reverse=True):
            said = said.replace(written, table[written])
    said = _SYLLABIC.sub(r"ᵊ\1", said).replace("\u0329", "")
    return said.replace("o", "ɔ").replace("ɾ", "T").replace("ʔ", "t").replace("^", "")
