"""Failure drills: what happens to jobs when something breaks, played on the real control plane and measured.

A new drill is one file here with a `Drill`: its name, a sentence, and the function that plays it on a `Stage`; a stack
file stacks/Pulumi.drill-NAME.yaml, as small as the story allows; and a place in DRILLS in table.py. Command, list and
tests then have it. The function

- deploys: `stage.deploy(JOB)` brings the stack up and waits for the job; from then on lines tell what becomes of it;
- marks the event: `stage.story.mark("slice w-1 is lost")` sets the clock to zero;
- acts: `stage.shut_down`, `vanish`, `cordon` and `bring_back` nodes, or anything with `stage.client`;
- waits: `stage.await_whole(JOB)`, `stage.await_that(condition, what)`, asked again whenever something happens;
- and judges: `story.expect` what must hold, `story.figure` what was measured, with its limit. Either ends the story.

happenings.py watches the cluster, narrator.py puts what it sees into words, story.py prints and keeps figures,
command.py brings the sandbox up and takes it away, also when it is stopped.
"""
