"""The languages other than English: text to phonemes, sentence by sentence, with no times for single words.

Each reader has the interface of `server.render.g2p.G2P` and gives symbols of the model's 114 only, in the form that
the model was trained with: espeak's for Spanish, French, Hindi, Italian and Portuguese, kana turned into IPA for
Japanese, pinyin for Chinese.
"""
