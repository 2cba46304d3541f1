"""How messages quote values and suggest others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

SHOWN_CHARACTERS = 60
LISTED = 16
"""How many values a message lists at most."""
MOST_COMPARED = 200
"""With how many names one that is unknown is compared: each comparison takes a tenth of a millisecond."""


def quoted(text: str, shown_characters: int = SHOWN_CHARACTERS) -> str:
    """Return the text in double quotes, on one line, and shortened where it is absurdly long."""
    return '"' + plain(text, shown_characters).replace('"', '\\"') + '"'


def plain(text: str, shown_characters: int = SHOWN_CHARACTERS) -> str:
    """Return the text without quotes, on one line, and shortened where it is absurdly long."""
    return on_one_line(text if len(text) <= shown_characters else f"{text[: shown_characters - 3]}...")


def on_one_line(text: str) -> str:
    """Return the text with all that does not print, line ends among it, as escapes."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def listed(values: Sequence[str]) -> str:
    """Return the values in a row, those in the middle left out where they are many."""
    if len(values) <= LISTED:
        return " ".join(values)
    return f"{' '.join(values[: LISTED - 2])} ... {values[-1]}"


def nearest(text: str, legal: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return the legal value that looks most like `text`, in a list that is empty where none does."""
    by_case = {each.lower(): each for each in legal}
    # Longer texts are no near miss of anything, and comparing them takes its time.
    found = difflib.get_close_matches(text[:SHOWN_CHARACTERS].lower(), by_case, n=1, cutoff=cutoff)
    return [by_case[each] for each in found]


def counted(number: int, noun: str) -> str:
    """Return "1 slice", "2 slices"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def did_you_mean(candidates: Iterable[str]) -> str:
    """Return the end of a message that names the candidates, or nothing where there are none."""
    named = " or ".join(map(quoted, candidates))
    return f"; did you mean {named}?" if named else ""


def among(text: str, known: Sequence[str]) -> str:
    """Return the end of a message about a name that is not among those known: which there are, and the nearest."""
    meant = did_you_mean(nearest(text, known)) if len(known) <= MOST_COMPARED else ""
    return f"there are {listed(known)}{meant}" if known else "there is none"


def sentence(text: str) -> str:
    """Return the text with a full stop, where it does not end with a question."""
    return text if text.endswith("?") else f"{text}."
