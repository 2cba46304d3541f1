"""Failure drills: what happens to jobs when something breaks, played on the real control plane and measured.

A drill is one file with a `Drill`: its name, a sentence, the stack file below stacks/ that it deploys, and the function
that plays it on a `Stage`. Add it to DRILLS in sandbox/drills/table.py, and command, list and tests have it.
"""
