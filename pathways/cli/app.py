"""Declares the commands. What they need is imported when they run, so that each starts fast."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pathways.cli.failure import CouldNotLook, FoundWanting

app = typer.Typer(
    name="pathways",
    help="Looks at stacks of Pathways on Cloud TPU slices, without a cloud.",
    epilog="Exit codes: 0 fine, 1 found wanting, 2 could not look.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def check(
    stack: Annotated[str, typer.Argument(help="Name of a stack (dev: stacks/Pulumi.dev.yaml), or a path")],
) -> None:
    """Check a stack file, and tell all that is wrong with it."""
    from pathways.cli import check

    check.run(stack)


@app.command()
def jobset(file: Annotated[str, typer.Argument(help="Manifest with a PathwaysJob; - for standard input")]) -> None:
    """Print the JobSet that the PathwaysJob controller makes of a PathwaysJob."""
    from pathways.cli import jobset

    jobset.run(file)


@app.command()
def slice(
    name: Annotated[
        str | None, typer.Argument(help="Name of a slice (v5p-128, v6e-16), or a machine type", show_default=False)
    ] = None,
    topology: Annotated[
        str | None, typer.Argument(help="With a machine type: its topology (4x4)", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every legal slice")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For machines")] = False,
) -> None:
    """Tell chips, hosts, names and quota of a slice."""
    from pathways.cli import slice

    slice.run(name, topology, every=every, as_json=as_json)


@app.command()
def lint(
    files: Annotated[list[str], typer.Argument(help="YAML files with manifests; - for standard input")],
    environment: Annotated[Literal["dev", "prod"], typer.Option(help="What they are meant for")] = "dev",
    as_json: Annotated[bool, typer.Option("--json", help="For machines")] = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="For code review tools")] = False,
) -> None:
    """Look at PathwaysJobs, JobSets, queues and priorities that you have, and tell what is wrong, line by line."""
    from pathways.cli import lint

    if code := lint.run(files, environment, as_json=as_json, as_sarif=as_sarif):
        raise typer.Exit(code)


@app.command()
def plan(
    stack: Annotated[str, typer.Argument(help="Name of a stack (dev: stacks/Pulumi.dev.yaml), or a path")],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="STATE",
            help="What exists, as `pulumi stack export` writes it; - for standard input",
            show_default=False,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A pool, group, cluster, bucket or job that the update may take away"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page for reviewers instead", show_default=False)
    ] = None,
) -> None:
    """Tell what a stack is: slices, quotas, jobs, order, costs, faults; with a state, what an update would do to it."""
    from pathways.cli.garbage import left_lying

    with left_lying():
        from pathways.cli import plan

        code = plan.run(stack, against=against, allowed=allow or (), as_json=as_json, page=html)
    if code:
        raise typer.Exit(code)


@app.command()
def logs(
    job: Annotated[str, typer.Argument(help="Name of a job")],
    stack: Annotated[
        str | None, typer.Option(help="Stack of the job, where several have one of that name", show_default=False)
    ] = None,
    head: Annotated[bool, typer.Option("--head", help="The head's alone")] = False,
    slice: Annotated[int | None, typer.Option(min=0, help="One slice's alone, from 0", show_default=False)] = None,
    worker: Annotated[int | None, typer.Option(min=0, help="One worker's alone, from 0", show_default=False)] = None,
) -> None:
    """Print the Cloud Logging query that finds a job's logs, the command that reads them, and the console's page."""
    from pathways.cli import logs

    logs.run(job, stack, head=head, slice_=slice, worker=worker)


@app.command()
def guard(
    preview: Annotated[str, typer.Argument(help="What `pulumi preview --json` prints; - for standard input")],
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A pool, cluster or bucket that may go")
    ] = None,
) -> None:
    """Fail where a preview replaces or deletes a cluster, a TPU pool, a TPU VM or a bucket."""
    from pathways.cli import guard

    guard.run(preview, allow or ())


@app.command()
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write instead of printing", show_default=False)
    ] = None,
) -> None:
    """Print the JSON Schema of stack files, by which editors complete and check them."""
    from pathways.cli import schema

    schema.run(output)


def main() -> int:
    """Run the command that the arguments name; return its exit code, or leave with it."""
    try:
        app()
    except (FoundWanting, CouldNotLook) as failure:
        print(failure, file=sys.stderr)
        return failure.exit_code
    return 0
