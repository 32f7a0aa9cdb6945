"""How a word that no lexicon has is said: a joint n-gram model of letters and phonemes, learnt from the lexicon."""
