"""The whole model: phonemes and a voice → audio, with the duration of every phoneme.

ids ─▶ PL-BERT ─▶ durations ──────────┐
 │                                    ▼ (each position repeated for its frames)
 └──▶ text encoder ─────────────▶ aligned text ─▶ decoder ─▶ generator ─▶ audio
                              aligned prosody ─▶ F0, energy ─▲       ▲
                                                  F0 ─▶ source ──────┘
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import numpy as np
import numpy.typing as npt

from server.kokoro_mlx import blas, config, params
from server.kokoro_mlx.albert import Albert
from server.kokoro_mlx.decoder import Decoder
from server.kokoro_mlx.device import native
from server.kokoro_mlx.generator import Generator
from server.kokoro_mlx.layers import Linear
from server.kokoro_mlx.pace import Pace, Steps, Stopped
from server.kokoro_mlx.params import Params
from server.kokoro_mlx.prosody import Curves, Durations, whole_frames
from server.kokoro_mlx.safetensors import Array
from server.kokoro_mlx.source import Source, draw_noise
from server.kokoro_mlx.stft import Spectrum
from server.kokoro_mlx.text_encoder import TextEncoder
from server.kokoro_mlx.vocab import encode
from server.kokoro_mlx.voices import as_table

__all__ = ["Kokoro", "Pass", "Prosody", "Stopped", "Take", "load"]

Floats = npt.NDArray[np.float32]

# Of freed buffers kept for reuse. MLX keeps as many as there is memory otherwise.
CACHE_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Take:
    """One rendered pass. `pred_dur` has a number of frames for each input id, the two pads included.

    `audio` is float32 at 24 kHz and exactly `600 * sum(pred_dur)` samples long.
    """

    audio: Floats
    pred_dur: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """What is to be spoken: `phonemes` (1 to 510 symbols) in `voice` (510, 256). The same gives the same bits."""

    phonemes: str
    voice: Array
    speed: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Prosody:
    """How a pass will be spoken, before any sound. Axes: T positions, F frames, H = 2F halves."""

    pred_dur: tuple[int, ...]  # T
    position: mx.array  # (F,): which input id each frame belongs to
    f0: mx.array  # (H, 1), Hz
    energy: mx.array  # (H, 1)


class Kokoro:
    """Kokoro-82M v1.0. Not for several threads at once: one thread owns the device."""

    def __init__(self, tensors: Params) -> None:
        predictor, decoder = tensors.at("predictor"), tensors.at("decoder")
        generator = decoder.at("generator")
        self._albert, self._bert_encoder = Albert(tensors.at("bert")), Linear(tensors.at("bert_encoder"))
        self._text_encoder = TextEncoder(tensors.at("text_encoder"))
        self._durations, self._curves = Durations(predictor), Curves(predictor)
        self._decoder = Decoder(decoder)
        self._source, self._spectrum = Source(generator.at("m_source")), Spectrum()
        self._generator = Generator(generator, self._spectrum)
        self._streams: list[mx.Stream] = []

    def render(
        self,
        phonemes: str,
        voice: Array,
        speed: float = 1.0,
        seed: int = 0,
        stop: Callable[[], bool] | None = None,
    ) -> Take:
        """Speak `phonemes` (1 to 510 symbols) in `voice` (510, 256); the same arguments give the same bits.

        `stop` is asked before each evaluation, of which a second of audio has about sixty. Raises PhonemesError on
        phonemes the model cannot read, WeightsError on a voice of another shape, ValueError on a speed that is not
        positive, Stopped when stopped.
        """
        return self.render_together([Pass(phonemes, voice, speed, seed)], stop)[0]

    def render_together(self, passes: Sequence[Pass], stop: Callable[[], bool] | None = None) -> list[Take]:
        """Speak several passes at the same time, with the bits that each alone would have.

        On a CPU each has a thread of its own, so give as many as there are cores, of about the same length, to a model
        loaded with one thread; weights are shared. On a GPU all are computed in the same evaluations. Raises as
        `render`; then none of them is kept.
        """
        prepared = [self._steps(given) for given in passes]
        try:
            return Pace(stop).together(prepared, self._streams_for(len(passes)))
        finally:
            mx.clear_cache()

    def _streams_for(self, count: int) -> Sequence[mx.Stream]:
        if count == 1 or native():
            return ()
        while len(self._streams) < count:
            self._streams.append(mx.new_stream(mx.cpu))
        return self._streams[:count]

    def _steps(self, given: Pass) -> Steps[Take]:
        ids = encode(given.phonemes)
        if not given.speed > 0:
            raise ValueError(f"the speed must be above zero, not {given.speed}")
        style = mx.array(as_table("given", given.voice)[len(given.phonemes) - 1])
        return self._taken(ids, style, given.speed, given.seed)

    def _taken(self, ids: tuple[int, ...], style: mx.array, speed: float, seed: int) -> Steps[Take]:
        prosody = yield from self._prosody(ids, style[config.STYLE :], speed)
        samples = config.FRAME_SAMPLES * sum(prosody.pred_dur)
        source = self.source(prosody.f0, draw_noise(samples, seed))
        audio = yield from self._sound(ids, prosody, source, style[: config.STYLE])
        return Take(np.array(audio), prosody.pred_dur)

    def prosody(self, ids: tuple[int, ...], style: mx.array, speed: float, pace: Pace) -> Prosody:
        """Durations, F0 and energy from input ids (T,) and the prosodic half of a style vector (128,)."""
        return pace.run(self._prosody(ids, style, speed))

    def _prosody(self, ids: tuple[int, ...], style: mx.array, speed: float) -> Steps[Prosody]:
        meant = yield from self._albert.steps(mx.array(ids))
        features = self._durations.features(self._bert_encoder(meant), style)
        expected = self._durations.expected(features, speed)
        yield features, expected
        pred_dur = whole_frames(expected)
        position = mx.array(np.repeat(np.arange(len(ids)), pred_dur))
        shared = self._curves.shared(features[position])
        yield (shared,)
        f0, energy = self._curves.f0(shared, style), self._curves.energy(shared, style)
        yield f0, energy
        return Prosody(pred_dur, position, f0, energy)

    def source(self, f0: mx.array, noise: Floats) -> mx.array:
        """The spectrum of the harmonic source (60H + 1, 22), from F0 (H, 1) and noise (300H, 9)."""
        return self._spectrum.analyse(self._source(np.array(f0)[:, 0], noise))

    def sound(self, ids: tuple[int, ...], prosody: Prosody, source: mx.array, style: mx.array, pace: Pace) -> mx.array:
        """Audio (600F,) from all that prosody decided and the decoder's half of a style vector (128,)."""
        return pace.run(self._sound(ids, prosody, source, style))

    def _sound(self, ids: tuple[int, ...], prosody: Prosody, source: mx.array, style: mx.array) -> Steps[mx.array]:
        text = self._text_encoder(mx.array(ids))[prosody.position]
        yield text, source
        features = yield from self._decoder.steps(text, prosody.f0, prosody.energy, style)
        return (yield from self._generator.steps(features, source, style))


def load(weights: Path, *, threads: int = 1) -> Kokoro:
    """The model from a file that `weights.save` wrote, computing on `threads` CPU threads where there is no GPU.

    Raises WeightsError when the file does not hold the model, FileNotFoundError when there is none.
    """
    blas.keep_buffers()
    blas.set_threads(threads)
    mx.set_cache_limit(CACHE_BYTES)
    return Kokoro(params.load(weights))
