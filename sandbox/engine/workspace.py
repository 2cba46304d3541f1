"""The engine's surroundings in a sandbox: project copy, environment, stack.

The program and the stack file are the user's; only what a laptop lacks is replaced: the state lives in a
local folder, `gcp` is the simulated provider, installs come from local charts and manifests, and
secrets of the stack file, which only the user's own secrets provider can open, become a placeholder.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import secrets
import shlex
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from pulumi import automation

from pathways.settings import StackSettings, read_stack_file
from sandbox.home import PROJECT, Home
from sandbox.pathways_job import INSTALL_MANIFEST
from sandbox.toolchain import Toolchain

PLACEHOLDER_SECRET = "a secret of the stack file, unknown to the sandbox"


def copy_project_file(home: Home) -> None:
    """Writes the sandbox's own copy of the project's file."""
    shutil.copyfile(PROJECT / "Pulumi.yaml", home.project / "Pulumi.yaml")


def copy_stack_file(home: Home, stack_file: Path, settings: StackSettings, toolchain: Toolchain) -> None:
    """Writes the sandbox's own copy of the stack file; the user's is never written."""
    content = without_secrets(read_stack_file(stack_file))
    for key in ("encryptionsalt", "encryptedkey", "secretsprovider"):
        content.pop(key, None)
    install = content["config"]["pathways:platform"].setdefault("install", {})
    install.setdefault("jobset", {})["source"] = str(toolchain.chart(f"jobset-{settings.install.jobset.version}"))
    install.setdefault("kueue", {})["source"] = str(toolchain.chart("kueue"))
    install.setdefault("pathwaysJob", {})["source"] = str(INSTALL_MANIFEST)
    home.stack_file.parent.mkdir(exist_ok=True)
    # JSON is YAML in which text that looks like a number stays text, for every reader of YAML.
    home.stack_file.write_text(json.dumps(content, indent=1))


def without_secrets(value: Any) -> Any:
    """The same value with each `secure:` leaf replaced by a placeholder."""
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            return PLACEHOLDER_SECRET
        return {key: without_secrets(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    return value


def environment(home: Home, toolchain: Toolchain, ports: dict[str, int]) -> dict[str, str]:
    """Environment variables under which the engine sees the sandbox and nothing else."""
    _write_program(home, "gke-gcloud-auth-plugin", "cat", str(home.control_plane / "credential.json"))
    _write_program(home, "pulumi-language-python", sys.executable, "-m", "sandbox.engine.language_host")
    programs = [home.bin, toolchain.path("pulumi").parent, toolchain.path("pulumi-resource-kubernetes").parent]
    return {
        "PATH": os.pathsep.join([*map(str, programs), os.environ.get("PATH", os.defpath)]),
        "PULUMI_HOME": str(home.state / "home"),
        "PULUMI_BACKEND_URL": home.state.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": _passphrase(home),
        "PULUMI_DEBUG_PROVIDERS": f"gcp:{ports['cloud']}",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "1",
        # The DNS endpoint of a real cluster has a publicly trusted certificate; the local one has its own authority's.
        "SSL_CERT_FILE": str(home.control_plane / "pki" / "ca.crt"),
        "KUBECONFIG": os.devnull,
        "PYTHONPATH": str(PROJECT),
    }


def open_stack(home: Home, env: dict[str, str]) -> automation.Stack:
    """The stack of this sandbox, made where it does not exist, running the project's own program."""
    os.environ["PATH"] = env["PATH"]
    return automation.create_or_select_stack(
        stack_name=home.stack,
        project_name="pathways",
        program=run_program,
        opts=automation.LocalWorkspaceOptions(work_dir=str(home.project), env_vars=env),
    )


class _Imports(threading.Thread):
    """Imports what the program needs while the engine starts: seconds that would come after it otherwise.

    The collector pauses: a third of the time went into looking again and again at objects of which none is garbage.
    """

    def run(self) -> None:
        gc.disable()
        importlib.import_module("components.platform")
        for module in ("compute", "container", "projects", "serviceaccount", "storage"):
            hasattr(importlib.import_module(f"pulumi_gcp.{module}"), "__all__")  # its modules load when asked
        gc.freeze()
        gc.enable()


_imports = _Imports(name="imports", daemon=True)


def import_ahead() -> None:
    """Begins to import what the program needs, unless it has begun; run_program waits for the end."""
    if _imports.ident is None:
        _imports.start()


def run_program() -> None:
    """The project's __main__.py, as the language host would run it."""
    if _imports.ident is not None:
        _imports.join()  # the SDK's lazy modules break when two threads load them
    runpy.run_path(str(PROJECT / "__main__.py"), run_name="__main__")


def _passphrase(home: Home) -> str:
    file = home.root / "passphrase"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(16))
    return file.read_text()


def _write_program(home: Home, name: str, *command: str) -> None:
    """Puts a program on the engine's PATH that runs the command with the arguments that it is given.

    gke-gcloud-auth-plugin, which client-go asks for a credential, answers with the sandbox's administrator;
    pulumi-language-python starts policy packs.
    """
    program = home.bin / name
    program.touch(mode=0o700)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
