"""The audition: the same text in several voices, from several engines, and what somebody thinks of them."""

import re
from typing import Annotated, Final, Literal

from litestar import Response, delete, get, post, put, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter

from server.api.audio import PARTS
from server.api.audition_views import (
    AnswerIn,
    AuditionView,
    BlindIn,
    EngineView,
    EngineVoiceView,
    OpinionIn,
    Opinions,
    PairView,
    PassageView,
    TakeIn,
    TakeView,
    TakeWord,
    opinions_view,
)
from server.api.common import Call, House, off_loop
from server.api.household import API, Household
from server.api.media import IMMUTABLE, Media, OpenFile
from server.api.previews import PreviewIn
from server.api.problems import documented
from server.api.ranges import Entity
from server.audition.opinions import Opinion
from server.audition.passages import PAIRS, PASSAGES
from server.audition.stage import Audition, Heard, Troupe
from server.errors import BadRequest, NotFound, StoreError
from server.render.index import SAMPLE_RATE

_NAME: Final = re.compile(r"[0-9a-f]{32}\.wav")
WAV: Final = "audio/wav"
WAV_PARTS: Final = {
    206: ResponseSpec(bytes, generate_examples=False, description="The bytes asked for.", media_type=WAV),
    304: PARTS[304],
}
TakeName = Annotated[str, PathParameter(description="Its name, then `.wav`.", pattern=r"\.wav$")]
Scores = Annotated[Literal["blind", "pairs"], QueryParameter(description="Which of them.")]


@get("/audition", summary="What there is to audition", tags=["audition"], responses=documented())
async def get_audition(house: House) -> AuditionView:
    """Passages, engines, and what is thought of voices so far."""
    troupes = await house.audition.troupes()
    told = await off_loop(house.audition.opinions.read)
    return AuditionView(
        passages=[PassageView(id=p.id, title=p.title, listen_for=p.listen_for, text=p.text) for p in PASSAGES],
        minimal_pairs=[PairView(id=pair.id, kind=pair.kind, words=pair.words) for pair in PAIRS],
        engines=[_engine(troupe) for troupe in troupes],
        voice=house.settings.voice,
        **opinions_view(told).model_dump(),
    )


@post(
    "/audition/takes",
    summary="Have a text said by a voice of any engine",
    tags=["audition"],
    status_code=200,
    responses=documented(403, 404, 409, 413, 422, 503, 507),
)
async def make_take(house: House, data: JSONBody[TakeIn]) -> TakeView:
    """Goes before all rendering; nothing of it is kept in the store."""
    if not data.text.strip():
        raise BadRequest("There is no text to say.")
    if data.book is not None:
        await off_loop(house.store.book, data.book)
    if (found := house.audition.engine_of(data.voice)) is not None:
        engine, voice = found
        return _foreign(data.voice, await house.audition.say(engine, voice, data.text))
    return await _own(house, data)


@route(
    "/audition/takes/{take:str}",
    http_method=["GET", "HEAD"],
    summary="The sound of another engine's take",
    tags=["audition"],
    media_type=WAV,
    responses={**documented(404, 412, 416), **WAV_PARTS},
)
async def get_take(request: Call, house: House, take: TakeName) -> Response[bytes]:
    """WAV, byte ranges."""
    if _NAME.fullmatch(take) is None:
        raise NotFound("There is no such take.")
    file = await off_loop(_open_take, house.audition, take.removesuffix(".wav"))
    return Media(request, Entity(file.size_bytes, f'"{take}"'), file.read, WAV, IMMUTABLE)


@put(
    "/audition/opinions",
    summary="Say what you think of a voice",
    tags=["audition"],
    responses=documented(403, 404, 409, 413, 507),
)
async def put_opinion(house: House, data: JSONBody[OpinionIn]) -> Opinions:
    """Stars, a note, a favourite: in place of what was said of that voice before."""
    opinion = Opinion(stars=data.stars, note=data.note.strip(), favourite=data.favourite)
    return opinions_view(await off_loop(house.audition.opinions.think, data.voice, opinion))


@post(
    "/audition/blind",
    summary="Keep the result of a blind round",
    tags=["audition"],
    status_code=200,
    responses=documented(403, 404, 409, 413, 507),
)
async def add_blind(house: House, data: JSONBody[BlindIn]) -> Opinions:
    """Counted for every voice that was heard."""
    return opinions_view(await off_loop(house.audition.opinions.judge, data.heard, data.won))


@post(
    "/audition/answers",
    summary="Keep an answer: question or statement",
    tags=["audition"],
    status_code=200,
    responses=documented(403, 404, 409, 413, 507),
)
async def add_answer(house: House, data: JSONBody[AnswerIn]) -> Opinions:
    """Counted for the voice that said it, and for how the sentence is built."""
    pair = next((one for one in PAIRS if one.id == data.pair), None)
    if pair is None:
        raise NotFound("There is no such pair of sentences.")
    right = data.question == data.taken
    return opinions_view(await off_loop(house.audition.opinions.answer, data.voice, pair.kind, right))


@delete(
    "/audition/scores",
    summary="Begin to count anew",
    tags=["audition"],
    status_code=200,
    responses=documented(403, 507),
)
async def delete_scores(house: House, what: Scores) -> Opinions:
    """Stars and notes stay."""
    return opinions_view(await off_loop(house.audition.opinions.forget_scores, what))


def _engine(troupe: Troupe) -> EngineView:
    told = troupe.engine.declared
    voices = [
        EngineVoiceView(voice=f"{told.id}:{one.id}", name=one.name, language=one.language) for one in troupe.voices
    ]
    return EngineView(
        id=told.id,
        name=told.name,
        word_times=told.word_times,
        pronunciation=told.pronunciation,
        trouble=troupe.trouble,
        voices=voices,
    )


async def _own(house: Household, asked: TakeIn) -> TakeView:
    made = await house.preview(
        PreviewIn(text=asked.text, voice=asked.voice, book=asked.book, speed=asked.speed, inline=False)
    )
    words, at, timed = [], 0, True
    for sentence in made.sentences:
        at, index = _found(asked.text, sentence.sentence, at)
        timed = timed and bool(sentence.words)
        words += [
            TakeWord(
                char_start=index[word.char_start],
                char_end=index[word.char_end - 1] + 1,
                start_s=word.start_s,
                end_s=word.end_s,
            )
            for word in sentence.words
            if word.start_s is not None and word.end_s is not None and word.char_end > word.char_start
        ]
    return TakeView(voice=made.voice, audio=str(made.audio), audio_s=made.audio_s, timed=timed, words=words)


def _found(text: str, sentence: str, start: int) -> tuple[int, list[int]]:
    """Where a sentence, whose white space was made single spaces, ends in `text`, and where each of its characters is.

    `sentence` has code points of its own; the list gives for each the code point of `text`.
    """
    at, places = start, []
    for char in sentence:
        if char.isspace():
            places.append(at)
            while at < len(text) and text[at].isspace():
                at += 1
            continue
        while at < len(text) - 1 and text[at] != char:
            at += 1
        places.append(min(at, len(text) - 1))
        at += 1
    return at, places


def _foreign(voice: str, heard: Heard) -> TakeView:
    return TakeView(
        voice=voice,
        audio=f"{API}/audition/takes/{heard.name}.wav",
        audio_s=heard.samples / SAMPLE_RATE,
        timed=heard.timed,
        words=[
            TakeWord(
                char_start=one.char_start,
                char_end=one.char_end,
                start_s=one.start / SAMPLE_RATE,
                end_s=one.end / SAMPLE_RATE,
            )
            for one in heard.words
        ],
    )


def _open_take(audition: Audition, name: str) -> OpenFile:
    try:
        return OpenFile(audition.path(name))
    except FileNotFoundError:
        raise NotFound("This take is no longer kept; ask for it again.") from None
    except OSError as error:
        raise StoreError(f"{audition.path(name)} cannot be read.") from error
