"""What the parity tests speak: sentences of our own, as phonemes, in three voices and five lengths."""

from typing import NamedTuple

AMERICAN = {
    1: "kˈʌm ˈɪn, plˈiz.",
    2: "ðə kˈɛTᵊl wʌz ˌɔlɹˈɛdi sˈɪŋɪŋ ˌɔn ðə stˈOv.",
    5: "ʃˌi hæd wˈɔkt ˈɔl ðə wˈA fɹʌm ðə hˈɑɹbəɹ, wɪð ðə lˈɛTəɹ fˈOldᵻd twˈIs ɪn hɜɹ pˈɑkət.",
    10: "ʃˌi hæd wˈɔkt ˈɔl ðə wˈA fɹʌm ðə hˈɑɹbəɹ, wɪð ðə lˈɛTəɹ fˈOldᵻd twˈIs ɪn hɜɹ pˈɑkət. nˈObˌɑdi ˈæskt "
    "wˌɛɹ ʃi hæd bˌɪn; ðA mˈuvd ðɛɹ ʧˈɛɹz klˈOsəɹ tə ðə fˈIəɹ ænd mˌAd ɹˈum.",
    20: "ðə lˈIthˌWs kˈipəɹ ɹˈOt dˌWn ˈɛvəɹiθˌɪŋ hi sˈɔ: θɹˈi ʃˈɪps bəfˈɔɹ nˈun, ɐ pˈɛɹ ʌv sˈiᵊlz ˌɔn ðə lˈɔŋ "
    "ɹˈɑk, ænd klˈWdz ðə kˈʌləɹ ʌv slˈAt. bˌI ˈivnɪŋ ðə wˈɪnd hæd tˈɜɹnd. hˌi klˈImd ðə nˈIndi stˈɛps, tɹˈɪmd "
    "ðə lˈæmp, ænd wˈATᵻd fɔɹ ðə fˈɜɹst bˈim tə kɹˈɔs ðə wˈɔTəɹ. sˈʌmhwˌɛɹ bəlˈO hˌɪm, ɪn ðə dˈɑɹk, ɐ smˈɔl "
    "bˈOt ˈænsəɹd wɪð ɐ bˈɛl.",
}
BRITISH = {
    1: "kˈʌm ˈɪn, plˈiːz.",
    2: "ðə kˈɛtᵊl wɒz ɔːlɹˈɛdi sˈɪŋɪŋ ˌɒn ðə stˈQv.",
    5: "ʃˌiː had wˈɔːkt ˈɔːl ðə wˈA fɹɒm ðə hˈɑːbə, wɪð ðə lˈɛtə fˈQldɪd twˈIs ɪn hɜː pˈɒkɪt.",
    10: "ʃˌiː had wˈɔːkt ˈɔːl ðə wˈA fɹɒm ðə hˈɑːbə, wɪð ðə lˈɛtə fˈQldɪd twˈIs ɪn hɜː pˈɒkɪt. nˈQbədi ˈɑːskt "
    "wˌɛː ʃiː had bˌiːn; ðA mˈuːvd ðɛː ʧˈɛːz klˈQsə tə ðə fˈIə and mˌAd ɹˈuːm.",
    20: "ðə lˈIthWs kˈiːpə ɹˈQt dˌWn ˈɛvɹɪθɪŋ hiː sˈɔː: θɹˈiː ʃˈɪps bɪfˈɔː nˈuːn, ɐ pˈɛː ɒv sˈiːlz ˌɒn ðə lˈɒŋ "
    "ɹˈɒk, and klˈWdz ðə kˈʌlə ɒv slˈAt. bˌI ˈiːvnɪŋ ðə wˈɪnd had tˈɜːnd. hˌiː klˈImd ðə nˈInti stˈɛps, tɹˈɪmd "
    "ðə lˈamp, and wˈAtɪd fɔː ðə fˈɜːst bˈiːm tə kɹˈɒs ðə wˈɔːtə. sˈʌmwɛː bɪlˈQ hˌɪm, ɪn ðə dˈɑːk, ɐ smˈɔːl "
    "bˈQt ˈɑːnsəd wɪð ɐ bˈɛl.",
}


class Case(NamedTuple):
    voice: str
    about_s: int  # its length, roughly
    phonemes: str

    @property
    def key(self) -> str:
        return f"{self.voice}/{self.about_s}"


CASES = [
    Case(voice, about_s, phonemes)
    for voice, texts in (("af_heart", AMERICAN), ("am_michael", AMERICAN), ("bf_emma", BRITISH))
    for about_s, phonemes in texts.items()
]


def _chosen(*keys: str) -> list[Case]:
    return [case for case in CASES if case.key in keys]


# Durations, pitch and energy are compared for all of them. Sound is 90 % of the work: short, medium, long, very long.
SPOKEN = [case for case in CASES if case.about_s in (1, 5, 10)] + _chosen("af_heart/20")
# Of which the inputs of single stages are kept. The generator's own input takes 512 numbers every 12.5 ms: short ones.
STAGED = _chosen("af_heart/1", "am_michael/1", "bf_emma/1", "bf_emma/5")
# The one case of which the generator's input spectrum is kept whole: 22 numbers every 5 samples.
FULL = CASES[0]

NOISE_SEEDS = (0, 1)
