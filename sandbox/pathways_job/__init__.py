"""A stand-in for the PathwaysJob controller v0.1.4: its custom resource, its installation, and what it does."""

from pathlib import Path

INSTALL_MANIFEST = Path(__file__).parent / "install.yaml"
"""Takes the place of the published manifest: namespace, custom resource definition, rights, Deployment."""
