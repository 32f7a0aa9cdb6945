"""Abbreviations: widened only with their dot, a word boundary before it, and the company that makes them sure."""

import re

from server.render.normalise.draft import Draft, letters

# Before a name: always a title.
_TITLES = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Messrs": "Messers", "Dr": "Doctor", "Prof": "Professor",
    "Capt": "Captain", "Cpt": "Captain", "Col": "Colonel", "Lt": "Lieutenant", "Lieut": "Lieutenant",
    "Sgt": "Sergeant", "Sergt": "Sergeant", "Cpl": "Corporal", "Pvt": "Private", "Maj": "Major", "Gen": "General",
    "Brig": "Brigadier", "Adm": "Admiral", "Cmdr": "Commander", "Comdr": "Commander", "Cdr": "Commander",
    "Rev": "Reverend", "Revd": "Reverend", "Fr": "Father", "Hon": "Honorable", "Gov": "Governor", "Sen": "Senator",
    "Rep": "Representative", "Pres": "President", "Supt": "Superintendent", "Insp": "Inspector", "Det": "Detective",
    "Mme": "Madame", "Mlle": "Mademoiselle", "Sr": "Senior", "Jr": "Junior", "Esq": "Esquire", "Mt": "Mount",
    "Mts": "Mountains", "Ft": "Fort", "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Ln": "Lane", "Sq": "Square",
    "Bros": "Brothers", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation", "Assn": "Association",
    "Dept": "Department", "Univ": "University", "Geo": "George", "Wm": "William", "Chas": "Charles", "Thos": "Thomas",
    "Jas": "James", "Jos": "Joseph", "Robt": "Robert", "Saml": "Samuel", "Alex": "Alexander",
}  # fmt: skip
# A name in capitals has its title in capitals, which leave together.
_TITLES |= {short.upper(): full.upper() for short, full in _TITLES.items()}
# These end a name or stand alone; their dot may also end the sentence.
_ENDING = "Sr Jr Esq Mts Ave Blvd Rd Ln Sq Bros Inc Ltd Corp Assn Dept Univ"
_AFTER = frozenset(f"{_ENDING} {_ENDING.upper()}".split())
_ANYWHERE = {
    "etc": "et cetera", "vs": "versus", "viz": "namely", "approx": "approximately", "inst": "instant",
    "ult": "ultimo", "prox": "proximo", "cf": "compare", "anon": "anonymous", "ed": "edited", "eds": "editors",
    "trans": "translated", "repr": "reprinted", "misc": "miscellaneous", "dept": "department", "govt": "government",
    "esp": "especially", "incl": "including", "excl": "excluding", "max": "maximum", "min": "minimum",
}  # fmt: skip
_DOTTED = {
    "e.g.": "for example", "i.e.": "that is", "q.v.": "which see", "n.b.": "note well", "c.f.": "compare",
    "a.k.a.": "also known as", "w.r.t.": "with respect to",
}  # fmt: skip
# Before a number or a Roman numeral only.
_NUMBERED = {
    "No": "number", "Nos": "numbers", "no": "number", "nos": "numbers", "Vol": "volume", "vol": "volume",
    "Vols": "volumes", "vols": "volumes", "p": "page", "pp": "pages", "P": "page", "Pp": "pages", "pg": "page",
    "Ch": "chapter", "ch": "chapter", "Chap": "chapter", "chap": "chapter", "chaps": "chapters", "Fig": "figure",
    "fig": "figure", "Figs": "figures", "figs": "figures", "Sec": "section", "sec": "section", "Sect": "section",
    "sect": "section", "Pt": "part", "pt": "part", "Bk": "book", "bk": "book", "Art": "article", "art": "article",
    "l": "line", "ll": "lines", "v": "verse", "vv": "verses", "n": "note", "nn": "notes", "c": "circa", "ca": "circa",
    "Op": "opus", "op": "opus", "Ex": "example", "ex": "example", "Ed": "edition", "cap": "chapter", "St": "stanza",
    "para": "paragraph", "col": "column", "cols": "columns", "fol": "folio", "tab": "table", "Tab": "table",
}  # fmt: skip
_MONTHS = {
    "Jan": "January", "Feb": "February", "Mar": "March", "Apr": "April", "Aug": "August", "Sept": "September",
    "Sep": "September", "Oct": "October", "Nov": "November", "Dec": "December",
}  # fmt: skip


def _any(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_TITLE = re.compile(rf"(?<!\w)({_any(_TITLES)})\.(?=(\s*.?))")
_BARE_TITLE = re.compile(r"(?<!\w)(Mr|Mrs|Dr|Messrs|MR|MRS|DR)(?=\s[A-Z])")
_SAINT = re.compile(r"(?<!\w)(?:(St|Ste|SS)\.?(?=\s?[A-Z][^\W\d_])|(ST)\.(?=\s[A-Z][^\W\d_]))")
_STREET = re.compile(r"(?<=[\w.]\s)St\.(?=(\s*.?))")
_WORD = re.compile(rf"(?<!\w)({_any(_ANYWHERE)})\.(?=(\s*.?))")
_LETTERED = re.compile(rf"(?<!\w)(?:{_any(_DOTTED)}|e\. g\.|i\. e\.)(?=(\s*.?))", re.I)
_BEFORE_NUMBER = re.compile(rf"(?<!\w)({_any(_NUMBERED)})\.(?=\s*(?:\d|[IVXLC]{{2,}}\b|[ivxlc]{{2,}}\b|[VXvx]\b))")
_MONTH = re.compile(rf"(?<!\w)({_any(_MONTHS)})\.(?=\s*\d)|(?<=\d\s)({_any(_MONTHS)})\.?(?=[\s,.;]|$)")
_ETC = re.compile(r"(?<!\w)&c\.?")
_CARE = re.compile(r"(?<!\w)c/o(?!\w)")
_INITIAL = re.compile(r"(?<!\w)(?!I\. [A-Z][^.])([A-Z])\.(?= ?(?:[A-Z]\. ?){0,3}[A-Z][^\W\d_A-Z])")


def _keep_stop(word: str, after: str) -> str:
    """Widened `word`, with the dot kept where it may end the sentence too."""
    following = after.strip()
    ends = not following or following in "”)’" or (following.isupper() and after[:1].isspace())
    return f"{word}." if ends else word


def _title(match: re.Match[str]) -> str:
    word = _TITLES[match[1]]
    return _keep_stop(word, match[2]) if match[1] in _AFTER else word


def _saint(match: re.Match[str]) -> str | None:
    before = match.string[: match.start()].rstrip()
    # "5th St. Mary's" hardly occurs; "on 5th St. John saw" does: after a number or a street's name it is a street.
    if re.search(r"\d(?:st|nd|rd|th)$", before):
        return None
    return "SAINT" if match[2] else {"St": "Saint", "Ste": "Sainte", "SS": "Saints"}[match[1]]


def widen(draft: Draft) -> None:
    """Writes abbreviations out, the most certain first."""
    draft.sub(_ETC, "et cetera")
    draft.sub(_CARE, "care of")
    draft.sub(_BARE_TITLE, lambda m: _TITLES[m[1]])
    if "." not in draft.text and "St" not in draft.text:
        return
    draft.sub(_LETTERED, lambda m: _DOTTED["".join(m[0].lower().split())])
    draft.sub(_BEFORE_NUMBER, lambda m: _NUMBERED[m[1]])
    draft.sub(_MONTH, lambda m: _MONTHS[m[1] or m[2]])
    draft.sub(_SAINT, _saint)
    draft.sub(_STREET, lambda m: _keep_stop("Street", m[1]))
    draft.sub(_TITLE, _title)
    draft.sub(_WORD, lambda m: _keep_stop(_ANYWHERE[m[1]], m[2]))
    draft.sub(_INITIAL, lambda m: letters(m[1]) + " ")
