"""Pathways and JAX multislice on Cloud TPU slices in GKE: facts, settings and manifests, without Pulumi."""
