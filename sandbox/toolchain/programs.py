"""The table of programs that the rehearsal runs, each built from a published Go module.

A program's version stands in one place, the go.mod of its folder below modules/. To move a program to another
version, run `go get MODULE@VERSION` in that folder and commit go.mod and go.sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pathways.settings.install import JOBSET_ALONE, JOBSET_OF_CONTROLLER
from sandbox.toolchain import versions

MODULES = Path(__file__).resolve().parent / "modules"

BUILD_FLAGS = ("-trimpath", "-buildvcs=false")
"""Of every `go build`: binaries carry no path of this machine and do not ask a surrounding git."""

LINK_FLAGS = "-s -w"
"""No symbol tables: they are a third of a binary, and nobody debugs these."""


@dataclass(frozen=True)
class Program:
    """A program of the rehearsal and how to build it.

    name: what callers ask for, the name of its folder below modules/ and of its binary.
    module: the Go module that it comes from; go.mod pins its version.
    package: what Go builds, an import path, or "." for a main.go of ours.
    gigabytes: disk that building it takes, mostly Go's caches; measured, rounded up.
    stamps: variables set at link time, "PACKAGE.NAME=VALUE"; {version}, {major} and {minor} stand for the program's.
    embeds: files of the Go module that go beside our main.go before the build, for it to embed.
    keeps: folders of the Go module that are kept beside the binary, since Go's caches go once all is built.
    release: the version that it bears where its module's is only a date and a commit.
    official_from: an official program of this version or later is used instead of one of ours; empty: never.
    """

    name: str
    module: str
    package: str
    gigabytes: float
    stamps: tuple[str, ...] = ()
    embeds: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    release: str = ""
    official_from: str = ""
    modules: Path = MODULES

    @property
    def source(self) -> Path:
        """The folder with its go.mod, go.sum and, where the module's own main will not do, main.go."""
        return self.modules / self.name

    @property
    def go_mod(self) -> Path:
        return self.source / "go.mod"

    @property
    def module_version(self) -> str:
        """The version of its Go module, with the v: "v1.37.2"."""
        return versions.required(self.go_mod, self.module)

    @property
    def version(self) -> str:
        """The version that it says of itself, without a v: "1.37.2"."""
        return self.release or self.module_version.removeprefix("v")

    @property
    def link_flags(self) -> str:
        """The value of go build's -ldflags."""
        major, minor, _ = versions.numbers(self.version)
        stamps = (stamp.format(version=self.version, major=major, minor=minor) for stamp in self.stamps)
        return " ".join([LINK_FLAGS, *(f"-X {stamp}" for stamp in stamps)])


def _jobset(version: str) -> Program:
    return Program(
        name=f"jobset-{version}",
        module="sigs.k8s.io/jobset",
        package="sigs.k8s.io/jobset",
        gigabytes=1.5,
        stamps=("sigs.k8s.io/jobset/pkg/version.GitVersion=v{version}",),
        keeps=("charts/jobset",),
    )


PROGRAMS = (
    Program(
        name="kubernetes",  # its first argument picks kube-apiserver, kube-controller-manager or kube-scheduler
        module="k8s.io/kubernetes",
        package=".",
        gigabytes=4.5,
        stamps=(  # clients refuse a server that states no version
            "k8s.io/component-base/version.gitVersion=v{version}",
            "k8s.io/component-base/version.gitMajor={major}",
            "k8s.io/component-base/version.gitMinor={minor}",
        ),
    ),
    Program(
        name="pulumi",
        module="github.com/pulumi/pulumi/pkg/v3",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        gigabytes=3,
        stamps=("github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={version}",),
        official_from="3.230.0",
    ),
    Program(
        name="pulumi-resource-kubernetes",
        module="github.com/pulumi/pulumi-kubernetes/provider/v4",
        package=".",
        gigabytes=6,
        stamps=("github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version={version}",),
        embeds=(
            "cmd/pulumi-resource-kubernetes/schema.json",
            "cmd/pulumi-resource-kubernetes/terraform-mapping.json",
        ),
        release="4.25.0",  # the release nearest to that commit: its folder has no version tags of its own
        official_from="4.25.0",
    ),
    Program(name="etcd", module="go.etcd.io/etcd/server/v3", package="go.etcd.io/etcd/server/v3", gigabytes=1),
    _jobset(JOBSET_OF_CONTROLLER),
    Program(
        name="kwok",
        module="sigs.k8s.io/kwok",
        package="sigs.k8s.io/kwok/cmd/kwok",
        gigabytes=1.5,
        stamps=("sigs.k8s.io/kwok/pkg/consts.Version={version}",),
        keeps=("kustomize/stage",),
    ),
    _jobset(JOBSET_ALONE),
    Program(
        name="kueue",
        module="sigs.k8s.io/kueue",
        package="sigs.k8s.io/kueue/cmd/kueue",
        gigabytes=2,
        stamps=("sigs.k8s.io/kueue/pkg/version.GitVersion=v{version}",),
        keeps=("charts/kueue",),
    ),
)
"""All programs, the longest builds first."""
