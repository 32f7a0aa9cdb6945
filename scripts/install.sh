#!/bin/sh
# Makes .venv and installs the pinned packages into it. `install.sh run` for listening, `install.sh dev` for tests too.
# Says nothing and needs no network when there is nothing to do.
#
# .venv/.lectern-run and .venv/.lectern-dev hold a fingerprint of what was asked for when the install ended well.
# .venv/.installing stands while packages are being laid down; one that is found at the start means that an install
# was cut short, and a half-laid package can look whole to pip, so that .venv is made again.
set -u
cd "$(dirname "$0")/.." || exit 1

case "${1:-}" in
    run) what="Lectern's packages"; target="." ;;
    dev) what="Lectern's packages and the tools for tests"; target=".[dev]" ;;
    *) echo "usage: install.sh run|dev" >&2; exit 2 ;;
esac
stamp=".venv/.lectern-$1"
busy=".venv/.installing"
here="$(pwd)"
python=".venv/bin/python"

fingerprint() { # the folder counts: a .venv does not survive a move
    printf '%s %s\n' "$(cat pyproject.toml constraints.txt | cksum)" "$here"
}

works() { # a .venv that somebody else made here is as good
    [ ! -e "$busy" ] && [ "$(cat .venv/.made 2>/dev/null || echo "$here")" = "$here" ] &&
        "$python" -c 'import pip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null
}

explain() {
    if [ -n "${LECTERN_PYTHON:-}" ]; then
        echo "LECTERN_PYTHON is '$LECTERN_PYTHON', which is no Python 3.12 or 3.11 with venv and pip."
    elif [ "$(uname -s)" = Darwin ] && [ "$(uname -m)" != arm64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" != 1 ]; then
        echo "Lectern needs a Mac with Apple Silicon (M1 or later); this one has an Intel chip."
    elif [ "$(uname -s)" = Darwin ]; then
        echo "Lectern needs Python 3.12 or 3.11. Get one with: brew install python@3.12 (or from https://www.python.org/downloads/), then try again."
    elif command -v python3.11 >/dev/null 2>&1 || command -v python3.12 >/dev/null 2>&1; then
        echo "Python is here, but its venv module is missing. Get it with: sudo apt install python3-venv, then try again."
    else
        echo "Lectern needs Python 3.12 or 3.11. Get one with: sudo apt install python3 python3-venv (or install uv, which brings its own), then try again."
    fi
}

make_venv() {
    rm -rf .venv
    chosen="$(sh scripts/find-python.sh)"
    if command -v uv >/dev/null 2>&1 && [ -z "${LECTERN_PYTHON:-}" ]; then
        # --seed puts pip inside: doctor and the voice packages use it.
        uv venv --quiet --seed --python "${chosen:-3.12}" .venv 2>/dev/null || rm -rf .venv
    fi
    if [ ! -e "$python" ]; then
        if [ -z "$chosen" ]; then
            explain >&2
            exit 1
        fi
        if ! "$chosen" -m venv .venv; then
            rm -rf .venv
            echo "Python's venv module could not make .venv here; is the disk full or the folder write-protected?" >&2
            exit 1
        fi
    fi
    printf '%s\n' "$here" >.venv/.made
    echo "Made .venv with $("$python" -V 2>&1)."
}

if [ ! -e "$busy" ] && [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ] && "$python" -c '' 2>/dev/null; then
    exit 0
fi

works || make_venv
: >"$busy"
# pip and uv undo what they began when they fail by themselves; only a kill leaves the mark standing.
trap 'echo "Stopped; the next try starts afresh." >&2; exit 130' INT TERM HUP
"$python" scripts/install_packages.py "$what" constraints.txt "$target"
result=$?
[ "$result" -gt 128 ] && exit "$result"
rm -f "$busy"
[ "$result" -ne 0 ] && exit 1
[ "$1" = dev ] && fingerprint >.venv/.lectern-run
fingerprint >"$stamp.new" && mv "$stamp.new" "$stamp"
