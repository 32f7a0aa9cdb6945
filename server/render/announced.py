"""What is said in place of a text that nobody wants to hear: a program in a book is announced and passed over."""

from server.library.languages import ENGLISH
from server.render.index import SentenceEntry
from server.render.pronounce.overrides import Override

# "Code", for who reads in that language.
_CODE = {
    ENGLISH: "Code.",
    "es": "Código.",
    "fr": "Code.",
    "hi": "कोड।",
    "it": "Codice.",
    "pt": "Código.",
    "ja": "コード。",
    "zh": "代码。",
}


def announcement(entry: SentenceEntry, language: str) -> tuple[Override, ...]:
    """What stands for the whole of a sentence, nothing where it is read as it is. `language` is a primary tag."""
    if entry.block != "code":
        return ()
    return (Override(0, len(entry.text), words=_CODE.get(language, _CODE[ENGLISH]), rule="code"),)
