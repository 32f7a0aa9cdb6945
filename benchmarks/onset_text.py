"""Our own words for the measurements of where words begin: one string a paragraph, sentences parted by `|`.

`FIT` is spoken by every voice and `FIT_MORE` by two, and corrections are chosen on them; `HELD_OUT` (50 sentences) is
what they are judged on. All have many pauses, because a word after a silence begins where anybody can measure it, and
beginnings of all kinds.
"""

FIT = [
    "Before noon, the harbour was empty. | Two boats, both of them old, lay on the shingle; children, dogs and gulls "
    "had the rest. | Further out, past the bell, a ship waited. | Nobody knew her name.",
    "Later, much later, people said that the bridge had moaned. | Great cables, thick as trees, had sung; gulls, they "
    "said, had flown inland. | Others, of course, denied it. | Charles, who was there, never spoke. | Do you "
    "blame him?",
]

FIT_MORE = [
    "“Keep the change,” said Thomas, “and shut the door.” | “Why?” | “Because it rains, it blows, and very soon it "
    "will freeze.” | She laughed, put down her basket, and left.",
    "Apples, pears, figs, walnuts: everything was wet. | Zachary shook his head, slowly, as if water had got into his "
    "ears. | Under the table, unseen, lay Jack’s letter. | Voices came, then went. | Yes, he thought, this is how it "
    "ends.",
]

HELD_OUT = [
    "The parcel came on Tuesday. | Inside, wrapped in straw, was a clock. | It had no hands. | Even so, it ticked.",
    "My aunt, a careful woman, turned it twice. | “Paris,” she said, “or somewhere near it.” | Then she sneezed. | "
    "Dust, thirty years of it, hung in the light.",
    "We carried it upstairs, past the portrait, into the blue room. | There it stood, for a week, and told nobody the "
    "time. | Visitors asked about it. | Few of them stayed.",
    "On Sunday, quite early, it struck nine. | Father dropped his spoon. | “Well,” he said, “that settles it.” | "
    "Nothing was settled, of course.",
    "Bread, butter, cheese: the table was ready. | Who was coming? | Old friends, I was told, and one stranger. | "
    "The stranger, when he came, wore gloves.",
    "He sat down, looked at the clock, and smiled. | “Does it run backwards?” he asked. | Nobody answered. | Very "
    "gently, with one finger, he touched the glass.",
    "Outside, the wind rose. | Branches scratched at the window, and somewhere a gate was banging. | Just then, "
    "without a sound, the lamp went out. | Children cried.",
    "When the light came back, his chair was empty. | The gloves lay on the plate, folded, still warm. | Gone too, as "
    "we found next morning, was the clock. | Mother swept the floor. | Years passed.",
    "I saw it again, in a shop, behind a heap of umbrellas. | Under the dial, in small letters, stood a name: mine. | "
    "The owner, a thin man, would not sell. | “Yesterday,” he said, “perhaps.” | So I walked home.",
    "Snow fell, then rain, then snow. | By the river, two boys were building a wall. | “Good evening,” I said. | "
    "Neither looked up. | Very well, I thought, let them work.",
    "Now, in winter, when the house is quiet, I hear it. | Three, four, five. | It never goes further. | "
    "Go to sleep, I tell myself; think of summer. | Usually, I do. | Tonight, though, it went on. | Six.",
]


def sentences(paragraph: str) -> list[str]:
    return [text.strip() for text in paragraph.split("|")]
