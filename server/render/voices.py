"""The 54 voices of Kokoro-82M 1.0, in the order of their ids.

The first letter of an id is the language (`LANGUAGES`), the second the gender; grades are those its authors published.
"""

from dataclasses import dataclass
from typing import Final, Literal

from server.errors import BadRequest, NotFound
from server.library.languages import SPOKEN, Spoken, spoken

LANGUAGES: Final = {
    "a": "en-US",
    "b": "en-GB",
    "e": "es",
    "f": "fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-BR",
    "z": "zh",
}


@dataclass(frozen=True, slots=True)
class Voice:
    """`grade` is A to F with + and -, None where none was published."""

    id: str
    grade: str | None = None

    @property
    def name(self) -> str:
        return self.id[3:].capitalize()

    @property
    def language(self) -> str:
        return LANGUAGES[self.id[0]]

    @property
    def gender(self) -> Literal["female", "male"]:
        return "female" if self.id[1] == "f" else "male"

    @property
    def speaks(self) -> Spoken:
        """The language that it reads."""
        return next(one for one in SPOKEN.values() if self.id[0] in one.voices)

    @property
    def english(self) -> bool:
        return self.id[0] in "ab"

    @property
    def british(self) -> bool:
        return self.id[0] == "b"


VOICES: Final[tuple[Voice, ...]] = (
    Voice("af_alloy", "C"),
    Voice("af_aoede", "C+"),
    Voice("af_bella", "A-"),
    Voice("af_heart", "A"),
    Voice("af_jessica", "D"),
    Voice("af_kore", "C+"),
    Voice("af_nicole", "B-"),
    Voice("af_nova", "C"),
    Voice("af_river", "D"),
    Voice("af_sarah", "C+"),
    Voice("af_sky", "C-"),
    Voice("am_adam", "F+"),
    Voice("am_echo", "D"),
    Voice("am_eric", "D"),
    Voice("am_fenrir", "C+"),
    Voice("am_liam", "D"),
    Voice("am_michael", "C+"),
    Voice("am_onyx", "D"),
    Voice("am_puck", "C+"),
    Voice("am_santa", "D-"),
    Voice("bf_alice", "D"),
    Voice("bf_emma", "B-"),
    Voice("bf_isabella", "C"),
    Voice("bf_lily", "D"),
    Voice("bm_daniel", "D"),
    Voice("bm_fable", "C"),
    Voice("bm_george", "C"),
    Voice("bm_lewis", "D+"),
    Voice("ef_dora"),
    Voice("em_alex"),
    Voice("em_santa"),
    Voice("ff_siwis"),
    Voice("hf_alpha"),
    Voice("hf_beta"),
    Voice("hm_omega"),
    Voice("hm_psi"),
    Voice("if_sara"),
    Voice("im_nicola"),
    Voice("jf_alpha"),
    Voice("jf_gongitsune"),
    Voice("jf_nezumi"),
    Voice("jf_tebukuro"),
    Voice("jm_kumo"),
    Voice("pf_dora"),
    Voice("pm_alex"),
    Voice("pm_santa"),
    Voice("zf_xiaobei"),
    Voice("zf_xiaoni"),
    Voice("zf_xiaoxiao"),
    Voice("zf_xiaoyi"),
    Voice("zm_yunjian"),
    Voice("zm_yunxi"),
    Voice("zm_yunxia"),
    Voice("zm_yunyang"),
)

_BY_ID: Final = {voice.id: voice for voice in VOICES}

# Who reads a book whose language the household's own voice does not speak: the best of the published grades, or the
# first where there is none.
DEFAULTS: Final = {
    "en": "af_heart", "es": "ef_dora", "fr": "ff_siwis", "hi": "hf_alpha", "it": "if_sara", "ja": "jf_alpha",
    "pt": "pf_dora", "zh": "zf_xiaobei",
}  # fmt: skip


def voice(name: str) -> Voice:
    """The voice with this id; of a recipe (recipes.py) the heaviest, whose accent it has. Raises NotFound."""
    if (found := _BY_ID.get(name.partition("*")[0])) is None:
        raise NotFound(f"There is no voice {name!r}; `lectern voices` lists them.")
    return found


def times_words(name: str) -> bool:
    """Whether single words are timed in what this voice reads; of one that Lectern does not have, it is assumed."""
    try:
        return voice(name).speaks.words
    except NotFound:  # of a store that another program rendered
        return True


def voice_for(language: str, preferred: str) -> str:
    """The voice for a book of this language (any tag that is spoken): `preferred` if it speaks it, else the default."""
    wanted = spoken(language)
    if wanted is None or voice(preferred).speaks == wanted:
        return preferred
    return DEFAULTS[wanted.code]


def can_read(name: str, language: str) -> bool:
    """Whether there is a voice of this name or recipe, and it speaks a language."""
    try:
        return spoken(language) in (None, voice(name).speaks)
    except NotFound:
        return False


def require_language(voice_id: str, language: str, title: str) -> None:
    """Raise BadRequest where a voice is asked to read a book of a language that it does not speak."""
    found, wanted = voice(voice_id), spoken(language)
    if wanted is not None and found.speaks != wanted:
        raise BadRequest(
            f"The voice {voice_id} speaks {found.speaks.name}, and “{title}” is in {wanted.name}: take another, such "
            f"as {DEFAULTS[wanted.code]}; `lectern voices` lists them."
        )
