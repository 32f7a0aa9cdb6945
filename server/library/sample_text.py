"""The text of the sample book, written for it: three short chapters with talk, figures, verse and a pause."""

TITLE = "The Night Ferry"
SUBTITLE = "A Short Crossing"
AUTHOR = "The Lectern Household"
IDENTIFIER = "urn:uuid:5f0c1d5e-6a0b-4c57-9a3e-0d6f1e0b7c21"

# (title, body): XHTML fragments without their heading.
CHAPTERS: tuple[tuple[str, str], ...] = (
    (
        "The Last Crossing",
        """
<p>The last boat over the estuary left at 10:40, and for eleven years Mrs. Dell had been the only passenger who asked
to sit inside the wheelhouse. She came down the steps with a lamp in one hand and a book in the other, nodded to the
ferryman, and took the stool beside the stove.</p>
<p>“Evening, Tom,” she said. “Where had we got to?”</p>
<p>“They’d found the door,” said Tom. “But you wouldn’t tell me what was behind it. You said it was late.”</p>
<p>“It <em>was</em> late. It was nearly midnight, and you had missed the landing twice.”</p>
<p>He laughed and put the engine astern. The quay slid away with its one green light, and the water opened in front of
them, black and wide and perfectly still. The crossing took twenty-two minutes. At a page a minute, allowing for fog
and for questions, they finished about nine books a year.</p>
<p>Tom had never learned to read with any ease. The letters would not stay where they were put, he said; they were like
gulls. But he could listen. He could hold a chapter in his head from Monday to Friday, every name and every promise,
and tell her on Saturday exactly where a careless author had gone back on his word.</p>
<p>“Page 212,” said Mrs. Dell, and turned up the lamp.</p>
""",
    ),
    (
        "What the Fog Heard",
        """
<p>In the second week of November the fog came up from the sea and did not go away. It lay on the water like wool. The
big ships waited outside the bar, and their horns went on all night, each with its own note, so that the whole coast
sounded like an orchestra that could not agree to begin.</p>
<p>Tom steered by the clock, by the compass, and by the bell on the middle buoy. That night the bell did not ring.</p>
<p>“Stop reading a moment,” he said.</p>
<p>She stopped. The engine ticked. There was nothing in the windows: no light, no wave, no line between the water and
the air. He counted under his breath, leaned out, and listened with his mouth a little open, as people do.</p>
<p>“Nothing. Somebody has cut it loose, or it’s drowned. We ought to have passed it four minutes ago.” He looked at the
chart, which he knew by heart, and for once it was no help to him.</p>
<p>“Shall I be quiet?”</p>
<p>“No,” said Tom slowly. “No, I don’t think so. Go out on the foredeck, Mrs. Dell, and read. Read as loud as you
can.”</p>
<hr/>
<p>So she stood in the bow, in her good coat, with the lamp held up to the page, and read to the fog. She read the end
of one chapter and the beginning of the next. She had a clear voice; she had taught infants for thirty years, and could
have been heard at the back of a barn. When the prose gave out she read the verse at the head of the chapter:</p>
<blockquote epub:type="z3998:poem">
<p>Carry the lantern, carry the word,<br/>
Over the water and into the weir;<br/>
Nothing is lost that was properly heard,<br/>
No one is far who is able to hear.</p>
</blockquote>
<p>And far off to the left, thin and late and unmistakable, her own voice came back to her from the sea wall.</p>
<p>“There!” shouted Tom, and put the wheel over.</p>
""",
    ),
    (
        "The Far Bank",
        """
<p>They came in by echoes. She read a line and stopped; he listened, moved the wheel by the width of a finger, and
said, “Again.” It took them an hour and a quarter. By the time the steps rose out of the whiteness, with the
harbour-master standing on them in his dressing gown, Mrs. Dell had no voice left at all.</p>
<p>“What in the world were you doing out there?” the harbour-master asked. “I could hear you from my bed. I heard every
word.”</p>
<p>“Then you’ll know what was behind the door,” said Tom.</p>
<p>“I do not! You stopped. You came alongside in the middle of a sentence, and I have been standing here in my slippers
ever since. Well? What was it?”</p>
<p>Mrs. Dell opened her mouth, and nothing came out but a whisper. She looked at Tom. She found the place with her
thumb, and held the book out to him, and moved the lamp a little closer.</p>
<p>He wiped his hands first. He looked at the page for a long time, the way he looked at weather. Then, slowly, putting
one word in front of another as a man crosses a river on stones, Tom began to read.</p>
<p>It was not a long sentence. It took him the better part of a minute. Nobody on the steps moved until he came to the
end of it, and then the harbour-master let out his breath.</p>
<p>“Well, I’m blessed,” he said. “Go on.”</p>
""",
    ),
)
