"""What the PathwaysJob controller v0.1.4 does with a PathwaysJob, its quirks included."""

from pathways.manifests.controller.jobset import jobset_of_pathways_job
from pathways.manifests.controller.reading import ControllerRefusal

__all__ = ["ControllerRefusal", "jobset_of_pathways_job"]
