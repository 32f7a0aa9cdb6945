from pathlib import Path

import numpy as np
import pytest

from server.errors import SetupError
from server.kokoro_mlx.voices import load_voices
from server.setup.pins import HUB_VOICES_SHA256, PINNED
from server.setup.voices import content_sha256, read_voice
from tests.unit.setup.conftest import TorchZip

# SHA-256 column of VOICES.md in hexgrad/Kokoro-82M.
PUBLISHED = """
af_heart 0ab5709b af_alloy 6d877149 af_aoede c03bd1a4 af_bella 8cb64e02 af_jessica cdfdccb8 af_kore 8bfbc512
af_nicole c5561808 af_nova e0233676 af_river e149459b af_sarah 49bd364e af_sky c799548a am_adam ced7e284
am_echo 8bcfdc85 am_eric ada66f0e am_fenrir 98e507ec am_liam c8255075 am_michael 9a443b79 am_onyx e8452be1
am_puck dd1d8973 am_santa 7f2f7582 bf_alice d292651b bf_emma d0a423de bf_isabella cdd4c370 bf_lily 6e09c2e4
bm_daniel fc3fce4e bm_fable d44935f3 bm_george f1bc8122 bm_lewis b5204750 jf_alpha 1bf4c9dc
jf_gongitsune 1b171917 jf_nezumi d83f007a jf_tebukuro 0d691790 jm_kumo 98340afd zf_xiaobei 9b76be63
zf_xiaoni 95b49f16 zf_xiaoxiao cfaf6f2d zf_xiaoyi b5235dba zm_yunjian 76cbf8ba zm_yunxi dbe6e1ce
zm_yunxia bb2b03b0 zm_yunyang 5238ac22 ef_dora d9d69b0f em_alex 5eac53f7 em_santa aa8620cb ff_siwis 8073bf2d
hf_alpha 06906fe0 hf_beta 63c0a1a6 hm_omega b55f02a8 hm_psi 2f0f055c if_sara 6c0b253b im_nicola 234ed066
pf_dora 07e4ff98 pm_alex cf0ba8c5 pm_santa d4210316
""".split()


def test_the_pinned_sums_begin_as_published() -> None:
    published = dict(zip(PUBLISHED[::2], PUBLISHED[1::2], strict=True))
    assert {name: sha256[:8] for name, sha256 in HUB_VOICES_SHA256.items()} == published
    assert all(len(sha256) == 64 and int(sha256, 16) >= 0 for sha256 in HUB_VOICES_SHA256.values())
    assert len(PINNED.voices) == 54


@pytest.fixture
def voice() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((510, 256), np.float32)


def test_the_forms_of_a_voice_are_the_same_voice(voice: np.ndarray, tmp_path: Path, torch_zip: TorchZip) -> None:
    (tmp_path / "v.bin").write_bytes(voice.tobytes())
    (tmp_path / "v.pt").write_bytes(torch_zip(voice[:, None, :]))
    for suffix in (".bin", ".pt"):
        np.testing.assert_array_equal(read_voice(tmp_path / f"v{suffix}"), voice)


def test_a_voice_with_a_hole_is_refused(voice: np.ndarray, tmp_path: Path) -> None:
    voice[3, 4] = np.nan
    (tmp_path / "v.bin").write_bytes(voice.tobytes())
    with pytest.raises(SetupError, match=r"v\.bin is not a voice .*not finite"):
        read_voice(tmp_path / "v.bin")


def test_another_shape_or_no_table_is_refused(tmp_path: Path, torch_zip: TorchZip) -> None:
    (tmp_path / "v.pt").write_bytes(torch_zip(np.zeros((512, 1, 256), np.float32)))
    with pytest.raises(SetupError, match="is not a voice"):
        read_voice(tmp_path / "v.pt")
    (tmp_path / "v.pt").write_bytes(torch_zip({"no": 1}))
    with pytest.raises(SetupError, match="holds no table"):
        read_voice(tmp_path / "v.pt")
    (tmp_path / "v.bin").write_bytes(b"\0" * 524_288)
    with pytest.raises(SetupError, match="524,288 bytes instead of 522,240"):
        read_voice(tmp_path / "v.bin")


def test_the_sum_over_voices_knows_names_and_numbers(voice: np.ndarray) -> None:
    one = content_sha256({"a": voice, "b": voice + 1})
    assert one == content_sha256({"b": voice + 1, "a": voice})
    assert one != content_sha256({"b": voice, "a": voice + 1})


@pytest.mark.speech
def test_the_installed_voices_are_the_pinned_ones(models: Path) -> None:
    assert content_sha256(load_voices(models / "voices.safetensors")) == PINNED.voices_content_sha256
