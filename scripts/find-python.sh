#!/bin/sh
# Prints the path of a Python that Lectern can use (3.12 or 3.11). Exits 1 when there is none, and says nothing:
# install.sh knows the way out. LECTERN_PYTHON names one outright.

# MLX has wheels for arm64 alone on macOS, so a Python that runs under Rosetta does not fit.
fits() {
    [ -n "$1" ] && "$1" - >/dev/null 2>&1 <<'PY'
import ensurepip, platform, sys, venv
right_version = (3, 11) <= sys.version_info[:2] <= (3, 12)
right_chip = sys.platform != "darwin" or platform.machine() == "arm64"
sys.exit(0 if right_version and right_chip else 1)
PY
}

offer() {
    if fits "$1"; then
        printf '%s\n' "$1"
        exit 0
    fi
}

if [ -n "${LECTERN_PYTHON:-}" ]; then
    offer "$LECTERN_PYTHON"
    exit 1
fi

for version in 3.12 3.11; do
    offer "$(command -v "python$version" 2>/dev/null)"
    offer "/opt/homebrew/bin/python$version"
    offer "/opt/homebrew/opt/python@$version/bin/python$version"
    offer "/Library/Frameworks/Python.framework/Versions/$version/bin/python$version"
    offer "/usr/local/bin/python$version"
    offer "/usr/bin/python$version"
done
offer "$(command -v python3 2>/dev/null)"
offer "$(command -v python 2>/dev/null)"
for version in 3.12 3.11; do
    for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
        offer "$python"
    done
done
if command -v uv >/dev/null 2>&1; then
    offer "$(uv python find --no-project '>=3.11,<3.13' 2>/dev/null)"
fi
exit 1
