"""How the simulated cloud and the provider before it say no."""

from __future__ import annotations


class Refusal(Exception):
    """A call that is not carried out. The text is what the program's user reads.

    passing: the provider tries again until its time is up: GKE refused because other work is under way.
    """

    def __init__(self, text: str, *, passing: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.passing = passing

    def prefixed(self, prefix: str) -> Refusal:
        return Refusal(f"{prefix}{self.text}", passing=self.passing)


def google(code: int, message: str, reason: str) -> Refusal:
    """What an API of Google Cloud answers, as the provider prints it.

    The provider takes quota errors (429) and failedPrecondition for passing ones.
    Source: resource_container_node_pool.go:895-915, google-beta 93c65b2.
    """
    return Refusal(
        f"googleapi: Error {code}: {message}, {reason}", passing=code == 429 or reason == "failedPrecondition"
    )


def bad_request(message: str) -> Refusal:
    return google(400, message, "badRequest")


def not_found(message: str) -> Refusal:
    return google(404, message, "notFound")
