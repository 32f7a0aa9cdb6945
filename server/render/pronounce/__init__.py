"""How words are pronounced: symbols, words that a lexicon lacks or confuses, and which written word is which sound."""
