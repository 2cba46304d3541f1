"""`make bench`: prints the figures; nothing is asserted."""

from __future__ import annotations

from tests.bench import offline, registrations, rehearsal
from tests.bench.measure import print_table

print_table("check and plan, without any cloud", offline.measures())
print_table("a program of ours, in the engine", registrations.measures())
print_table("rehearsal of the dev stack", rehearsal.measures())
print_table("rehearsal of 64 slices of 16 hosts", rehearsal.large())
