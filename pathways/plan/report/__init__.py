"""The plan as people and machines read it: on a terminal, as JSON, as a page."""
