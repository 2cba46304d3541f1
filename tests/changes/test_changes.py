"""The table of changes: an entry for every setting, effects that follow from the program, pages that are current."""

from functools import cache

import pytest

from pathways.changes.edits import EDITS, ELASTIC, NAMED, PLAIN, Edit
from pathways.changes.effects import PARTS, Effects, Row
from pathways.changes.page import changes_page, line_of
from pathways.changes.short import with_short_form
from pathways.cli.changes import PAGE, README, rows
from pathways.plan import Effect
from pathways.settings import SettingsError, parse_settings
from pathways.settings.schema import setting_paths

ANEW = "write it anew: python -m pathways.changes"

EDITED, MADE, RESTARTED = Effect.EDITED, Effect.MADE, Effect.RESTARTED
REMADE, DESTROYED = Effect.REMADE, Effect.DESTROYED
REFUSED = {"install.pathwaysJob.version", "install.kueue.version"}
"""Settings with a single legal value."""

FACTS = {  # sources: GKE API, NodePools.update; facts of the provider in pathways/gcp; JobSet's immutable spec
    f"{NAMED}.tpu": {"slice": (REMADE,), "job": (REMADE,)},
    f"{NAMED}.capacity.spot": {"slice": (REMADE,), "job": (RESTARTED,)},
    f"{NAMED}.spares": {"slice": (EDITED, MADE)},
    "head.machineType": {"head pool": (RESTARTED,), "job": (RESTARTED,)},
    "cluster.releaseChannel": {"cluster": (EDITED,)},
    f"{ELASTIC}.labels": {"job": (EDITED,)},
    f"{ELASTIC}.image": {"job": (REMADE,)},
    "scratch.expireDays": {},
    "checkpoints.recoverableDays": {"bucket": (EDITED,)},
    "budget": {},
}
"""What some edits do; a recording takes a third of a second, so the others are held to the page at night."""


def edit_of(at: str) -> Edit:
    return next(edit for edit in EDITS if edit.at == at)


QUICKLY_TRIED = 3
"""Each records the program twice."""


@cache
def row_of(at: str):
    (row,) = rows([edit_of(at)])
    return row


def test_every_setting_has_an_edit_and_they_are_in_the_order_of_the_schema():
    settings = setting_paths()
    edited = list(dict.fromkeys(edit.setting for edit in EDITS))
    missing = [setting for setting in settings if setting not in edited]
    assert missing == [], "each needs an entry in pathways/changes/edits.py"
    assert edited == settings


def test_settings_are_the_leaves_of_the_schema():
    found = setting_paths()
    assert {"zone", "slices[].capacity.spot", "slices[].capacity.reservation.block", "workloads[].env"} <= {*found}
    assert {"monitoring.emails", "workloads[].mounts[].path", "workloads[].hostNetwork", "rates"} <= {*found}
    assert not {"slices", "slices[]", "slices[].capacity", "cluster", "workloads[].head"} & {*found}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.at)
def test_an_edit_changes_something_to_something_legal(edit):
    assert edit.to != edit.before or edit.instead_of
    try:
        parse_settings(edit.after, project="my-project", stack=edit.stack, source=edit.stack)
    except SettingsError:
        assert edit.setting in REFUSED
    else:
        assert edit.setting not in REFUSED


@pytest.mark.parametrize(
    "at", [at if each < QUICKLY_TRIED else pytest.param(at, marks=pytest.mark.nightly) for each, at in enumerate(FACTS)]
)
def test_an_edit_does_what_the_facts_say(at):
    found = row_of(at).effects.by_part
    assert {part: effects for part, effects in found.items() if part in PARTS} == FACTS[at]


def test_in_prod_the_engine_guards_slices_and_jobs_and_not_heads():
    assert row_of(f"{NAMED}.tpu").effects.guarded == {"slice", "job"}
    assert row_of("head.machineType").effects.guarded == frozenset()


def test_google_cloud_refuses_other_ranges_for_pods():
    assert row_of("network.podRange").effects.refused == "Google Cloud: Existing secondary range cannot be modified"


def test_a_job_of_another_form_is_made_anew():
    assert row_of("install.pathwaysJob.enabled").effects.by_part["job"] == (REMADE,)


@pytest.mark.parametrize("at", FACTS)
def test_the_page_says_so(at):
    assert line_of(row_of(at)) in PAGE.read_text(encoding="utf-8"), ANEW


def test_the_page_has_every_edit_and_no_other():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    untold = [line_of(Row(edit, Effects({}))) for edit in EDITS]
    assert sorted(map(beginning, lines)) == sorted(map(beginning, untold)), ANEW


def beginning(line):
    """Setting and change of a row."""
    return line.split(" | ")[:2]


def test_the_readme_has_the_short_form_of_the_page():
    text = README.read_text(encoding="utf-8")
    assert with_short_form(text, PAGE.read_text(encoding="utf-8")) == text, ANEW


def test_the_short_form_tells_by_what_is_interrupted():
    some = [edit_of(at) for at in (f"{NAMED}.tpu", f"{NAMED}.spares", "head.maxNodes", f"{PLAIN}.mode")]
    page = changes_page(rows(some))
    short = with_short_form("a\n<!-- changes --><!-- /changes -->\nb", page)
    assert "| `slices` | `spares` | replace **slice**, **job**: `tpu` |\n" in short
    assert "| `head` | `maxNodes` |  |\n" in short
    assert short.endswith("<!-- /changes -->\nb")


def test_a_text_without_a_place_for_it_is_refused():
    with pytest.raises(ValueError, match="there is no <!-- changes -->"):
        with_short_form("text", "")


@pytest.mark.nightly
def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == changes_page(rows(EDITS)), ANEW
