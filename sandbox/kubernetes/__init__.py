"""How the parts of the sandbox talk to its API server."""
