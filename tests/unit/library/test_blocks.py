"""Pages into blocks: what is spoken, in which order, and what is silent under which rule."""

from pathlib import Path

import pytest

from server.library.blocks import Page, read_page
from server.library.inline import count
from server.library.markup import attribute, parse_document, tag
from server.library.reader import read_book
from tests.epubs import build_epub, page


def blocks_of(body: str) -> Page:
    root, _ = parse_document(page(body).encode())
    assert root is not None
    return read_page(root, "c.xhtml")


def texts(body: str) -> list[str]:
    return [block.text for block in blocks_of(body).blocks if block.kind != "scene_break"]


def silent(body: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for _, rule, characters, *_ in blocks_of(body).skipped:
        found[rule] = found.get(rule, 0) + characters
    return found


@pytest.mark.parametrize(
    ("body", "spoken"),
    [
        ("<p><i>One month later</i></p><p>A.</p><p>B <em>very</em> C.</p>", ["One month later", "A.", "B very C."]),
        ("<h2>Chapter One</h2><p>The Storm</p><p>It rained.</p>", ["Chapter One", "The Storm", "It rained."]),
        ('<p>Before.</p><div><img src="a.jpg"/></div><p>After.</p>', ["Before.", "After."]),
        ("<div>One.<p>Two.</p>Three.<div>Four.</div></div>", ["One.", "Two.", "Three.", "Four."]),
        ("<h1>Ten</h1><div><span>All the text is here.</span></div>", ["Ten", "All the text is here."]),
        ("<p>w<i>or</i>d and<br/>line</p>", ["word and\nline"]),
        ("One.<br/><br/>Two.", ["One.", "Two."]),
        ("<p>a <span>b<p>c</p>d</span> e</p>", ["a b", "c", "d e"]),
        ("<ul><li>a<ul><li>b</li></ul>c</li></ul>", ["a", "b", "c"]),
        ("<dl><dt>Term</dt><dd>Meaning.</dd></dl>", ["Term", "Meaning."]),
    ],
)
def test_mixed_content_keeps_all_text_in_order(body: str, spoken: list[str]) -> None:
    assert texts(body) == spoken


@pytest.mark.parametrize(
    "body",
    [
        '<p><span class="dc">T</span>he Magi.</p>',
        '<p><img src="t.png" alt="T"/>he Magi.</p>',
        '<div class="dropcap">T</div><p>he Magi.</p>',
    ],
)
def test_drop_cap_belongs_to_its_word(body: str) -> None:
    assert texts(body) == ["The Magi."]


def test_note_marks_are_silent_and_meaning_stays() -> None:
    body = (
        'H<sub>2</sub>O, 10<sup>5</sup>, the 4<sup>th</sup> of May, a note<sup><a href="#n1">1</a></sup>; '
        'more <a epub:type="noteref" href="n.xhtml#n2">2</a>. He paid<sup>3</sup> [four] men. '
        'See <a href="#note12">[12]</a>, <a href="b.xhtml#c4">chapter 4</a>.'
    )
    assert texts(f"<p>{body}</p>") == ["H₂O, 10⁵, the 4th of May, a note; more. He paid [four] men. See, chapter 4."]
    assert silent(f"<p>{body}</p>")["noteref"] == 7


def test_invisible_characters_are_left_out_and_counted() -> None:
    assert texts("<p>ex&#173;tra&#173;or\u200bdi\u2060nary&nbsp;day</p>") == ["extraordinary\u00a0day"]
    assert silent("<p>ex&#173;tra\u200b</p>")["invisible"] == 2


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<p hidden='hidden'>HUSH</p>", "hidden"),
        ("<p style='display: none'>HUSH</p>", "hidden"),
        ("<p aria-hidden='true'>HUSH</p>", "hidden"),
        ("<script>HUSH</script>", "script"),
        ("<style>HUSH</style>", "style"),
        ("<p>a<ruby>b<rt>HUSH</rt></ruby></p>", "ruby"),
        ("<p>wo<span epub:type='pagebreak' id='p1'>HUSH</span>rd</p>", "pagebreak"),
        ("<p>wo<span class='pagenum'>HUSH</span>rd</p>", "pagebreak"),
        ("<p>A line<span class='lnum'>1210</span></p>", "line-number"),
        ("<svg xmlns='http://www.w3.org/2000/svg'><title>HUSH</title></svg>", "svg"),
        ("<nav epub:type='page-list'><ol><li><a href='#p1'>HUSH</a></li></ol></nav>", "page-list"),
        ("<iframe src='x.html'>HUSH</iframe>", "embedded"),
        ("<p>a <img src='x.png' alt='HUSH'/></p>", "image"),
        ("<p><a epub:type='backlink' href='#r1'>HUSH</a></p>", "backlink"),
    ],
)
def test_each_silence_has_a_rule_and_a_count(body: str, rule: str) -> None:
    spoken = " ".join(texts(body + "<p>Read.</p>"))
    assert "HUSH" not in spoken and "1210" not in spoken
    assert silent(body)[rule] == 4


def test_a_drop_cap_that_is_kept_from_screen_readers_is_the_first_letter_of_its_word() -> None:
    """But not where the whole word stands beside it for them."""
    assert texts("<p><span aria-hidden='true'>O</span>nce it rained.</p>") == ["Once it rained."]
    twice = "<p><span aria-hidden='true'>O</span><span class='sr'>Once</span> it rained.</p>"
    assert texts(twice) == ["Once it rained."]
    assert texts("<p><span aria-hidden='true'>❦</span> It rained.</p>") == ["It rained."]


def test_scene_breaks_are_a_pause_and_no_sound() -> None:
    page_ = blocks_of("<p>* * *</p><p>One.</p><p>* * *</p><hr/><p>Two.</p><p>…</p><p>Three.</p><p>.</p>")
    assert [block.kind for block in page_.blocks] == [
        "paragraph",
        "scene_break",
        "paragraph",
        "scene_break",
        "paragraph",
        "scene_break",
    ]


def test_tables_of_data_are_read_by_rows_and_layout_as_text() -> None:
    rows = "<tr><th>Port</th><th>Hour</th></tr><tr><td><p>Hale</p></td><td>4.</td></tr>"
    data = f"<table><caption>Tides</caption>{rows}</table>"
    assert [(b.kind, b.text) for b in blocks_of(data).blocks] == [
        ("caption", "Tides"),
        ("table_row", "Port, Hour"),
        ("table_row", "Hale, 4."),
    ]
    layout = "<table><tr><td><h2>Head</h2><p>Left.</p></td><td><p>Right.</p></td></tr></table>"
    assert texts(layout) == ["Head", "Left.", "Right."]


def test_kinds_come_from_structure() -> None:
    body = (
        "<h3>H</h3><blockquote><p>Q</p></blockquote><ol><li>L</li></ol><pre>x = 1\ny</pre>"
        "<figure><img src='a.png'/><figcaption>F</figcaption></figure>"
        "<section epub:type='z3998:poem'><p><span>One,</span><br/><span>two.</span></p></section>"
        "<div class='stanza'><div class='verse'>Three,</div><div class='verse'>four.</div></div>"
    )
    assert [(b.kind, b.text) for b in blocks_of(body).blocks] == [
        ("heading", "H"),
        ("quotation", "Q"),
        ("list_item", "L"),
        ("code", "x = 1\ny"),
        ("caption", "F"),
        ("verse", "One,\ntwo."),
        ("verse", "Three,\nfour."),
    ]


PROSE = (
    "We, the undersigned, who have read all of the above with care,\n"
    "find nothing in it that we would not sign.\n\nSo be it."
)


@pytest.mark.parametrize(
    ("pre", "expected"),
    [
        ("<pre>if (x &gt; 1) { y(); }</pre>", [("code", "if (x > 1) { y(); }")]),
        ("<pre class='programlisting'>print it\nnow</pre>", [("code", "print it\nnow")]),
        ("<pre><code>print it</code></pre>", [("code", "print it")]),
        ("<pre>Roses are red,\n  violets blue.</pre>", [("verse", "Roses are red,\nviolets blue.")]),
        (
            f"<pre>{PROSE}</pre>",
            [("paragraph", " ".join(piece.split())) for piece in PROSE.split("\n\n")],
        ),
        ("<p>Call <code>f(x)</code> twice.</p>", [("paragraph", "Call f(x) twice.")]),
    ],
)
def test_kept_lines_are_code_verse_or_prose(pre: str, expected: list[tuple[str, str]]) -> None:
    assert [(block.kind, block.text) for block in blocks_of(pre).blocks] == expected


SHIP = "A ship under full sail, seen from the quay."


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (f"<figure><img alt='{SHIP}'/></figure>", None),
        (f"<p>One.</p><div><img alt='{SHIP}'/></div>", None),
        (f"<p>One.</p><img alt='{SHIP}'/><p>Two.</p>", None),
        (f"<figure><img alt='{SHIP}'/><figcaption>The Swan</figcaption></figure>", None),
        ("<figure><img alt='State map of Georgia'/></figure>", None),
        (f"<figure><img alt='{SHIP}'/><figcaption>{SHIP.upper()} 1888</figcaption></figure>", "image-repeats"),
        (f"<p>One <img alt='{SHIP}'/> two.</p>", "image"),
        (f"<div>One.<br/><img alt='{SHIP}'/> two.<p>x</p></div>", "image"),
        (f"<img alt='{SHIP}'/>", "image"),
        ("<figure><img alt='Illustration 3'/></figure>", "image"),
        ("<figure><img alt='Figure 3, plate 12, page ix'/></figure>", "image"),
        ("<figure><img alt='img_0042.jpg'/></figure>", "image"),
        ("<figure><img alt='A dog. Description automatically generated'/></figure>", "image"),
        ("<figure><img alt='The cover of this very book'/></figure>", "image-ornament"),
        ("<figure><img alt='The Nobody Press logo'/></figure>", "image-ornament"),
        (f"<figure class='cover'><img alt='{SHIP}'/></figure>", "image-ornament"),
        (f"<figure><img role='presentation' alt='{SHIP}'/></figure>", "image-ornament"),
        (f"<figure><img alt='{SHIP}'/></figure>" * 3, "image-ornament"),
    ],
)
def test_descriptions_of_pictures_are_read_and_labels_are_not(body: str, rule: str | None) -> None:
    page_ = blocks_of(body)
    captions = [block.text for block in page_.blocks if block.kind == "caption"]
    assert any(text in (SHIP, "State map of Georgia") for text in captions) == (rule is None)
    assert {skip.rule for skip in page_.skipped if skip.rule.startswith("image")} == ({rule} if rule else set())


def test_a_picture_may_be_all_of_a_heading() -> None:
    assert [(b.kind, b.text) for b in blocks_of("<h2><img alt='Chapter One'/></h2><p>x</p>").blocks] == [
        ("heading", "Chapter One"),
        ("paragraph", "x"),
    ]
    assert texts("<h2>One <img alt='A rose'/></h2><h2><img alt='h2.png'/></h2>") == ["One"]


def test_words_cut_at_a_line_end_are_joined_and_compounds_stay() -> None:
    body = "<p>A well-known man was with-\ndrawing, with a well-\nknown air.</p>"
    assert texts(body) == ["A well-known man was withdrawing, with a well-known air."]


def test_ids_lead_to_the_block_they_stand_in_or_before() -> None:
    found = blocks_of(
        '<h2 id="a">One<a id="b"/></h2><a id="c"/><p>x</p><p>y<span id="d">z</span></p>'
        '<p>end<a id="e"/></p><p id="f">g</p>'
    )
    assert {name: found.blocks[index].text for name, index in found.anchors.items()} == {
        "a": "One",
        "b": "One",
        "c": "x",
        "d": "yz",
        "e": "g",
        "f": "g",
    }


def test_element_paths_lead_back_to_the_element() -> None:
    body = "<section><p>a</p></section><section><p>b</p><div><p>c</p></div></section>"
    assert [block.path for block in blocks_of(body).blocks] == [
        "/html/body/section[1]/p[1]",
        "/html/body/section[2]/p[1]",
        "/html/body/section[2]/div[1]/p[1]",
    ]


def test_formulas_speak_their_words_or_are_silent() -> None:
    math = "<p>So <math xmlns='http://www.w3.org/1998/Math/MathML'{}>{}</math> holds.</p>"
    assert texts(math.format(" alttext='a over b'", "<mfrac><mi>a</mi><mi>b</mi></mfrac>")) == ["So a over b holds."]
    assert texts(math.format("", "<mi>x</mi><mo>=</mo><mn>3</mn>")) == ["So x=3 holds."]
    assert texts(math.format("", "<mfrac><mi>a</mi><mi>b</mi></mfrac>")) == ["So holds."]


@pytest.mark.parametrize(
    "body",
    [
        "<div>One.<p>Two<sup>1</sup> &amp; x.</p>Three.<table><tr><td>a</td><td>b</td></tr></table></div>",
        "<p>wo<span epub:type='pagebreak'>12</span>rd<a epub:type='noteref' href='#n'>3</a> <img alt='A ship'/></p>",
        "<pre>a\n b</pre><p>* * *</p><p>so\u00adft</p><aside epub:type='footnote' id='n'><p>Note.</p></aside>",
        "<svg xmlns='http://www.w3.org/2000/svg'><desc>d</desc><g><text>t</text></g></svg><ruby>x<rt>y</rt></ruby>z",
    ],
)
def test_every_character_is_spoken_or_counted(body: str) -> None:
    root, _ = parse_document(page(body).encode())
    assert root is not None
    source = count("".join(root.itertext())) + sum(count(attribute(e, "alt")) for e in root.iter() if tag(e) == "img")
    read = read_page(root, "c.xhtml")
    # The comma between two cells is ours.
    spoken = sum(count(block.text) - (block.kind == "table_row") for block in read.blocks)
    assert spoken + sum(skip.characters for skip in read.skipped) == source


def test_what_begins_a_page_is_no_mark_of_a_page(tmp_path: Path) -> None:
    whole = "It rained on the harbour all day, and nobody came to the old house."
    body = f'<p class="pagebreak">{whole}</p><p>Then<span class="pagenum">[Pg 12]</span> it stopped.</p>'
    book = read_book(build_epub(tmp_path / "b.epub", {"c.xhtml": body}))
    assert [s.text for s in book.chapters[0].sentences] == [whole, "Then it stopped."]


@pytest.mark.parametrize(("name", "kind"), [("screenplay", "verse"), ("codex", "verse"), ("programlisting", "code")])
def test_only_classes_of_code_make_code_of_lines(tmp_path: Path, name: str, kind: str) -> None:
    body = f'<p>Before.</p><pre class="{name}">The rain\nfell down\nall day</pre>'
    book = read_book(build_epub(tmp_path / "b.epub", {"c.xhtml": body}))
    assert book.chapters[0].sentences[-1].kind == kind


def test_a_drop_cap_goes_over_a_heading_to_its_word(tmp_path: Path) -> None:
    body = '<div class="dropcap">W</div><h2>One</h2><p>hen it rained.</p>'
    book = read_book(build_epub(tmp_path / "b.epub", {"c.xhtml": body}))
    assert [s.text for s in book.chapters[0].sentences] == ["One", "When it rained."]
