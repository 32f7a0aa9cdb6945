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
    "Rt": "Right", "Sig": "Signor", "Adj": "Adjutant",
    "Jas": "James", "Jos": "Joseph", "Robt": "Robert",
    "Saml": "Samuel", "Alex": "Alexander",
}  # fmt: skip
# A name in capitals has its title in capitals, which leave together.
_TITLES |= {short.upper(): full.upper() for short, full in _TITLES.items()}
# These end a name or stand alone; their dot may also end the sentence.
_ENDING = "Sr Jr Esq Mts Ave Blvd Rd Ln Sq Bros Inc Ltd Corp Assn Dept Univ"
_AFTER = frozenset(f"{_ENDING} {_ENDING.upper()}".split())
_ANYWHERE = {
    "etc": "et cetera", "vs": "versus", "viz": "namely", "approx": "approximately", "inst": "instant",
    "ult": "ultimo", "prox": "proximo", "cf": "compare", "eds": "editors", "trans": "translated",
    "transl": "translated", "repr": "reprinted", "misc": "miscellaneous", "dept": "department", "govt": "government",
    "esp": "especially", "incl": "including", "excl": "excluding", "max": "maximum", "min": "minimum", "nr": "near",
    "jun": "junior",
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
    "lib": "book", "fl": "flourished",
}  # fmt: skip
_NUMBERED |= {short.upper(): full.upper() for short, full in _NUMBERED.items() if len(short) > 2 or short == "no"}
_NUMBERED |= {"NO": "NUMBER", "PP": "PAGES", "BK": "BOOK", "PT": "PART", "CH": "CHAPTER"}
_MONTHS = {
    "Jan": "January", "Feb": "February", "Mar": "March", "Apr": "April", "Aug": "August", "Sept": "September",
    "Sep": "September", "Oct": "October", "Nov": "November", "Dec": "December",
}  # fmt: skip
_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Weds": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
# Before chapter and verse only.
_SCRIPTURE = {
    "Gen": "Genesis", "Ex": "Exodus", "Exod": "Exodus", "Lev": "Leviticus", "Num": "Numbers", "Deut": "Deuteronomy",
    "Josh": "Joshua", "Judg": "Judges", "Sam": "Samuel", "Kgs": "Kings", "Chron": "Chronicles", "Chr": "Chronicles",
    "Neh": "Nehemiah", "Esth": "Esther", "Ps": "Psalm", "Pss": "Psalms", "Prov": "Proverbs", "Eccl": "Ecclesiastes",
    "Eccles": "Ecclesiastes", "Isa": "Isaiah", "Is": "Isaiah", "Jer": "Jeremiah", "Lam": "Lamentations",
    "Ezek": "Ezekiel", "Dan": "Daniel", "Hos": "Hosea", "Mic": "Micah", "Hab": "Habakkuk", "Zech": "Zechariah",
    "Mal": "Malachi", "Matt": "Matthew", "Mt": "Matthew", "Mk": "Mark", "Lk": "Luke", "Jn": "John", "Rom": "Romans",
    "Cor": "Corinthians", "Gal": "Galatians", "Eph": "Ephesians", "Phil": "Philippians", "Col": "Colossians",
    "Thess": "Thessalonians", "Tim": "Timothy", "Tit": "Titus", "Heb": "Hebrews", "Jas": "James", "Pet": "Peter",
    "Rev": "Revelation",
}  # fmt: skip
# After a name of a person this is no French gentleman but a second initial.
_NOT_MONSIEUR = frozenset("The A An I He She It They We You But And So Then There This That What Who".split())


# What must be followed by something ends no sentence.
_LEADING_ON = frozenset(["namely", "near", "compare", "versus"])


def _any(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_TITLE = re.compile(rf"(?<!\w)({_any(_TITLES)})\.(?=(\s*.?))")
_BARE_TITLE = re.compile(r"(?<!\w)(Mr|Mrs|Dr|Messrs|MR|MRS|DR)(?=\s[A-Z])")
_DRIVE = re.compile(r"(?<=\d )([A-Z][a-z]+) Dr\.(?=\s*(?:$|[,.;)”]|[a-z]))")
_SAINT = re.compile(r"(?<!\w)(?:(St|Ste|SS)\.?(?=\s?[A-Z][^\W\d_])|(ST)\.(?=\s[A-Z][^\W\d_]))")
_STREET = re.compile(r"(?<=[\w.]\s)St\.(?=(\s*.?))")
_WORD = re.compile(rf"(?<!\w)({_any(_ANYWHERE)})\.(?=(\s*.?))")
_LETTERED = re.compile(rf"(?<!\w)(?:{_any(_DOTTED)}|e\. g\.|i\. e\.)(?=(\s*.?))", re.I)
_BEFORE_NUMBER = re.compile(rf"(?<!\w)({_any(_NUMBERED)})\.(?=\s*(?:\d|[IVXLC]{{2,}}\b|[ivxlc]{{2,}}\b|[VXvx]\b))")
_MONTH = re.compile(rf"(?<!\w)({_any(_MONTHS)})\.(?=\s*['’]?\d)|(?<=\d\s)({_any(_MONTHS)})\.?(?=[\s,.;]|$)")
_DAY = re.compile(rf"(?<!\w)({_any(_DAYS)})\.(?=,? (?:\d|{_any(_MONTHS)}|May|June|July))")
_VERSE = re.compile(rf"(?<!\w)({_any(_SCRIPTURE)})\.? (?=(?:\d{{1,3}}|[ivxlc]+)(?::|\. ?)\d)")
_EDITION = re.compile(r"(?<=\d[a-z]) ed\.|(?<=\d[a-z]{2}) ed\.|(?<=\bnew|\brev) ed\.", re.I)
_EDITED = re.compile(r"(?<=[(,]) ?ed\.(?= by| [A-Z]|\))|(?<!\w)ed\.(?= by)")
_COMPANY = re.compile(r"(?<=& )Co\.(?=(\s*.?))|(?<=and )Co\.(?=(\s*.?))|(?<!\w)Co\.(?= [A-Z][a-z])")
_LIVED = re.compile(r"(?<=[(,;] )([bd])\.(?= (?:[A-Z][a-z]+\.? )?\d)|(?<=\()([bd])\.(?= \d)")
_PER_CENT = re.compile(r"(?<!\w)(per cent)\.(?= [a-z])")
_MONSIEUR = re.compile(r"(?<![\w.])(MM?)\. (?=(?:de|du|des|la|le) |d['’][A-Z]|[A-Z][^\W\d_]+)(?=([^\W_]+))")
_REVEREND = re.compile(r"(?<=(?:the|ery) )rev\.(?= [A-Z])")
_SQUARE = re.compile(r"(?<=[\d½] )sq\.? (?=(?:mi?|ft|in|yds?|km|miles|feet|yards|inches)\b)")
_LATITUDE = re.compile(r"(?<=[NSEW°′'\d][.\s])\s?(lat|long)\.(?=(\s*.?))")
_DIRECTION = re.compile(
    r"(?<![\w.])([NSEW])\.(?=(?: and ([NSEW])\.)?,? (?:of|by|end|side|coast|wind|lat|long)\b)"
    r"|(?<=and )([NSEW])\.(?= of\b)"
    r"|(?<![\w.])([NS])\. ?([EW])\.(?= (?:of|part|corner|side|coast|end|wind|by|direction|quarter)\b)"
    r"|(?<![\w.])([NSEW])\. ?([NS])\. ?([EW])\.?(?!\w)"
)
_COMPASS = {"N": "north", "S": "south", "E": "east", "W": "west"}
_ETC = re.compile(r"(?<!\w)&c\.?")
_CARE = re.compile(r"(?<!\w)c/o(?!\w)")
_INITIAL = re.compile(r"(?<!\w)(?!I\. [A-Z][^.])([A-Z])\.(?= ?(?:[A-Z]\. ?){0,3}[A-Z][^\W\d_A-Z])")


def _keep_stop(word: str, after: str) -> str:
    """Widened `word`, with the dot kept where it may end the sentence too."""
    following = after.strip()
    ends = not following or following in "”)’—" or (following.isupper() and after[:1].isspace())
    return f"{word}." if ends and word not in _LEADING_ON else word


def _monsieur(match: re.Match[str]) -> str | None:
    before = match.string[: match.start()].rstrip()
    last = re.search(r"([^\W_][\w'’]*|\.)$", before)
    # "Henry M. Stanley" has a name before it, "A. M. Orme" a letter.
    titled = re.search(r"(?<!\w)(?:Mrs?|Dr|Prof|Rev|Sir)\.?$", before)
    named = last and ((last[1] == "." and re.search(r"(?<!\w)[A-Z]\.$", before)) or last[1][:1].isupper())
    if match[2] in _NOT_MONSIEUR or titled or (named and not before.endswith(("“", "—"))):
        return None
    return "Monsieur " if match[1] == "M" else "Messieurs "


def _direction(match: re.Match[str]) -> str:
    points = [point for point in match.groups() if point]
    if match[1] or match[3]:
        return _COMPASS[(match[1] or match[3])]
    said = [_COMPASS[point] for point in points]
    return "".join(said) if len(said) == 2 else f"{said[0]} {said[1]}{said[2]}"


def _company(match: re.Match[str]) -> str:
    after = match[1] if match[1] is not None else match[2]
    return "County" if after is None else _keep_stop("Company", after)


def _title(match: re.Match[str]) -> str:
    word = _TITLES[match[1]]
    return _keep_stop(word, match[2]) if match[1] in _AFTER else word


def _saint(match: re.Match[str]) -> str | None:
    before = match.string[: match.start()].rstrip()
    # "5th St. Mary's" hardly occurs; "on 5th St. John saw" does: after a number or a street's name it is a street.
    if re.search(r"\d(?:st|nd|rd|th)$", before):
        return None
    return "SAINT" if match[2] else {"St": "Saint", "Ste": "Sainte", "SS": "Saints"}[match[1]]


def _bookish(draft: Draft) -> None:
    """What is found in notes, title pages and gazetteers, before the shorter rules see its letters."""
    text = draft.text
    if "ed." in text:
        draft.sub(_EDITION, " edition")
        draft.sub(_EDITED, lambda m: m[0].replace("ed.", "edited"))
    if "Co." in text:
        draft.sub(_COMPANY, _company)
    if "b." in text or "d." in text:
        draft.sub(_LIVED, lambda m: "born" if (m[1] or m[2]) == "b" else "died")
    if "cent." in text:
        draft.sub(_PER_CENT, lambda m: m[1])
    if "M. " in text:
        draft.sub(_MONSIEUR, _monsieur)
    if "rev." in text:
        draft.sub(_REVEREND, "reverend")
    if "sq" in text:
        draft.sub(_SQUARE, "square ")
    if "lat." in text or "long." in text:
        draft.sub(_LATITUDE, lambda m: " " + _keep_stop("latitude" if m[1] == "lat" else "longitude", m[2]))
    if "N." in text or "S." in text or "E." in text or "W." in text:
        draft.sub(_DIRECTION, _direction)
    if "Dr." in text:
        draft.sub(_DRIVE, lambda m: f"{m[1]} Drive")


def widen(draft: Draft) -> None:
    """Writes abbreviations out, the most certain first."""
    draft.sub(_ETC, "et cetera")
    draft.sub(_CARE, "care of")
    draft.sub(_BARE_TITLE, lambda m: _TITLES[m[1]])
    draft.sub(_VERSE, lambda m: _SCRIPTURE[m[1]] + " ")
    if "." not in draft.text and "St" not in draft.text:
        return
    _bookish(draft)
    draft.sub(_LETTERED, lambda m: _DOTTED["".join(m[0].lower().split())])
    draft.sub(_BEFORE_NUMBER, lambda m: _NUMBERED[m[1]])
    draft.sub(_DAY, lambda m: _DAYS[m[1]])
    draft.sub(_MONTH, lambda m: _MONTHS[m[1] or m[2]])
    draft.sub(_SAINT, _saint)
    draft.sub(_STREET, lambda m: _keep_stop("Street", m[1]))
    draft.sub(_TITLE, _title)
    draft.sub(_WORD, lambda m: _keep_stop(_ANYWHERE[m[1]], m[2]))
    draft.sub(_INITIAL, lambda m: letters(m[1]) + " ")
