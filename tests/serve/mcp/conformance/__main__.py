"""python -m tests.serve.mcp.conformance [--url URL] [--stdio COMMAND] [--require]

Runs the conformance scenarios a product can pass, in both eras, those of the transport against a fixture on the same bridge,
and the Inspector over HTTP and stdio. Without --url and
--stdio Iris is started over homes of its own. Without npm nothing is run and the reason is said; --require makes that a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.serve.mcp.conformance.tools import Missing, Tools, find_tools

ROOT = Path(__file__).parents[4]
EXPECTED = Path(__file__).with_name("expected.yml")
SCENARIOS: dict[str, tuple[str, ...]] = {
    "2025-11-25": (
        "server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list", "prompts-list",
        "server-sse-multiple-streams", "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "server-stateless", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams",
        "dns-rebinding-protection", "sep-2164-resource-not-found", "caching", "http-header-validation",
        "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    ),
}  # fmt: skip

TALK = (
    "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
    "tools-call-mixed-content", "tools-call-error", "tools-call-with-progress", "resources-read-text",
    "resources-read-binary", "resources-templates-read", "prompts-get-simple", "prompts-get-with-args",
)  # fmt: skip
ASK = ("tools-call-sampling", "tools-call-elicitation")
"""Scenarios in which the server sends requests of its own: only before 2026-07-28."""
FIXTURE = {"2025-11-25": TALK + ASK, "2026-07-28": TALK}


def main() -> int:
    """Run everything; give the number of failures, at most 1."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--url")
    given.add_argument("--stdio", default=f"{sys.executable} -m iris")
    given.add_argument("--require", action="store_true")
    args = given.parse_args()
    try:
        tools = find_tools()
    except Missing as error:
        print(f"conformance: skipped, {error}")
        return int(args.require)
    with tempfile.TemporaryDirectory() as home, serving("live", args.url, home) as url, serving("conformance.fixture") as fixture:
        failed = [name for name in run_scenarios(tools, url, SCENARIOS) if name]
        failed += [name for name in run_scenarios(tools, fixture, FIXTURE) if name]
        failed += [name for name in run_inspector(tools, url, args.stdio, home) if name]
    print(f"conformance: {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    return min(len(failed), 1)


@contextmanager
def serving(module: str, url: str | None = None, home: str = "") -> Iterator[str]:
    """Give the address of the server, started when none is given."""
    if url is not None:
        yield url
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", f"tests.serve.mcp.{module}", str(port)]
    environ = {**os.environ, "IRIS_HOME": f"{home}/http"}
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        yield f"http://127.0.0.1:{port}/mcp"
        server.communicate()


def run_scenarios(tools: Tools, url: str, scenarios: dict[str, tuple[str, ...]]) -> Iterator[str | None]:
    """Run each scenario; give the name of one that failed."""
    for version, names in scenarios.items():
        for name in names:
            options = ["--scenario", name, "--spec-version", version, "--expected-failures", str(EXPECTED)]
            yield _run(tools, f"{name} {version}", [tools.node, tools.suite, "server", "--url", url, *options])


def run_inspector(tools: Tools, url: str, stdio: str, home: str) -> Iterator[str | None]:
    """Drive the server with the Inspector over both transports and in both eras."""
    targets = {"http legacy": [url, "--transport", "http", "--protocol-era", "legacy"]}
    targets |= {
        "http modern": [url, "--transport", "http", "--protocol-era", "modern"],
        "stdio": ["-e", f"IRIS_HOME={home}/stdio", *shlex.split(stdio)],
    }
    methods: dict[str, list[str]] = {
        "tools/list": ["--strict"],
        "tools/call": [
            "--tool-name",
            "log_trace",
            "--tool-args-json",
            json.dumps({"agent_name": "inspector", "output": "Done."}),
        ],
        "resources/read": ["--uri", "iris://capabilities"],
        "prompts/get": ["--prompt-name", "evaluate-my-agent"],
    }
    for target, address in targets.items():
        for method, options in methods.items():
            command = [tools.node, tools.inspector, "--cli", *address, "--method", method, "--format", "json", *options]
            yield _run(tools, f"inspector {target} {method}", command)


def _run(tools: Tools, name: str, command: list[str]) -> str | None:
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=tools.environ(), stdin=subprocess.DEVNULL)
    print(f"{'ok    ' if run.returncode == 0 else 'FAILED'} {name}", flush=True)
    if run.returncode == 0:
        return None
    print((run.stdout + run.stderr)[-3000:])
    return name


if __name__ == "__main__":
    sys.exit(main())
