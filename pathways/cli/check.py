"""check STACK: the settings of a stack file alone."""

from __future__ import annotations

from pathways.cli.failure import CouldNotLook, FoundWanting
from pathways.settings import SettingsError, StackNotFound, find_stack, load_stack_file
from pathways.wording import counted


def run(stack: str) -> None:
    try:
        path = find_stack(stack)
        settings = load_stack_file(path)
    except SettingsError as error:
        raise FoundWanting(str(error)) from None
    except StackNotFound as error:
        raise CouldNotLook(str(error)) from None
    for group in settings.slices:
        for warning in group.slice.warnings:
            print(f"{path}: warning: group {group.name}: {warning}")
    slices = counted(sum(group.count for group in settings.slices), "slice")
    spares = counted(sum(group.spares for group in settings.slices), "spare")
    print(f"{path}: fine; {slices}, {spares}, {counted(len(settings.workloads), 'job')}")
