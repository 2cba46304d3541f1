"""What changing a setting does to a stack that runs: an edit of each setting, and the page that tells its effects."""
