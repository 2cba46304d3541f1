"""Building the rehearsal's programs, with a script that plays Go."""

from __future__ import annotations

import io
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox.toolchain import PROGRAMS, BuildFailed, Program, Progress, ToolchainError, ensure
from sandbox.toolchain.__main__ import main
from sandbox.toolchain.build import build_missing
from sandbox.toolchain.cache import Cache
from sandbox.toolchain.progress import Phase, PlainProgress

GO = """#!/bin/sh
# Plays Go: `mod download` lays down the module's files, `build` writes a program, unless told to fail.
echo "$@" >> $LAB/calls
case "$1" in
env) echo go1.26.8 ;;
mod)
    if [ -e "$LAB/hangs-$(basename $3)" ]; then touch $LAB/hanging; exec sleep 60; fi
    version=$(sed -n "s|.*$3 \\(v[^ ]*\\).*|\\1|p" go.mod | head -1)
    for file in charts/jobset/Chart.yaml charts/kueue/Chart.yaml kustomize/stage/pod.yaml \\
        cmd/pulumi-resource-kubernetes/schema.json cmd/pulumi-resource-kubernetes/terraform-mapping.json; do
        mkdir -p "$GOMODCACHE/$3@$version/$(dirname $file)"
        echo "$3 $version" > "$GOMODCACHE/$3@$version/$file"
    done ;;
list) printf 'fmt\\nexample.com/one\\nexample.com/two\\n' ;;
build)
    mkdir -p $GOCACHE
    for argument in "$@"; do case "$argument" in -o=*) out="${argument#-o=}" ;; esac; done
    echo example.com/one
    if [ -e "$LAB/fails-$(basename $out)" ]; then
        while ls $LAB/hangs-* > /dev/null 2>&1 && [ ! -e $LAB/hanging ]; do sleep 0.01; done
        echo partial > "$out"
        echo "# example.com/two"
        echo "two.go:3:1: undefined: answer"
        exit 1
    fi
    { pwd; ls; } > $LAB/built-$(basename $out)
    echo program > "$out" ;;
esac
"""


@dataclass(frozen=True)
class Lab:
    """A cache of its own and the fake Go's notes."""

    root: Path
    cache: Cache

    def program(self, name: str, **changed: object) -> Program:
        """A program with a module folder of its own."""
        folder = self.root / "modules" / name
        folder.mkdir(parents=True, exist_ok=True)
        module = f"example.com/{name}"
        (folder / "go.mod").write_text(f"module x\n\ngo 1.26.0\n\nrequire (\n\t{module} v1.2.3 // indirect\n)\n")
        (folder / "go.sum").write_text(f"{module} v1.2.3 h1:sum\n")
        program = Program(name=name, module=module, package=module, gigabytes=0.001, modules=self.root / "modules")
        return replace(program, **changed)  # type: ignore[arg-type]

    def fail(self, name: str, fails: bool = True) -> None:
        flag = self.root / f"fails-{name}"
        flag.touch() if fails else flag.unlink()

    def calls(self, verb: str) -> list[str]:
        file = self.root / "calls"
        return [line for line in file.read_text().splitlines() if line.startswith(verb)] if file.exists() else []

    def builds(self, name: str) -> int:
        return sum(f"/{name} " in f"{call} " for call in self.calls("build"))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(GO)
    go.chmod(0o755)
    monkeypatch.setenv("LAB", str(tmp_path))
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "no-pulumi"))
    monkeypatch.setenv("PATHWAYS_SANDBOX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Cache, "free_gigabytes", lambda _: 100.0)
    return Lab(tmp_path, Cache(tmp_path / "cache"))


def published(lab: Lab) -> set[str]:
    """Names of the folders of finished programs, without their digests."""
    folder = lab.cache.root / "programs"
    return {found.name.rpartition("-")[0] for found in folder.iterdir()} if folder.exists() else set()


def test_a_change_of_one_module_moves_that_program_alone(lab: Lab) -> None:
    etcd, kwok = lab.program("etcd"), lab.program("kwok")
    before = lab.cache.folder(etcd), lab.cache.folder(kwok)
    (etcd.source / "go.sum").write_text("example.com/etcd v1.2.3 h1:another\n")
    assert lab.cache.folder(etcd) != before[0]
    assert lab.cache.folder(kwok) == before[1]


@pytest.mark.parametrize(
    "changed",
    [{"stamps": ("main.version={version}",)}, {"keeps": ("charts",)}, {"embeds": ("a",)}, {"package": "example.com/b"}],
)
def test_a_change_of_the_recipe_moves_the_program(lab: Lab, changed: dict[str, object]) -> None:
    assert lab.cache.folder(lab.program("kwok", **changed)) != lab.cache.folder(lab.program("kwok"))


def test_two_checkouts_of_one_commit_share_a_program(lab: Lab, tmp_path: Path) -> None:
    here = lab.program("kwok")
    there = replace(here, modules=tmp_path / "elsewhere")
    there.source.mkdir(parents=True)
    for file in ("go.mod", "go.sum"):
        (there.source / file).write_text((here.source / file).read_text())
    assert lab.cache.folder(there) == lab.cache.folder(here)


def test_a_finished_program_stands_with_its_folders_and_without_gos_caches(lab: Lab) -> None:
    jobset = lab.program("jobset", keeps=("charts/jobset",))
    build_missing([jobset], lab.cache, Progress())
    assert lab.cache.binary(jobset).read_text() == "program\n"
    assert (lab.cache.folder(jobset) / "charts/jobset/Chart.yaml").read_text() == "example.com/jobset v1.2.3\n"
    assert not lab.cache.go.exists()


def test_files_to_embed_lie_beside_our_main_and_the_checkout_stays_as_it_was(lab: Lab) -> None:
    provider = lab.program("provider", embeds=("cmd/pulumi-resource-kubernetes/schema.json",))
    build_missing([provider], lab.cache, Progress())
    assert "schema.json" in (lab.root / "built-provider").read_text().splitlines()
    assert sorted(file.name for file in provider.source.iterdir()) == ["go.mod", "go.sum"]


def test_a_failed_build_publishes_nothing_and_the_next_call_goes_on_from_there(lab: Lab) -> None:
    etcd, kwok, kueue = (lab.program(name) for name in ("etcd", "kwok", "kueue"))
    lab.fail("kwok")
    with pytest.raises(BuildFailed):
        build_missing([etcd, kwok, kueue], lab.cache, Progress())
    assert published(lab) == {"etcd-1.2.3"}
    assert lab.builds("kueue") == 0
    assert lab.cache.go.exists(), "what was compiled for kwok must not be compiled again"

    lab.fail("kwok", fails=False)
    build_missing([etcd, kwok, kueue], lab.cache, Progress())
    assert published(lab) == {"etcd-1.2.3", "kwok-1.2.3", "kueue-1.2.3"}
    assert (lab.builds("etcd"), lab.builds("kwok"), lab.builds("kueue")) == (1, 2, 1)
    assert not lab.cache.go.exists()


def test_a_failure_does_not_wait_for_the_next_programs_download(lab: Lab) -> None:
    lab.fail("etcd")
    (lab.root / "hangs-kwok").touch()
    started = time.monotonic()
    progress = Progress()
    with pytest.raises(BuildFailed, match="compile etcd"):
        build_missing([lab.program("etcd"), lab.program("kwok")], lab.cache, progress)
    assert time.monotonic() - started < 30
    assert [row.phase for row in progress.rows.values()] == [Phase.FAILED, Phase.WAITING]


def test_a_failure_shows_gos_message_and_where_all_of_it_is(lab: Lab) -> None:
    lab.fail("kwok")
    with pytest.raises(BuildFailed) as failure:
        build_missing([lab.program("kwok")], lab.cache, Progress())
    assert failure.value.tail == ["# example.com/two", "two.go:3:1: undefined: answer"]
    assert str(failure.value.log) in str(failure.value)
    assert "example.com/one\n" in failure.value.log.read_text()


def test_what_a_killed_build_left_is_not_taken_for_a_program(lab: Lab) -> None:
    kwok = lab.program("kwok")
    left = lab.cache.root / "staging" / lab.cache.folder(kwok).name
    left.mkdir(parents=True)
    (left / "half").touch()
    assert not lab.cache.holds(kwok)
    build_missing([kwok], lab.cache, Progress())
    assert [file.name for file in lab.cache.folder(kwok).iterdir()] == ["kwok"]


def test_too_little_disk_is_said_before_anything_is_built(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "free_gigabytes", lambda _: 6.5)
    programs = [lab.program("etcd", gigabytes=3), lab.program("kwok", gigabytes=4)]
    with pytest.raises(ToolchainError, match=r"etcd, kwok takes about 7 GB .* and 6\.5 GB are free"):
        build_missing(programs, lab.cache, Progress())
    assert lab.calls("") == []


def test_disk_is_needed_only_for_what_is_missing(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    etcd, kwok = lab.program("etcd", gigabytes=50), lab.program("kwok", gigabytes=4)
    build_missing([etcd], lab.cache, Progress())
    monkeypatch.setattr(Cache, "free_gigabytes", lambda _: 6.5)
    build_missing([etcd, kwok], lab.cache, Progress())
    assert published(lab) == {"etcd-1.2.3", "kwok-1.2.3"}


def test_a_second_builder_waits_and_takes_what_the_first_has_made(lab: Lab) -> None:
    kwok = lab.program("kwok")
    waits = threading.Event()

    class Told(Progress):
        def note(self, text: str) -> None:
            if "waiting for it" in text:
                waits.set()

    second = threading.Thread(target=build_missing, args=([kwok], lab.cache, Told()))
    with lab.cache.lock(on_wait=lambda: None):
        second.start()
        assert waits.wait(10)
        lab.cache.folder(kwok).mkdir(parents=True)
        lab.cache.binary(kwok).touch()
    second.join(10)
    assert lab.calls("") == []


def test_the_users_go_settings_do_not_change_the_binaries_but_say_where_to_download(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped = lab.root / "bin" / "go"
    wrapped.write_text(wrapped.read_text().replace("case", "env > $LAB/environment\ncase", 1))
    theirs = {"GOFLAGS": "-tags=mine", "GOOS": "plan9", "GOPROXY": "off", "GOTOOLCHAIN": "auto", "CGO_ENABLED": "1"}
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    build_missing([lab.program("kwok")], lab.cache, Progress())
    seen = dict(line.split("=", 1) for line in (lab.root / "environment").read_text().splitlines() if "=" in line)
    assert seen["GOPROXY"] == "off"
    assert "GOOS" not in seen
    assert "-tags" not in seen["GOFLAGS"]
    assert (seen["GOTOOLCHAIN"], seen["CGO_ENABLED"], seen["GOWORK"]) == ("local", "0", "off")
    assert all(seen[name].startswith(str(lab.cache.root)) for name in ("GOCACHE", "GOMODCACHE", "GOTMPDIR"))


@pytest.fixture
def built(lab: Lab) -> Lab:
    """All programs of the real table, made by the fake Go."""
    ensure(progress=Progress())
    return lab


@pytest.mark.usefixtures("built")
def test_versions_are_those_that_the_rehearsal_is_known_to_work_with() -> None:  # facts: sandbox.md
    assert ensure().versions == {
        "kubernetes": "1.37.2",
        "pulumi": "3.274.1",
        "pulumi-resource-kubernetes": "4.25.0",
        "etcd": "3.6.16",
        "jobset-0.11.1": "0.11.1",
        "kwok": "0.8.0",
        "jobset-0.12.0": "0.12.0",
        "kueue": "0.17.0",
    }


@pytest.mark.usefixtures("built")
def test_charts_and_stages_are_those_of_the_version() -> None:
    toolchain = ensure()
    assert (toolchain.chart("jobset-0.12.0") / "Chart.yaml").read_text() == "sigs.k8s.io/jobset v0.12.0\n"
    assert (toolchain.chart("kueue") / "Chart.yaml").read_text() == "sigs.k8s.io/kueue v0.17.0\n"
    assert (toolchain.kept("kwok", "kustomize/stage") / "pod.yaml").is_file()
    with pytest.raises(ToolchainError, match="etcd has no folder charts/etcd"):
        toolchain.chart("etcd")


def test_the_api_server_states_the_version_that_clients_read(built: Lab) -> None:
    [build] = [call for call in built.calls("build") if "/kubernetes " in f"{call} "]
    for stamp in ("gitVersion=v1.37.2", "gitMajor=1", "gitMinor=37"):
        assert f"-X k8s.io/component-base/version.{stamp}" in build


def test_all_staging_modules_of_kubernetes_are_of_its_release() -> None:
    go_mod = next(program for program in PROGRAMS if program.name == "kubernetes").go_mod.read_text()
    replaced = [line.split() for line in go_mod.splitlines() if "=>" in line]
    assert len(replaced) > 30
    assert all(line == [line[0], "=>", line[0], "v0.37.2"] for line in replaced)


def test_go_1_26_builds_everything() -> None:
    directives = [line for program in PROGRAMS for line in program.go_mod.read_text().splitlines() if line[:3] == "go "]
    assert len(directives) == len(PROGRAMS)
    assert all(line.startswith("go 1.26.") for line in directives)


def test_what_stands_is_found_without_go(built: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(built.root / "nothing"))
    before = built.calls("")
    ensure()
    assert built.calls("") == before


def test_go_caches_that_were_left_behind_go_with_the_next_call_for_all(built: Lab) -> None:
    (built.cache.go / "build").mkdir(parents=True)
    ensure(["etcd"], Progress())
    assert built.cache.go.exists()
    ensure(progress=Progress())
    assert not built.cache.go.exists()


def test_an_unknown_program_is_answered_with_those_there_are() -> None:
    with pytest.raises(ToolchainError, match=r"No such program: etcdd; there are .*\betcd,"):
        ensure(["etcdd"])


def test_a_cache_that_cannot_be_written_is_said_in_words(lab: Lab) -> None:
    lab.cache.root.write_text("a file where the folder should be")
    with pytest.raises(ToolchainError, match=f"cannot be built in {lab.cache.root}: "):
        ensure(["etcd"], Progress())


def test_the_command_builds_one_program_and_lists_it(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--program", "etcd"]) == 0
    assert published(lab) == {"etcd-3.6.16"}
    shown = capsys.readouterr()
    assert [line.split()[:2] for line in shown.out.splitlines() if str(lab.cache.root) in line] == [["etcd", "3.6.16"]]
    assert "etcd: compiling, 3 packages" in shown.err.splitlines()


def test_the_command_ends_with_2_and_gos_words_where_a_build_fails(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    lab.fail("etcd")
    assert main(["--program", "etcd"]) == 2
    said = capsys.readouterr().err
    assert "Go could not compile etcd:\n  # example.com/two\n  two.go:3:1: undefined: answer\n" in said
    assert "Traceback" not in said


def test_a_long_build_says_now_and_then_that_it_lives() -> None:
    stream = io.StringIO()
    with PlainProgress(stream, heartbeat=0.01) as progress:
        progress.expect(["etcd", "kwok"])
        progress.enter_phase("etcd", Phase.COMPILING)
        progress.advance("etcd", "7 of 9 packages")
        time.sleep(0.2)
        progress.enter_phase("etcd", Phase.DONE)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "etcd: compiling"
    assert "etcd: still compiling after 0 s, 7 of 9 packages" in lines
    assert lines[-1] == "etcd: done"
    assert not any("kwok" in line for line in lines)
