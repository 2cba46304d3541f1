"""Jobs that run on the slices."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from pathways.settings.multislice_workload import MultisliceWorkload
from pathways.settings.pathways_workload import PathwaysWorkload

Workload: TypeAlias = Annotated[PathwaysWorkload | MultisliceWorkload, Field(discriminator="kind")]
