"""HTML and SVG elements as text, everything in them escaped."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *children: Markup | str, **attributes: str | float | bool) -> Markup:
    """Return an element. Attributes: "class_" is class, "stroke_width" is stroke-width; True is one without a value."""
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not False)
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*parts: Markup | str) -> Markup:
    """Return the parts one after the other, plain text escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def _attribute(key: str, value: str | float | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    name = {"viewbox": "viewBox"}.get(name, name)
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, int | float) else value
    return f' {name}="{escape(text)}"'
