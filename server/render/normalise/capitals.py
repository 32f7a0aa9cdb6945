"""Words in capitals are words; only what is known as an acronym is spelled."""

import re

from server.render.normalise.draft import Draft

_WORD = re.compile(r"(?<![\w.])[A-Z][A-Z']*[A-Z](?![\w]|\.[A-Z])|(?<![\w.'\ue000])[AIO](?![\w']|\.[A-Z])")
_ACRONYMS = frozenset(
    (
        "FBI CIA USA UK UN EU UFO USSR KGB NASA NATO BBC CNN NBC ABC CBS HBO ITV CEO CFO CTO VIP DNA RNA HIV AIDS "
        "TV DVD CD PC GPS FM PhD MD BA BS MP MI SOS RSVP ID IQ OK PM AM AD BC BCE CE ATM NYPD LAPD SUV MRI CT ER "
        "ICU RAF USAF USN SS HMS USS GI POW MIA AWOL SWAT DEA IRS NSA MIT UCLA YMCA YWCA NHS DJ MC LSD TNT DIY FAQ "
        "HTML HTTP URL USB CPU GPU RAM AI IT US DC LA NY NYC GMT UTC ETA PS PTA PTSD RV TB VW BMW IBM LED LCD PDF "
        "SMS AK JFK FDR LBJ IRA PLO KKK NAACP ACLU NRA NFL NBA MLB NHL FIFA UNESCO UNICEF OPEC GDP IMF VAT CCTV XL "
        "MSS MS ISBN AAA BBQ CV DOA HQ IOU JP KO MO NB PI PO PR QC RIP RPM RNA SAS SDS TLC VHS VD WC WWI WWII"
    ).split()
)
# Two- and three-letter words that a writer may shout alone; longer ones are words unless they are acronyms.
_SHOUTED = frozenset(
    (
        "AM AN AS AT BE BY DO GO HE IF IN IS IT ME MY NO OF OH ON OR SO TO UP WE ALL AND ANY ARE ASK BAD BAG BIG "
        "BOY BUT BUY CAN CAR CRY CUT DAD DAY DID DIE DOG DUE EAT END EYE FAR FEW FIX FLY FOR FUN GET GOD GOT GUN "
        "HAD HAS HAT HER HEY HIM HIS HIT HOT HOW ILL ITS JOB KEY KID LAW LAY LEG LET LIE LOT LOW MAD MAN MAY MEN "
        "MET MOM MUM NEW NOR NOT NOW ODD OFF OLD ONE OUR OUT OWN PAY PUT RAN RED RUN SAD SAT SAW SAY SEA SEE SET "
        "SHE SIN SIR SIT SIX SKY SON SUN TEN THE TOO TOP TRY TWO USE WAR WAS WAY WHO WHY WIN WON YES YET YOU TELL"
    ).split()
)
# In a shouted line these are the word, elsewhere the acronym.
_TWO_FACED = frozenset(["US", "AD", "ID", "LA", "ER"])
_VOWEL = re.compile("[AEIOUY]")
_MIXED = re.compile(r"[a-z]")


def _runs(text: str) -> list[tuple[int, int]]:
    """Ranges of two or more words in capitals with nothing but spaces and marks between them."""
    runs: list[list[int]] = []
    counts: list[int] = []
    for match in _WORD.finditer(text):
        long = len(match[0]) > 1
        between = text[runs[-1][1] : match.start()] if runs else ""
        if runs and "/" not in between and not any(char.isalnum() for char in between):
            runs[-1][1] = match.end()
            counts[-1] += long
        else:
            runs.append([*match.span()])
            counts.append(int(long))
    return [(start, end) for (start, end), count in zip(runs, counts, strict=True) if count >= 2 or end - start > 20]


def _starts(text: str, at: int) -> bool:
    before = text[:at].rstrip(" “(—")
    return not before or before[-1] in ".!?…"


def uncapital(draft: Draft) -> None:
    """Writes shouted words small, so that they are read and not spelled."""
    text = draft.text
    runs = _runs(text)
    whole = not _MIXED.search(text)

    def said(match: re.Match[str]) -> str | None:
        word, at = match[0], match.start()
        if word in ("I", "A", "O"):
            in_run = any(start <= at < end for start, end in runs)
            return None if word == "I" or not in_run or _starts(text, at) else word.lower()
        in_run = any(start <= at < end for start, end in runs)
        if word in _ACRONYMS and word not in _SHOUTED and not (in_run and word in _TWO_FACED):
            return None
        if not in_run and ((len(word) <= 3 and not whole and word not in _SHOUTED) or not _VOWEL.search(word)):
            return None
        if word.startswith("I'"):
            return "I" + word[1:].lower()
        return word.capitalize() if _starts(text, at) else word.lower()

    draft.sub(_WORD, said)
