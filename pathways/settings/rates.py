"""What chips cost."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from pathways.settings.base import refused
from pathways.tpu import catalog
from pathways.wording import did_you_mean, nearest, quoted


def _known_generation(name: str) -> str:
    generations = catalog().generations
    if name in generations:
        return name
    raise refused(
        f"{quoted(name)} is not a TPU generation; legal: {' '.join(generations)}"
        f"{did_you_mean(nearest(name, generations))}"
    )


Rates = dict[
    Annotated[str, AfterValidator(_known_generation)], Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
]
"""USD for a chip-hour, by TPU generation."""
