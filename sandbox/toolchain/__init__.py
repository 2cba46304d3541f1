"""The programs of the rehearsal: the Kubernetes control plane, Pulumi, etcd, kwok, JobSet and Kueue.

They are built from published Go modules at versions pinned with checksums (modules/*/go.mod and go.sum), once for all
checkouts of a machine, in $PATHWAYS_SANDBOX_CACHE or ~/.cache/pathways-sandbox. Nothing but Go or pip is needed: no
release is downloaded, no container engine used. Linux is what this is tested on.

    toolchain = ensure(["etcd", "kubernetes"])
    subprocess.Popen([toolchain.path("kubernetes"), "kube-apiserver", ...])
"""

from sandbox.toolchain.errors import BuildFailed, ToolchainError
from sandbox.toolchain.programs import PROGRAMS, Program
from sandbox.toolchain.progress import Progress
from sandbox.toolchain.toolchain import Toolchain, ensure

__all__ = ["PROGRAMS", "BuildFailed", "Program", "Progress", "Toolchain", "ToolchainError", "ensure"]
