"""`make bench`: prints the figures; nothing is asserted."""

from __future__ import annotations

from tests.bench import rehearsal
from tests.bench.measure import print_table

print_table("rehearsal of the dev stack", rehearsal.measures())
