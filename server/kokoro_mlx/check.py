"""Are the numbers right? A device is trusted for what it computes, not for what it is.

MLX 0.30.1 took matrix kernels that some chips lack and returned noise, in float32 too, because TF32 is on by default.
So before a device may speak, it is asked twice:

- `probe`: each kind of kernel at the sizes of a long pass, against numpy in float64. Needs no model.
- `compare`: the whole model on one tiny input, `read`, against the same computed on a CPU before (`selfcheck.json`
  beside this file for the weights known to it; else the CPU of this machine is asked once).

Axes: T input ids, H halves (12.5 ms), N samples.
"""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import mlx.core as mx
import numpy as np
import numpy.typing as npt

from server.kokoro_mlx import config
from server.kokoro_mlx.model import Kokoro
from server.kokoro_mlx.pace import Pace
from server.kokoro_mlx.source import draw_noise
from server.kokoro_mlx.vocab import encode

Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Made = TypeVar("Made")

NEEDED = (0, 30, 6)  # of mlx: the first release after the one that computed noise in which that is mended
STORED = Path(__file__).with_name("selfcheck.json")

# "his", three times as fast as it is spoken: voiced, unvoiced and silent in 18 frames, and no duration of it is nearer
# than a third of a frame to being rounded the other way. The second block of rows of every convolution is reached.
PHONEMES, SPEED, SEED = "hˈIz.", 3.0, 3
EVERY = 4  # samples of the sound that are compared: one in so many says as much as all, in a quarter of the file

# How far a right answer may be off, as a share of the answer's root mean square. Measured, pitch / energy / sound:
# another number of threads 1e-7 / 1e-7 / 8e-6, products rounded as TF32 does 2e-4 / 3e-4 / 0.03, as bfloat16 does
# 2e-3 / 2e-3 / 0.13; one kind of product or convolution that is noise: sound 0.98 and more.
LIMITS = {"pitch": 1e-3, "energy": 1e-3, "sound": 0.1}
PROBE_LIMIT = 1e-3  # float32 3e-7, TF32 3e-4, bfloat16 2.5e-3, noise 1


class TooOldError(RuntimeError):
    """The installed MLX is known to compute wrong numbers."""


def require(version: str | None = None) -> None:
    """Raise TooOldError when the installed MLX (or the one named) is older than is needed."""
    version = metadata.version("mlx") if version is None else version
    digits = ["".join(c for c in part if c.isdigit()) for part in version.split("+")[0].split(".")[:3]]
    if tuple(int(part or 0) for part in digits) < NEEDED:
        needed = ".".join(map(str, NEEDED))
        raise TooOldError(f"MLX {version} computes wrong numbers on some chips; {needed} or later is needed")


class WrongNumbersError(RuntimeError):
    """The device computes wrong; the message says what, without a capital or a full stop."""


@dataclass(frozen=True)
class Reading:
    """What a model makes of the tiny input: durations in frames (T,), pitch in Hz and energy (H,), sound (N / 4,)."""

    durations: Floats
    pitch: Floats
    energy: Floats
    sound: Floats

    def to_json(self) -> dict[str, str]:
        return {each.name: base64.b64encode(getattr(self, each.name).tobytes()).decode() for each in fields(self)}

    @classmethod
    def from_json(cls, told: dict[str, str]) -> "Reading":
        """Raises KeyError, ValueError or TypeError for what is no reading."""
        return cls(**{each.name: _floats(told[each.name]) for each in fields(cls)})


def use_cpu() -> None:
    """Compute everything from now on on the CPU. Models loaded before stay as they were laid out for their device."""
    mx.set_default_device(mx.cpu)


def on_gpu() -> bool:
    """Whether the default device is a GPU."""
    return bool(mx.default_device().type == mx.DeviceType.gpu)


def has_gpu() -> bool:
    """Whether there is a GPU that MLX can compute on, whatever the default device is."""
    return bool(mx.is_available(mx.gpu))


def on_cpu(work: Callable[[], Made]) -> Made:
    """Do `work` with the CPU as the default device: load a model in it, and it is laid out for the CPU."""
    device = mx.default_device()
    use_cpu()
    try:
        return work()
    finally:
        mx.set_default_device(device)


def read(model: Kokoro) -> Reading:
    """Let the model speak the tiny input, on the device it was loaded for: 0.45 s of audio.

    Raises WrongNumbersError when not even the durations are numbers.
    """
    style = mx.array(_floats(_stored()["style"]))
    pace, ids = Pace(), encode(PHONEMES)
    try:
        prosody = model.prosody(ids, style[config.STYLE :], SPEED, pace)
    except (ValueError, OverflowError) as error:  # a duration that is not finite has no whole number
        raise WrongNumbersError(f"the durations are no numbers ({error})") from error
    noise = draw_noise(config.FRAME_SAMPLES * sum(prosody.pred_dur), SEED)
    audio = model.sound(ids, prosody, model.source(prosody.f0, noise), style[: config.STYLE], pace)
    return Reading(
        np.array(prosody.pred_dur, np.float32),
        np.array(prosody.f0, np.float32)[:, 0],
        np.array(prosody.energy, np.float32)[:, 0],
        np.array(audio, np.float32)[::EVERY],
    )


def compare(found: Reading, expected: Reading) -> None:
    """Raise WrongNumbersError naming what of `found` is not as expected."""
    if not np.array_equal(found.durations, expected.durations):
        raise WrongNumbersError("the durations of phonemes are not those expected")
    for name, limit in LIMITS.items():
        off = distance(getattr(found, name), getattr(expected, name))
        if not off <= limit:  # written so that NaN fails
            raise WrongNumbersError(f"the {name} is off by {off:.1%}, where {limit:.1%} is allowed")


def distance(found: Floats, expected: Floats) -> float:
    """Root mean square of the difference, as a share of that of what was expected; infinite for other lengths."""
    if found.shape != expected.shape:
        return float("inf")
    wanted = expected.astype(np.float64)
    return float(np.sqrt(np.sum((found - wanted) ** 2) / np.sum(wanted**2)))


def stored(weights_sha256: str) -> Reading | None:
    """The CPU's reading for the weights of this SHA-256 (or its first 16 digits), None for weights not known here."""
    told = _stored()["readings"].get(weights_sha256[:16])
    return None if told is None else Reading.from_json(told)


def probe() -> None:
    """Try each kind of kernel on the default device. Raises WrongNumbersError naming the first that computes wrong."""
    random = np.random.default_rng(0)
    for name, attempt in _PROBES.items():
        for off in attempt(random):
            if not off <= PROBE_LIMIT:
                raise WrongNumbersError(f"{name} is off by {off:.1%}, where {PROBE_LIMIT:.1%} is allowed")


def _products(random: np.random.Generator) -> Iterator[float]:
    # Sizes of a long pass: PL-BERT, the decoder, the generator, one step of an LSTM, a vector.
    for rows, inner, columns in ((512, 768, 2304), (700, 1090, 1024), (4200, 128, 128), (2, 256, 1024), (1, 128, 1024)):
        a, b = _normal(random, rows, inner), _normal(random, inner, columns)
        bias = _normal(random, columns)
        # A sum of columns with random signs is off when any column is, and costs numpy next to nothing.
        signs = random.choice((-1.0, 1.0), columns)
        wanted = a.astype(np.float64) @ (b @ signs)
        yield _off(np.array(mx.array(a) @ mx.array(b)) @ signs, wanted)
        yield _off(np.array(mx.addmm(mx.array(bias), mx.array(a), mx.array(b))) @ signs, wanted + bias @ signs)


def _convolutions(random: np.random.Generator) -> Iterator[float]:
    if not on_gpu():
        return  # made of matrix products there: see `conv`
    for taps, dilation, channels in ((3, 1, 256), (7, 3, 128), (11, 5, 128), (11, 1, 256)):
        x, weight = _normal(random, 1500, channels), _normal(random, channels, taps, channels)
        reach = dilation * (taps - 1) // 2
        found = mx.conv1d(mx.array(x)[None], mx.array(weight), padding=reach, dilation=dilation)[0]
        signs = random.choice((-1.0, 1.0), channels)
        summed = np.einsum("okc,o->kc", weight, signs)
        padded = np.pad(x.astype(np.float64), ((reach, reach), (0, 0)))
        parts = [padded[k * dilation : k * dilation + len(x)] @ summed[k] for k in range(taps)]
        yield _off(np.array(found) @ signs, np.sum(parts, axis=0))


def _functions(random: np.random.Generator) -> Iterator[float]:
    x, y = 3 * _normal(random, 5000), _normal(random, 5000)
    for ours, numpys in ((mx.exp, np.exp), (mx.sin, np.sin), (mx.cos, np.cos), (mx.tanh, np.tanh)):
        yield _off(np.array(ours(mx.array(x))), numpys(x.astype(np.float64)))
    yield _off(np.array(mx.sigmoid(mx.array(x))), 1 / (1 + np.exp(-x.astype(np.float64))))
    yield _off(np.array(mx.rsqrt(mx.array(x * x + 1))), 1 / np.sqrt(x.astype(np.float64) ** 2 + 1))
    yield _off(np.array(mx.arctan2(mx.array(y), mx.array(x))), np.arctan2(y.astype(np.float64), x))


_PROBES: dict[str, Callable[[np.random.Generator], Iterator[float]]] = {
    "the matrix product": _products,
    "the convolution": _convolutions,
    "an elementary function": _functions,
}


def _off(found: npt.NDArray[np.floating], wanted: Doubles) -> float:
    return float(np.sqrt(np.mean((found - wanted) ** 2) / np.mean(wanted**2)))


def _normal(random: np.random.Generator, *shape: int) -> Floats:
    return random.standard_normal(shape, dtype=np.float32)


def _floats(text: str) -> Floats:
    return np.frombuffer(base64.b64decode(text), np.float32)


@cache
def _stored() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(STORED.read_bytes())
    return told
