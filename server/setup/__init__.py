"""Getting the model: `run_setup` installs it, the checks say whether all that speech needs is there."""

from server.setup.install import run_setup
from server.setup.manifest import Manifest, check_models
from server.setup.progress import Progress
from server.setup.texttools import ToolCheck, check_text_tools

__all__ = ["Manifest", "Progress", "ToolCheck", "check_models", "check_text_tools", "run_setup"]
