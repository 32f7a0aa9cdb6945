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
# The one case of which the whole signal path is kept: the generator's input spectrum and its audio.
FULL = CASES[0]
"""Its magnitudes and phases take 22 values every 5 samples: only the shortest case is small enough."""

NOISE_SEEDS = (0, 1)
