"""Word lists that the sentence rules look into. Data only; all lower case, without the final dot."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Followed by a name: never the end of a sentence before a capital.
TITLES = _words(
    "mr mrs ms mx dr prof rev revd fr hon rt messrs mme mmes mlle mlles mgr st ste sts mt ft capt cpt lt col gen sgt "
    "cpl pte pvt maj cmdr cdr comdr adm brig gov sen rep pres supt insp det atty dist amb asst assoc"
)
# Followed by a number or a name of a part: the end only before something else.
REFERENCES = _words(
    "no nos p pp vol vols ch chap fig figs art sec sect bk pt par para ver vv l ll n nn fol ff ca c circ pl col cols "
    "app ex op cit jan feb mar apr jun jul aug sep sept oct nov dec sun mon tue tues wed thu thur thurs fri sat"
)
# Lead on to what they introduce: never the end.
CONNECTORS = _words("e.g i.e eg ie cf vs v viz al e.g. ed eds trans tr repr rev seq q.v")
# May end a sentence or stand inside a name.
AMBIGUOUS = _words(
    "etc jr sr esq inc co ltd bros corp dept univ ave blvd rd sq bldg ph.d m.d b.a m.a b.sc d.d m.p a.d b.c b.c.e c.e "
    "u.s u.s.a u.k u.n d.c n.y a.m p.m am pm ft in oz lb lbs hr hrs min mins approx est misc"
)
TIMES = _words("a.m p.m am pm etc")
# A capital on one of these after an abbreviation or an initial means that a sentence begins.
STARTERS = _words(
    "a about above according after again all almost along already also although always among an and another any "
    "anyone anything are as at away back because before behind below beneath beside besides between beyond both but "
    "by can come could did do does down during each either else even ever every everybody everyone everything few "
    "finally first for from had has have having he hence her here hers him his how however i if in indeed inside "
    "instead into is it its just last later least let like many may maybe me meanwhile might more moreover most much "
    "must my near neither never nevertheless next no nobody none nor not nothing now nowhere of off often oh on once "
    "one only or other others otherwise our out outside over perhaps quite rather same several shall she should since "
    "so some somebody somehow someone something sometimes somewhere soon still such suddenly than that the their "
    "them then there therefore these they this those though through throughout thus till to together too toward "
    "towards two under unless until up upon us very was we well were what whatever when whenever where wherever "
    "whether which while who whoever whom whose why will with within without would yes yet you your"
)
SPEECH_VERBS = _words(
    "said says say asked asks cried cries replied replies answered answers shouted shouts whispered whispers "
    "exclaimed exclaims murmured muttered called calls demanded returned continued added began remarked observed "
    "inquired enquired repeated screamed yelled gasped sighed laughed growled roared snapped begged pleaded wondered "
    "agreed thought interrupted protested declared announced insisted suggested explained groaned moaned sobbed "
    "stammered ejaculated retorted rejoined responded queried faltered persisted urged breathed chuckled hissed "
    "barked bellowed shrieked went put broke"
)
