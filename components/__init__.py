"""The stack's Pulumi components, one a file, and the recorder that runs the program without an engine."""
