"""Files of any content: never an exception, always a message with a place."""

import json
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from pathways.lint import lint, sarif
from pathways.rules import Environment

HERE = Path(__file__).parent
FILES = [*(HERE / "cases").glob("*.yaml"), *(HERE.parent / "manifests" / "golden").glob("*.yaml")]
TEXTS = [path.read_bytes() for path in sorted(FILES)]
SNIPPETS = [
    *(b"{", b"}", b"[", b"]", b":", b"- ", b"&a ", b"*a", b"<<: *a", b"!!int ", b"? ", b"|", b"%", b"#", b"'", b'"'),
    *(b"no", b"010", b"1e3", b"~", b".nan", b"2026-01-01", b"-1", b"9" * 30, b"name: name\n", b"---\n", b"...\n"),
    *(b"\n", b"\t", b"\xff", b"\x00", b"\xef\xbb\xbf", "\u2028".encode()),
]
DOCUMENTS = [document for text in TEXTS for document in yaml.safe_load_all(text)]


def look_at(content: bytes, environment: Environment = Environment.DEV) -> None:
    report = lint({"a.yaml": content}, environment)
    lines = content.count(b"\n") + content.count(b"\r") + content.count("\u2028".encode()) + content.count(b"\x85") + 1
    for remark in report.remarks:
        assert 1 <= remark.line <= lines
        assert remark.message
        assert (remark.message + remark.resource + remark.path).isprintable()
        assert len(remark.message) <= 1000
    sarif(report)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A manifest with a few pieces cut out, doubled, or put in."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        piece = draw(st.sampled_from([b"", text[start:end] * 2, *SNIPPETS]))
        text = text[:start] + piece + text[end:]
    return text


@given(mutated())
def test_mutated_manifests(content: bytes) -> None:
    look_at(content)


@given(st.sampled_from(TEXTS), st.floats(0, 1))
def test_truncated_manifests(content: bytes, share: float) -> None:
    look_at(content[: int(len(content) * share)], Environment.PROD)


@given(st.binary(max_size=300))
def test_arbitrary_bytes(content: bytes) -> None:
    look_at(content)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def places(value: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, child in children for place in places(child, (*at, key)))]


def replaced(value: object, place: tuple[object, ...], new: object) -> object:
    if not place:
        return new
    step, *rest = place
    if isinstance(value, dict):
        return {key: replaced(item, tuple(rest), new) if key == step else item for key, item in value.items()}
    assert isinstance(value, list)
    return [replaced(item, tuple(rest), new) if index == step else item for index, item in enumerate(value)]


@given(st.data())
def test_manifests_with_values_of_other_types(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from(DOCUMENTS))
    place = data.draw(st.sampled_from(places(document)))
    look_at(json.dumps(replaced(document, place, data.draw(VALUES))).encode())
