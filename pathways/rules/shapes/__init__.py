"""What the API server holds manifests to: fields, types, lists whose entries are told apart by a key."""

from pathways.rules.shapes.kinds import SHAPES
from pathways.rules.shapes.shape import Fault, faults

__all__ = ["SHAPES", "Fault", "faults"]
