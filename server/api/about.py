"""About: which Lectern this is, under which licence, and what else is installed with it."""

import functools
import platform
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

from litestar import get
from pydantic import Field

from server import __version__
from server.api.common import House, off_loop
from server.api.problems import documented
from server.api.view import View
from server.config import Settings
from server.errors import SetupError
from server.setup.manifest import read_manifest

LICENCE: Final = "AGPL-3.0-or-later"
UNTOLD: Final = "not told by the package"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LONGEST: Final = 60  # characters: some packages put the whole text of their licence there


class PackageView(View):
    """A package that Lectern uses."""

    name: str
    version: str
    licence: str


class ModelView(View):
    """The voice's model, as it is installed."""

    name: str
    licence: str
    source: str = Field(description="Where it was taken from: `hub`, `packages` or a folder.")
    revision: str


class AboutView(View):
    """This Lectern."""

    version: str
    licence: str
    python: str
    system: str
    model: ModelView | None = Field(description="Null while no model is installed.")
    packages: list[PackageView] = Field(description="All that it needs, and what that needs, by name.")


@get("/about", summary="Version, licences, and what is installed", tags=["house"], responses=documented())
async def get_about(house: House) -> AboutView:
    """As the installed packages tell it themselves."""
    return AboutView(
        version=__version__,
        licence=LICENCE,
        python=platform.python_version(),
        system=f"{'macOS' if sys.platform == 'darwin' else platform.system()}, {platform.machine()}",
        model=await off_loop(_model, house.settings),
        packages=list(await off_loop(installed)),
    )


def _model(settings: Settings) -> ModelView | None:
    try:
        found = read_manifest(settings.models)
    except SetupError:
        return None
    source = "a folder" if found.source.startswith("dir") else found.source
    return ModelView(name="Kokoro-82M", licence=found.licence, source=source, revision=found.revision)


@functools.cache
def installed(root: str = "lectern") -> tuple[PackageView, ...]:
    """The packages that `root` needs here and those that they need, by name; without `root` itself."""
    found: dict[str, PackageView] = {}
    wanted, seen = [root], set[str]()
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or for an extra that nobody asked for
        if name != root:
            found[name] = PackageView(name=str(package.name), version=str(package.version), licence=licence_of(package))
        needs = [line for line in package.requires or [] if "extra ==" not in line]
        wanted += [match[0] for line in needs if (match := _NAME.match(line)) is not None]
    return tuple(found[name] for name in sorted(found))


def licence_of(package: Distribution) -> str:
    """The licence in one line, as a package tells it: its expression, else its name, else its class."""
    told = package.metadata
    if "License-Expression" in told:
        return told["License-Expression"]
    classes = [line.split(" :: ")[-1] for line in told.get_all("Classifier") or [] if line.startswith("License ::")]
    named = " ".join(told["License"].split()) if "License" in told else ""
    if named and len(named) <= _LONGEST:
        return named
    return ", ".join(classes) or (f"{named[:_LONGEST].rstrip()} …" if named else UNTOLD)
