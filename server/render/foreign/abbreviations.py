"""Abbreviations that espeak would spell or break at, written out: by language, before anything is read (pure)."""

import functools
import re
from typing import Final

# What is written (a space may be missing or be unbreakable) → what is said. Longest first.
WIDE: Final = {
    "es": {
        "Sr.": "señor", "Sra.": "señora", "Srta.": "señorita", "Sres.": "señores", "Dr.": "doctor", "Dra.": "doctora",
        "D.": "don", "Dña.": "doña", "Ud.": "usted", "Uds.": "ustedes", "Vd.": "usted", "Vds.": "ustedes",
        "etc.": "etcétera", "pág.": "página", "págs.": "páginas", "núm.": "número", "n.º": "número", "cap.": "capítulo",
        "vol.": "volumen", "art.": "artículo", "Prof.": "profesor", "Sto.": "santo", "Sta.": "santa",
        "Gral.": "general", "EE. UU.": "Estados Unidos", "p. ej.": "por ejemplo", "a. C.": "antes de Cristo",
        "d. C.": "después de Cristo", "Av.": "avenida", "Cía.": "compañía", "Lic.": "licenciado", "Ing.": "ingeniero",
        "Mons.": "monseñor",
    },
    "fr": {
        "M.": "monsieur", "MM.": "messieurs", "Mme": "madame", "Mmes": "mesdames", "Mlle": "mademoiselle",
        "Mlles": "mesdemoiselles", "Dr": "docteur", "Mgr": "monseigneur", "St": "saint", "Ste": "sainte",
        "etc.": "et cétéra", "p.": "page", "pp.": "pages", "n°": "numéro", "vol.": "volume", "chap.": "chapitre",
        "art.": "article", "fig.": "figure", "av. J.-C.": "avant Jésus-Christ", "apr. J.-C.": "après Jésus-Christ",
        "c.-à-d.": "c'est-à-dire", "p. ex.": "par exemple", "R. P.": "révérend père", "éd.": "édition",
        "Cie": "compagnie",
    },
    "it": {
        "Sig.": "signor", "Sig.ra": "signora", "Sig.na": "signorina", "Sigg.": "signori", "Dott.": "dottor",
        "Dott.ssa": "dottoressa", "Dr.": "dottor", "Prof.": "professor", "Prof.ssa": "professoressa",
        "Ing.": "ingegner", "Avv.": "avvocato", "On.": "onorevole", "Mons.": "monsignor", "S.": "san",
        "ecc.": "eccetera", "etc.": "eccetera", "pag.": "pagina", "pagg.": "pagine", "p.": "pagina", "n.": "numero",
        "vol.": "volume", "cap.": "capitolo", "art.": "articolo", "a. C.": "avanti Cristo", "d. C.": "dopo Cristo",
        "es.": "esempio", "Gen.": "generale", "Cav.": "cavalier",
    },
    "pt": {
        "Sr.": "senhor", "Sra.": "senhora", "Srs.": "senhores", "Srta.": "senhorita", "Dr.": "doutor",
        "Dra.": "doutora", "D.": "dom", "Prof.": "professor", "Profa.": "professora", "Exmo.": "excelentíssimo",
        "V. Ex.ª": "vossa excelência",
        "etc.": "etcétera", "pág.": "página", "págs.": "páginas", "p.": "página", "n.º": "número", "vol.": "volume",
        "cap.": "capítulo", "art.": "artigo", "Sto.": "santo", "Sta.": "santa", "S.": "são", "Pe.": "padre",
        "a. C.": "antes de Cristo", "d. C.": "depois de Cristo", "p. ex.": "por exemplo", "Av.": "avenida",
    },
    "hi": {"डॉ.": "डॉक्टर", "श्री.": "श्री", "प्रो.": "प्रोफ़ेसर", "पं.": "पंडित", "पृ.": "पृष्ठ", "सं.": "संख्या"},
}  # fmt: skip


def widen(text: str, language: str) -> str:
    """`text` with its abbreviations written out. A stop that also ends the sentence stays."""
    if language not in WIDE:
        return text
    pattern, table = _table(language)
    return pattern.sub(lambda match: _said(match, table), text)


@functools.cache
def _table(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    table = {_key(written): said for written, said in WIDE[language].items()}
    forms = sorted(
        {form for written in WIDE[language] for form in (written, written[0].lower() + written[1:])}, key=len
    )
    spaced = [re.escape(form).replace(r"\ ", " ?") for form in reversed(forms)]
    return re.compile(rf"(?<![\w'])(?:{'|'.join(spaced)})(?!\w)"), table


def _key(written: str) -> str:
    return written.replace(" ", "").lower()


def _said(match: re.Match[str], table: dict[str, str]) -> str:
    said = table[_key(match[0])]
    ends = match[0].endswith(".") and not match.string[match.end() :].strip(" ”)")
    return said + ("." if ends else "")
