"""What the engines say: our own words, as phonemes in American English, in four lengths."""

_MILLER = (
    "ðə mˈɪləɹ kˈɛpt θɹˈi lˈɛʤəɹz: wˈʌn fɔɹ ðə flˈWəɹ, wˈʌn fɔɹ ðə dˈɛts, ænd wˈʌn fɔɹ hɪmsˈɛlf. ",
    "nˈObˌɑdi hæd ˈɛvəɹ ɹˈɛd ðə θˈɜɹd, ðˌO ðə hˈOl vˈæli kʊd ɡˈɛs wˌʌt wʌz ɹˈɪtn ɪn ɪt. ",
    "ɪn ðə wˈɛt spɹˈɪŋ, wˌɛn ðə wˈil stˈʊd ˈʌndəɹ wˈɔTəɹ fɔɹ nˈIn dˈAz, hi kˈɛɹid ˈɔl ʌv ðˌɛm ˌʌp tə ðə lˈɔft ænd "
    "slˈɛpt bəsˈId ðˌɛm. ˌɔn ðə tˈɛnθ dˈA hi kˈAm dˌWn wɪð tˈu, ænd wʊd nˌɑt sˈA ɐ wˈɜɹd əbˈWt ði ˈʌðəɹ.",
)
VOICE = "af_heart"
PASSES = {
    2: "ðə lˈæmp wˈɛnt ˈWt bəfˈɔɹ sˈʌpəɹ.",
    5: _MILLER[0].strip(),
    10: "".join(_MILLER[:2]).strip(),
    20: "".join(_MILLER),
}
"""Phonemes by length in seconds: in VOICE they last 2.2, 5.3, 10.2 and 21.4 s."""
