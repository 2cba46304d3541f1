"""Why a command of the sandbox could not look: one line for people, exit code 2."""

from __future__ import annotations


class SandboxError(Exception):
    """The text is the message."""


class Busy(SandboxError):
    """Another command works on this sandbox."""


class Damaged(SandboxError):
    """A file of the sandbox cannot be read; the message names it and the way out."""


class DaemonError(SandboxError):
    """The daemon did not come up or did not go away; the message says what its log says."""


class EngineError(SandboxError):
    """The engine refuses to work on the stack at all; the message is its own."""


class RecoveryError(SandboxError):
    """What an interrupted run left cannot be looked into."""


class UnknownDrill(SandboxError):
    """There is no drill of that name; the message lists them."""


class CouldNotLook(SandboxError):
    """A drill could not be played to its end; the message says what was not to be had."""


class NoSchedules(SandboxError):
    """Seeds were given to a drill in which chance plays no part."""
