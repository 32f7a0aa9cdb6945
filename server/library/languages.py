"""Which languages there are, what they are called in English, and which of them can be read aloud: the one table.

A book says its language in many ways ("es", "es-MX", "spa", "pt_BR", "English"); here they become a primary subtag of
two letters where there is one. What says nothing ("und", "mul", no tag at all) is taken for English.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from server.errors import BadRequest, BookRefused

Reader = Literal["english", "espeak", "japanese", "mandarin"]

ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A language that is read aloud: `voices` are the first letters of its voices, `words` whether words are timed."""

    code: str
    name: str
    reader: Reader
    voices: str
    words: bool = False


SPOKEN: Final = {
    one.code: one
    for one in (
        Spoken("en", "English", "english", "ab", words=True),
        Spoken("es", "Spanish", "espeak", "e"),
        Spoken("fr", "French", "espeak", "f"),
        Spoken("hi", "Hindi", "espeak", "h"),
        Spoken("it", "Italian", "espeak", "i"),
        Spoken("ja", "Japanese", "japanese", "j"),
        Spoken("pt", "Portuguese", "espeak", "p"),
        Spoken("zh", "Chinese", "mandarin", "z"),
    )
}

# Tags of three letters, those of bibliographies among them, and what else means the same language.
_SAME: Final = dict(
    pair.split("=")
    for pair in (
        "eng=en spa=es fra=fr fre=fr hin=hi ita=it jpn=ja por=pt zho=zh chi=zh cmn=zh deu=de ger=de nld=nl dut=nl "
        "rus=ru ara=ar swe=sv dan=da nor=no nob=nb nno=nn fin=fi pol=pl ces=cs cze=cs slk=sk slo=sk slv=sl hun=hu "
        "ron=ro rum=ro bul=bg ell=el gre=el tur=tr ukr=uk heb=he iw=he kor=ko vie=vi tha=th ind=id in=id fas=fa per=fa "
        "urd=ur ben=bn tam=ta tel=te cat=ca eus=eu baq=eu glg=gl gle=ga cym=cy wel=cy isl=is ice=is est=et lav=lv "
        "lit=lt hrv=hr srp=sr lat=la epo=eo afr=af sqi=sq alb=sq hye=hy arm=hy kat=ka geo=ka mkd=mk mac=mk msa=ms "
        "may=ms mar=mr pan=pa guj=gu kan=kn mal=ml san=sa swa=sw fil=tl tgl=tl yid=yi ji=yi bos=bs bel=be zxx=und "
        "mis=und mul=und qaa=und root=und"
    ).split()
)
_NAMES: Final = dict(
    pair.split("=")
    for pair in (
        "de=German nl=Dutch ru=Russian ar=Arabic sv=Swedish da=Danish no=Norwegian nb=Norwegian nn=Norwegian "
        "fi=Finnish pl=Polish cs=Czech sk=Slovak sl=Slovenian hu=Hungarian ro=Romanian bg=Bulgarian el=Greek "
        "tr=Turkish uk=Ukrainian he=Hebrew ko=Korean vi=Vietnamese th=Thai id=Indonesian fa=Persian ur=Urdu bn=Bengali "
        "ta=Tamil te=Telugu ca=Catalan eu=Basque gl=Galician ga=Irish gd=Gaelic cy=Welsh is=Icelandic et=Estonian "
        "lv=Latvian lt=Lithuanian hr=Croatian sr=Serbian la=Latin eo=Esperanto af=Afrikaans sq=Albanian hy=Armenian "
        "ka=Georgian mk=Macedonian ms=Malay mr=Marathi pa=Punjabi gu=Gujarati kn=Kannada ml=Malayalam sa=Sanskrit "
        "sw=Swahili tl=Tagalog yi=Yiddish bs=Bosnian be=Belarusian yue=Cantonese grc=Ancient_Greek ang=Old_English "
        "enm=Middle_English oc=Occitan br=Breton co=Corsican lb=Luxembourgish fo=Faroese fy=Frisian mt=Maltese "
        "ne=Nepali si=Sinhala km=Khmer lo=Lao my=Burmese mn=Mongolian kk=Kazakh uz=Uzbek az=Azerbaijani tt=Tatar "
        "am=Amharic so=Somali ha=Hausa yo=Yoruba ig=Igbo zu=Zulu xh=Xhosa mi=Maori haw=Hawaiian jv=Javanese "
        "bo=Tibetan ps=Pashto ku=Kurdish ht=Haitian_Creole sco=Scots nds=Low_German gsw=Swiss_German ckb=Kurdish "
        "lzh=Classical_Chinese"
    ).split()
)
# What books write where a tag belongs.
_IN_WORDS: Final = {
    **{name.replace("_", " ").lower(): code for code, name in _NAMES.items()},
    **{one.name.lower(): one.code for one in SPOKEN.values()},
    "español": "es", "castellano": "es", "français": "fr", "francais": "fr", "italiano": "it", "português": "pt",
    "portugues": "pt", "deutsch": "de", "mandarin": "zh", "中文": "zh", "日本語": "ja", "हिन्दी": "hi", "русский": "ru",
    "svenska": "sv", "nederlands": "nl", "polski": "pl",
}  # fmt: skip
_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)


def primary(tag: str) -> str:
    """The primary subtag of what a book says its language is, in lower case; "und" where it says nothing."""
    plain = " ".join(tag.strip().lower().split())
    if plain in _IN_WORDS:
        return _IN_WORDS[plain]
    found = _TAG.fullmatch(plain)
    if found is None:
        return _IN_WORDS.get(re.split(r"[^\w]", plain)[0], "und")
    return _SAME.get(found[1], found[1])


def tag_of(value: str) -> str | None:
    """What a book writes, as a tag: "pt_BR" as "pt-BR", "spa" as "es", "Français" as "fr"; None for what is no tag."""
    plain = " ".join(value.split())
    found = _TAG.fullmatch(plain)
    code = primary(plain)
    if found is None:
        return None if code == "und" else code
    return code + plain[len(found[1]) :].replace("_", "-")


def spoken(tag: str) -> Spoken | None:
    """What reads a book of this language; None for a language that nothing reads."""
    code = primary(tag)
    return SPOKEN[ENGLISH] if code == "und" else SPOKEN.get(code)


def name_of(tag: str) -> str:
    """The language in English words: "German" for "de-AT"; in quotation marks as it stands where it has no name."""
    code = primary(tag)
    if code in SPOKEN:
        return SPOKEN[code].name
    return _NAMES[code].replace("_", " ") if code in _NAMES else f"“{tag.strip()}”"


def remark(tag: str, read_as: str | None = None) -> str | None:
    """What a listener should know of how a book of this language is read, in a sentence; None for plain English."""
    told = primary(tag)
    language = spoken(read_as or tag)
    if language is None:
        return f"The book is in {name_of(tag)}, which no voice speaks."
    because = "" if told in ("und", language.code) else f"The book says that it is in {name_of(tag)}. "
    if not language.words:
        return f"{because}Read in {language.name}: sentences light up as they are spoken, single words do not."
    return f"{because}It is read in English, as you asked." if because else None


def refusal(name: str, tag: str) -> str:
    """Why the file `name` is not read aloud, and what to do if it is in a language that is."""
    return (
        f"{name} is in {name_of(tag)}, which Lectern cannot read aloud: it reads {all_spoken()}. If the book is in one "
        f"of these all the same, choose “Read it as English” on the dashboard, or `lectern add --language`."
    )


def require_spoken(tag: str, name: str) -> None:
    """Raise BookRefused where the file `name` is in a language that nothing reads."""
    if spoken(tag) is None:
        raise BookRefused("language", refusal(name, tag))


def chosen(value: str) -> str:
    """What a person asks a book to be read in, as a primary subtag. Raises BadRequest for what nothing reads."""
    code = primary(value)
    if code not in SPOKEN:
        raise BadRequest(
            f"Lectern does not read {name_of(value)}: it reads {all_spoken()}. Write en, fr or another tag."
        )
    return code


def all_spoken() -> str:
    """The languages that are read aloud, as a sentence lists them."""
    names = [one.name for one in SPOKEN.values()]
    return f"{', '.join(names[:-1])} and {names[-1]}"
