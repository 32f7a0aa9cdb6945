"""Names that books are full of and no lexicon has: a short table of our own, from classics, myths and much-read tales.

Whoever hears one wrong adds it to their own pronunciations; what is here is what nearly every reader agrees on.
"""

# Name, American, British where it is another.
_TABLE = """
Pequod pˈikwɑd pˈiːkwɒd
Ahab ˈAhæb ˈAhab
Queequeg kwˈikwɛɡ kwˈiːkwɛɡ
Bildad bˈɪldæd bˈɪldad
Eleanor ˈɛlənɔɹ ˈɛlɪnə
Tolkien tˈOlkin tˈɒlkiːn
Siobhan ʃəvˈɔn ʃɪvˈɔːn
Aquitaine ˈækwətˌAn ˈakwɪtAn
Raskolnikov ɹæskˈOlnɪkˌɔf ɹaskˈɒlnɪkɒf
Karenina kəɹˈɛnɪnə
Karenin kəɹˈɛnɪn
Vronsky vɹˈɑnski vɹˈɒnski
Bezukhov bˈɛzukˌɔf bˈɛzuːkɒf
Bolkonsky bɑlkˈɑnski bɒlkˈɒnski
Karamazov kˌæɹəmˈɑzɔf kˌaɹəmˈɑːzɒf
Marmeladov mˌɑɹməlˈɑdɔf mˌɑːməlˈɑːdɒf
Razumikhin ɹˌæzumˈikɪn ɹˌazuːmˈiːkɪn
Svidrigailov svˌɪdɹɪɡˈIlɔf svˌɪdɹɪɡˈIlɒf
Porfiry pɔɹfˈɪɹi pɔːfˈɪɹi
Valjean vɑlʒˈɑn valʒˈɒn
Javert ʒævˈɛɹ ʒavˈɛː
Cosette kOzˈɛt kQzˈɛt
Fantine fɑntˈin fɒntˈiːn
Thénardier tˌAnɑɹdjˈA tˌAnɑːdjˈA
D'Artagnan dɑɹtˈænjən dɑːtˈanjən
Athos ˈæTOs ˈaθɒs
Porthos pˈɔɹTOs pˈɔːθɒs
Aramis ˈæɹəmɪs ˈaɹəmɪs
Dantès dˈɑntɛs dˈɒntɛs
Heathcliff hˈiθklɪf hˈiːθklɪf
Earnshaw ˈɜɹnʃˌɔ ˈɜːnʃɔː
Havisham hˈævɪʃəm hˈavɪʃəm
Micawber mɪkˈɔbəɹ mɪkˈɔːbə
Cratchit kɹˈæʧɪt kɹˈaʧɪt
Peggotty pˈɛɡəTi pˈɛɡəti
Chuzzlewit ʧˈʌzᵊlwɪt
Pickwick pˈɪkwɪk
Podsnap pˈɑdsnæp pˈɒdsnap
Bovary bˈOvəɹi bˈQvəɹi
Jekyll ʤˈɛkᵊl
Moriarty mˌɔɹiˈɑɹTi mˌɒɹɪˈɑːti
Lestrade ləstɹˈɑd ləstɹˈɑːd
Mycroft mˈIkɹɔft mˈIkɹɒft
Lilliput lˈɪləpət lˈɪlɪpʌt
Lilliputian lˌɪləpjˈuʃᵊn lˌɪlɪpjˈuːʃᵊn
Lilliputians lˌɪləpjˈuʃᵊnz lˌɪlɪpjˈuːʃᵊnz
Laputa ləpjˈuTə ləpjˈuːtə
Brobdingnag bɹˈɑbdɪŋnˌæɡ bɹˈɒbdɪŋnaɡ
Houyhnhnm hwˈɪnəm wˈɪnəm
Houyhnhnms hwˈɪnəmz wˈɪnəmz
Quixote kihˈOTi kiːhˈQti
Dulcinea dˌʌlsɪnˈiə dˌʌlsɪnˈɪə
Rocinante ɹˌOsɪnˈɑntA ɹˌɒsɪnˈanti
Dedalus dˈɛdələs dˈiːdələs
Hermione hɜɹmˈIəni hɜːmˈIəni
Nausicaa nɔsˈɪkAə nɔːsˈɪkɪə
Laertes lAˈɜɹTiz lAˈɜːtiːz
Creon kɹˈiˌɑn kɹˈiːɒn
Achilleus əkˈɪliəs əkˈɪlɪəs
Daenerys dənˈɛɹɪs
Targaryen tɑɹɡˈɛɹiən tɑːɡˈɛːɹɪən
Aragorn ˈæɹəɡˌɔɹn ˈaɹəɡɔːn
Gandalf ɡˈændɑlf ɡˈandalf
Poirot pwɑɹˈO pwˈɑːɹQ
Nostromo nɑstɹˈOmO nɒstɹˈQmQ
Casaubon kəsˈɔbən kəsˈɔːbən
Ladislaw lˈædɪslˌɔ lˈadɪslɔː
Rapunzel ɹəpˈʌnzᵊl
Rumpelstiltskin ɹˌʌmpəlstˈɪltskɪn
Cthulhu kəθˈulu kəθˈuːluː
Ozymandias ˌɑzɪmˈændiəs ˌɒzɪmˈandɪəs
Bingley bˈɪŋli bˈɪŋli
Wickham wˈɪkəm
Fezziwig fˈɛzɪwˌɪɡ fˈɛzɪwɪɡ
Utterson ˈʌTəɹsᵊn ˈʌtəsᵊn
Wooster wˈʊstəɹ wˈʊstə
"""


def _read(table: str) -> dict[str, str]:
    rows = (line.split() for line in table.split("\n") if line)
    return {name.lower(): f"{american}|{british[0] if british else american}" for name, american, *british in rows}


NAMES = _read(_TABLE)
