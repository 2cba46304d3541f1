"""Stack files as the engine reads them, and files that cannot be read: always a message with a place."""

import datetime
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pathways.settings import SettingsError, StackNotFound, find_stack, load_stack_file, read_stack_file, stack_name
from sandbox.toolchain import ensure
from tests.settings.stack_files import STACK_FILE


def write(folder, text):
    path = folder / "Pulumi.dev.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def report(folder, text):
    """Returns the problems of a file as lines "path: message"."""
    with pytest.raises(SettingsError) as refused:
        load_stack_file(write(folder, text))
    return [f"{path}: {message}" for path, message in refused.value.problems]


MIDNIGHT = datetime.datetime(2026, 11, 1)

SCALARS = {  # as Pulumi 3.274.1 read them; test_the_engine_reads_scalars_alike asks it again
    "1.30": 1.3,
    "1.35": 1.35,
    "010": 8,
    "-010": -8,
    "08": 8,
    "09": 9,
    "0777": 511,
    "0o17": 15,
    "0O17": 15,
    "0x1F": 31,
    "0x1_F": 31,
    "0b11": 3,
    "0b2": "0b2",
    "1e3": 1000,
    "1E3": 1000,
    "1e+3": 1000,
    "1.5e-7": 1.5e-7,
    "1e20": 10**20,
    "1e21": 1e21,
    "1e400": "1e400",
    "1_000": 1000,
    "_1": "_1",
    "+12": 12,
    ".5": 0.5,
    "-.5": -0.5,
    "1.": 1,
    "1.0": 1,
    "-0": 0,
    "1e": "1e",
    "e1": "e1",
    "0x": "0x",
    "1:30": "1:30",
    "0.8.3": "0.8.3",
    "1,000": "1,000",
    "NaN": "NaN",
    "9223372036854775807": 9223372036854775807,
    "yes": "yes",
    "on": "on",
    "y": "y",
    "No": "No",
    "off": "off",
    "true": True,
    "True": True,
    "FALSE": False,
    "tRue": "tRue",
    "null": None,
    "Null": None,
    "nUll": "nUll",
    "~": None,
    "": None,
    "2026-11-01": MIDNIGHT,
    "2026-11-1": MIDNIGHT,
    "2026-11-01T10:00:00Z": MIDNIGHT.replace(hour=10),
    "2026-11-01 10:00:00": MIDNIGHT.replace(hour=10),
    "2026-11-01T10:00": "2026-11-01T10:00",
    "2026-13-01": "2026-13-01",
    "2026-11": "2026-11",
    "'yes'": "yes",
    '"010"': "010",
    "!!str 010": "010",
    "! 12": 12,
    '!!int "3"': 3,
    "!!float 1": 1,
}


@pytest.mark.parametrize(("written", "value"), SCALARS.items())
def test_scalars_are_what_they_are_to_the_engine(tmp_path, written, value):
    read = read_stack_file(write(tmp_path, f"config: {{}}\nvalue: {written}\n"))["value"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.rehearsal
def test_the_engine_reads_scalars_alike(tmp_path):
    """Dates are text to a program ("2026-11-01 00:00:00 +0000 UTC"), and never what the file says."""
    (tmp_path / "Pulumi.yaml").write_text("{name: project, runtime: python}")
    values = "".join(f"    v{index}: {written}\n" for index, written in enumerate(SCALARS))
    (tmp_path / "Pulumi.dev.yaml").write_text(f"config:\n  project:values:\n{values}")
    environment = {
        **os.environ,
        "PULUMI_BACKEND_URL": f"file://{tmp_path}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
    }

    def pulumi(*arguments):
        command = [ensure(["pulumi"]).path("pulumi"), *arguments, "--non-interactive"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True).stdout

    pulumi("stack", "init", "dev")
    read = json.loads(json.loads(pulumi("config", "--json", "--stack", "dev"))["project:values"]["value"])
    for index, (written, value) in enumerate(SCALARS.items()):
        expected = f"{value} +0000 UTC" if isinstance(value, datetime.datetime) else value
        assert read[f"v{index}"] == expected, written
        assert type(read[f"v{index}"]) is type(expected), written


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("0.8", '0.8 is a number here; quote it: "0.8"'),
        ("1.30", '1.30 is a number here; quote it: "1.30"'),  # as written, and not as read
        ("010", '010 is a number here; quote it: "010"'),
        ("1e3", '1e3 is a number here; quote it: "1e3"'),
        ("true", 'true is a truth value here; quote it: "true"'),
        ("2026-11-01", '2026-11-01 is a date here; quote it: "2026-11-01"'),
    ],
)
def test_a_bare_number_where_text_is_meant_is_told_to_be_quoted(tmp_path, written, message):
    text = STACK_FILE.replace("[python, -c", f"[{written}, -c")
    assert report(tmp_path, text) == [f"pathways:platform.workloads[0].command[0]: {message}"[18:]]


def test_quoting_helps(tmp_path):
    (job,) = load_stack_file(write(tmp_path, STACK_FILE.replace("[python, -c", '["010", -c'))).workloads
    assert job.command[0] == "010"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "(file): is not a mapping"),
        ("[]", "(file): is not a mapping"),
        ("just text", "(file): is not a mapping"),
        ("config:", "config: is missing"),
        ("config: []", "config: is not a mapping"),
        ("config: {gcp:project: p}", "config: pathways:platform is missing"),
        ("config: {pathways:platfrom: {}}", 'config: pathways:platform is missing; there is "pathways:platfrom"'),
        ("confg: {}", 'confg: is not a key of a stack file; did you mean "config"?'),
        ("config: {pathways:platform: {secure: v1:abc}}", "pathways:platform: is encrypted as a whole"),
        ("config: {pathways:platform: [1]}", "gcp:project: is missing"),
        ("config: {gcp:project: 12, pathways:platform: {}}", "gcp:project: is not the id of a project"),
        ("a: 1\nb: [\n", "line 3: "),
        ("a: 1\nb: 2\na: 3\n", 'line 3: key "a" is already on line 1'),
        ("a:\n  b: 1\n  c: {d: 1, d: 2}\n", 'line 3: key "d" is already on line 3'),
        ("a: 1\n---\nb: 2\n", "line 3: a second document begins"),
        (b"a: 1\nb: \xff\n", "line 2: byte 0xff is not UTF-8"),
        ("a: \x00", "line 1: character U+0000 is not allowed"),
        ("1: 2", "line 1: key 1 is not text; quote it"),
        ("? [a]\n: 1", "line 1: a key must be text"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: tag !!python/object/apply:os.system is not understood"),
        ("a: !mine 1", "line 1: tag !mine is not understood"),
        ("a: !!bool yes", "line 1: yes is no !!bool"),
        ("a: .inf", "line 1: .inf is a number that JSON does not have"),
        ("a: *b", "line 1: found undefined alias"),
        ("&a [*a]", "line 1: nested deeper than 100 levels"),
        ("[" * 100_000, "line 1: "),
        ("- " * 100_000, "line 1: "),
        ("\n" * 5_000_000, "line 1: 5,000,000 bytes are more than the 4,194,304 that are read"),
    ],
)
def test_what_is_no_stack_file_is_told_with_a_place(tmp_path, text, problem):
    assert report(tmp_path, text)[0].startswith(problem)


def test_aliases_do_not_make_gigabytes_of_a_few_lines(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 12)]
    assert report(tmp_path, "\n".join(lines)) == ["line 1: aliases make the document far larger than its text"]


def test_aliases_and_merge_keys_are_followed(tmp_path):
    text = STACK_FILE.replace("slices: {group: v6e, count: 2}", "slices: &two {group: v6e, count: 2}")
    text += "      - {name: second, kind: pathways, image: i, slices: {<<: *two, count: 1}}\n"
    first, second = load_stack_file(write(tmp_path, text)).workloads
    assert (first.slices.count, second.slices.group, second.slices.count) == (2, "v6e", 1)


def test_secrets_are_read_as_they_are_written(tmp_path):
    text = STACK_FILE + "        env: {TOKEN: {secure: v1:abc}}\n"
    path = write(tmp_path, text)
    assert load_stack_file(path).workloads[0].env["TOKEN"].secure == "v1:abc"
    platform = read_stack_file(path)["config"]["pathways:platform"]
    assert platform["workloads"][0]["env"] == {"TOKEN": {"secure": "v1:abc"}}


def test_other_settings_of_the_engine_are_left_alone(tmp_path):
    text = "encryptionsalt: v1:x\nsecretsprovider: passphrase\n" + STACK_FILE
    assert load_stack_file(write(tmp_path, text)).stack == "dev"


def test_the_source_is_the_path(tmp_path):
    path = write(tmp_path, "config: {}")
    with pytest.raises(SettingsError) as refused:
        load_stack_file(path)
    assert str(refused.value).startswith(f"{path}: 1 error\n")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StackNotFound, match="No such file"):
        load_stack_file(tmp_path / "Pulumi.dev.yaml")
    with pytest.raises(StackNotFound, match="Is a directory"):
        load_stack_file(tmp_path)


def test_stacks_are_found_by_name(tmp_path, monkeypatch):
    for name in ("stacks/Pulumi.dev.yaml", "examples/elastic/Pulumi.elastic.yaml", "Pulumi.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(STACK_FILE)
    monkeypatch.chdir(tmp_path)
    assert str(find_stack("dev")) == "stacks/Pulumi.dev.yaml"
    assert str(find_stack("elastic")) == "examples/elastic/Pulumi.elastic.yaml"
    assert str(find_stack("some/where.yaml")) == "some/where.yaml"
    with pytest.raises(StackNotFound, match='there are: elastic dev; did you mean "dev"'):
        find_stack("deb")


def test_the_projects_own_stacks_are_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_stack_file(find_stack("dev")).stack == "dev"


@given(st.integers(0, len(STACK_FILE)), st.text(max_size=6), st.integers(0, 20))
def test_a_mutated_file_is_read_or_refused_in_lines_with_a_place(tmp_path_factory, place, inserted, removed):
    text = STACK_FILE[:place] + inserted + STACK_FILE[place + removed :]
    path = tmp_path_factory.getbasetemp() / "Pulumi.mutated.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        load_stack_file(path)
    except SettingsError as refused:
        report = str(refused).splitlines()
        assert len(report) == len(refused.problems) + 1  # noqa: PT017
        assert all(": " in line for line in report)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_lines_with_a_place(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "Pulumi.bytes.yaml"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        load_stack_file(path)
    assert len(str(refused.value).splitlines()) == len(refused.value.problems) + 1


def test_pyyaml_alone_would_read_otherwise():
    assert yaml.safe_load("[yes, 1e3]") == [True, "1e3"]


@pytest.mark.parametrize("name", ["..", ".", "a b", "-x", "x" * 101])
def test_names_that_the_engine_takes_for_no_stack_are_refused(name):
    with pytest.raises(StackNotFound, match="no name of a stack"):
        stack_name(Path("stacks") / f"Pulumi.{name}.yaml")


@pytest.mark.parametrize("file", ["Pulumi.team-a_1.yaml", "Pulumi.team-a_1.yml"])
def test_a_stack_has_the_name_in_its_files_name(file):
    assert stack_name(Path(file)) == "team-a_1"
