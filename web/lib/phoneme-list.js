/** The sounds of English as a keyboard offers them: symbol, and a word that has it. Pure. */

/** @typedef {{name: string, keys: [string, string][]}} Group */

/** @type {Group[]} */
export const PHONEMES = [
  { name: "Stress", keys: [["ˈ", "before the stressed syllable"], ["ˌ", "before a weaker one"]] },
  {
    name: "Vowels",
    keys: [
      ["i", "see"], ["ɪ", "sit"], ["ɛ", "bed"], ["æ", "cat"], ["ɑ", "father"], ["ʌ", "cup"], ["ɔ", "law"], ["ʊ", "book"], ["u", "moon"],
      ["ə", "about"], ["eɪ", "day"], ["aɪ", "my"], ["oʊ", "go"], ["aʊ", "cow"], ["ɔɪ", "boy"], ["ɜɹ", "bird"], ["əɹ", "letter"], ["ɛɹ", "hair"],
    ],
  },
  {
    name: "Consonants",
    keys: [
      ["p", "pen"], ["b", "bed"], ["t", "ten"], ["d", "den"], ["k", "cat"], ["ɡ", "get"], ["f", "fan"], ["v", "van"], ["θ", "thin"],
      ["ð", "then"], ["s", "see"], ["z", "zoo"], ["ʃ", "shin"], ["ʒ", "vision"], ["tʃ", "chin"], ["dʒ", "jam"], ["m", "man"], ["n", "not"],
      ["ŋ", "sing"], ["l", "let"], ["ɹ", "red"], ["j", "yes"], ["w", "wet"], ["h", "hat"],
    ],
  },
];
