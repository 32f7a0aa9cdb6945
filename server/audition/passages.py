"""The passages of the audition: written for it, each to stress one thing. And the pairs that differ in one mark."""

from dataclasses import dataclass
from typing import Final, Literal

PairKind = Literal["declarative", "yes-no", "wh", "one-word"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to hear voices with, and what to listen for in it. Paragraphs are parted by empty lines."""

    id: str
    title: str
    listen_for: str
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Words that are a sentence with a full stop and with a question mark; `kind` is how they are built."""

    id: str
    kind: PairKind
    words: str


PASSAGES: Final = (
    Passage(
        "plain",
        "Plain narrative",
        "Calm reading: does it carry you along, or do all sentences fall in the same way?",
        "The path went down between two hedges and came out beside the mill. Nobody had worked there for years. "
        "The wheel hung still above the water, green with moss, and swallows flew in and out of the upper window. "
        "She sat on the wall, took off her boots, and ate the last of the bread.",
    ),
    Passage(
        "dialogue",
        "Dialogue",
        "Who is speaking? Listen for questions, interruptions and what is said under the breath.",
        "“You came back,” he said. “I didn't think you would.”\n\n"
        "“Neither did I.” She put the lamp down. “Is he still upstairs?”\n\n"
        "“Asleep, I hope. Or pretending — you know what he's like.”\n\n"
        "“No!” she whispered. “Don't light it. Wait … did you hear that?”",
    ),
    Passage(
        "names",
        "Hard names",
        "Names from many places: which does it stumble over, and does it say them twice in the same way?",
        "Siobhán Ní Dhuibhne and Xavier Aguirre met Nguyễn Thị Hoa in Llanelli, not far from the house where "
        "Wojciech Szczęsny was born. Goethe was on the table, beside a Worcestershire pie; Hermione and Beauchamp "
        "had gone to Keighley by way of Leicester. “Ask Siobhán,” said Aguirre, “or Szczęsny.”",
    ),
    Passage(
        "heteronyms",
        "Words with two sounds",
        "Each of these words is here twice, said differently: read, lead, wind, tear, close, live, bow.",
        "I read the letter that you will read tomorrow. They lead us past the pipes of lead. The wind was so strong "
        "that nobody could wind the sail in. There was a tear in her sleeve and a tear on her cheek. Stand close to "
        "the door and close it. We live above a hall where they play live. He took a bow, and laid down his bow.",
    ),
    Passage(
        "numbers",
        "Numbers and signs",
        "Years, sums, hours and abbreviations: would you have read them so?",
        "On 3 May 1847 the St. Anne left with 1,250 casks worth £3.40 each. By 6:30 p.m. Dr. Hale, of 21 Queen St., "
        "had counted about 2/3 of them, i.e. some 830. King Henry VIII never paid in advance; Mr. Pratt paid 15% at "
        "once, and the rest in 1850.",
    ),
    Passage(
        "exposition",
        "Dense exposition",
        "Long sentences with clauses inside clauses: can you follow the thought by ear alone?",
        "What the early clockmakers had not understood, and what no amount of polishing could have taught them, was "
        "that a pendulum, however carefully hung, keeps its time only so long as the arc through which it swings "
        "stays small; for in a wide arc the bob, falling farther, must also return from farther, and the two errors, "
        "which one would expect to cancel, add up instead. It is, in other words, not the weight that matters, nor "
        "the force that drives it, but the length alone.",
    ),
    Passage(
        "feeling",
        "Grief and anger",
        "Short and long sentences with much behind them: is any of it heard, and is it too much?",
        "Gone. All of it, gone. She turned the drawer over and shook it, as if the letters could have grown into the "
        "wood. “Who told you,” she said very quietly, “that you might touch my things? Who?” And then, because he "
        "only stood there, because he did not even have the grace to lie, she laughed until she had to sit down.",
    ),
    Passage(
        "list",
        "A long list",
        "Does the voice keep the list going, and does it know when the end has come?",
        "In the chest were a compass, two candles, a ball of string, a knife without a handle, a map of some coast "
        "that neither of them knew, seven buttons, a child's shoe, and, wrapped in oilcloth at the very bottom, "
        "the key.",
    ),
    Passage(
        "verse",
        "Verse",
        "Where a line ends without a stop, does it sing, stumble or read on?",
        "The tide goes out and leaves the sand\nas smooth as any page,\nand one small bird, on either hand,\n"
        "writes down its heritage;\nthe tide comes in, and line by line\nthe sea takes all it said:\n"
        "a margin first, a word, a sign,\nand then the whole is read.",
    ),
)  # fmt: skip

_WORDS: Final[dict[PairKind, tuple[str, ...]]] = {
    "declarative": (
        "You found the key",
        "He is coming with us",
        "They left on Tuesday",
        "She paid for all of it",
        "Your brother wrote this",
        "There is no other way down",
        "It was raining the whole time",
        "You have read this before",
    ),
    "yes-no": (
        "Did you hear the bell",
        "Is that the last of them",
        "Can he see us from there",
        "Have they closed the gate",
        "Would you do it again",
        "Was it cold on the island",
        "Are we nearly there",
        "Do you know her name",
    ),
    "wh": (
        "Who told you that",
        "Where does this road go",
        "What have you done with it",
        "Why did nobody answer",
        "When will they be back",
        "How far is the river",
        "Which of them is yours",
        "Whose coat is this",
    ),
    "one-word": ("Yes", "Tomorrow", "Really", "Here", "Alone", "Ready", "Nothing", "Margaret"),
}

PAIRS: Final = tuple(
    Pair(f"{kind}-{number}", kind, words) for kind, several in _WORDS.items() for number, words in enumerate(several, 1)
)
