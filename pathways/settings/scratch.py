"""The bucket in which Pathways keeps compiled programs, and what else has a place in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field

from pathways.buckets import bucket_name_fault
from pathways.settings.base import FOLDER, Fault, Positive, Settings, must_hold, refused
from pathways.wording import counted, quoted


def _bucket_name(name: str) -> str:
    if fault := bucket_name_fault(name):
        raise refused(f"{quoted(name)} {fault}")
    return name


BucketName = Annotated[str, AfterValidator(_bucket_name)]
Folder = Annotated[str, Field(pattern=FOLDER, max_length=200)]


class Profiles(Settings):
    """Profiles of the jobs' programs."""

    prefix: Folder = "profiles"
    """Folder in the bucket, without slashes at its ends."""
    expire_days: Positive = 30
    """Age in days at which profiles are deleted."""


class Dumps(Settings):
    """What the compiler is given, for jobs that dump it."""

    prefix: Folder = "hlo"
    """Folder in the bucket, without slashes at its ends."""
    expire_days: Positive = 7
    """Age in days at which dumps are deleted."""


class Place(NamedTuple):
    """A folder of the bucket. path: of its settings, from the mapping. expire_days: age at which its objects go."""

    path: tuple[str, ...]
    prefix: str
    expire_days: int


class ScratchSettings(Settings):
    """One bucket and one prefix for all jobs: a bucket takes 50 prefixes with lifecycle rules at most."""

    enabled: bool = True
    """Without it there is no bucket: Pathways keeps compiled programs in memory and compiles anew at every start."""
    bucket: BucketName = ""
    """Name of the bucket; absent: PROJECT-CLUSTER-scratch."""
    prefix: Folder = "pathways"
    """Folder in the bucket, without slashes at its ends."""
    expire_days: Positive = 7
    """Age in days at which Pathways' objects are deleted."""
    aborted_upload_days: Positive = 1
    """Age in days at which parts of unfinished uploads are deleted."""
    profiles: Profiles | None = None
    """Absent: profiles are below `prefix` and go with the compiled programs."""
    dumps: Dumps | None = None
    """Absent: a job that dumps what its compiler is given names a place of its own."""
    overwrite_lifecycle: bool = False
    """Write the ages above to a bucket that stands. Pathways keeps a rule of its own in the same list, which is why an
    update leaves that alone; one update with this takes Pathways' rule away, which sets it again when a job starts
    next. Take it out then."""

    @property
    def location(self) -> str:
        """What Pathways is told, such as "gs://bucket/pathways"; empty without a bucket."""
        return self._in_bucket(self.prefix) if self.enabled else ""

    @property
    def profile_location(self) -> str | None:
        """Where profiles have a place of their own, such as "gs://bucket/profiles"."""
        return self._in_bucket(self.profiles.prefix) if self.profiles else None

    @property
    def dump_location(self) -> str | None:
        """Where dumps have a place, such as "gs://bucket/hlo"."""
        return self._in_bucket(self.dumps.prefix) if self.dumps else None

    @property
    def places(self) -> list[Place]:
        """Every folder whose objects go with age, that of compiled programs first."""
        others = [("profiles", self.profiles), ("dumps", self.dumps)]
        return [
            Place(("prefix",), self.prefix, self.expire_days),
            *(Place((key, "prefix"), place.prefix, place.expire_days) for key, place in others if place),
        ]

    def _in_bucket(self, prefix: str) -> str:
        return f"gs://{self.bucket}/{prefix}"

    @must_hold
    def _keeps_its_places_apart(self) -> Iterator[Fault]:
        """A rule about a folder takes what is in the folders below it, too."""
        for first, second in combinations(self.places, 2):
            inner, outer = (second, first) if _lies_in(second.prefix, first.prefix) else (first, second)
            if _lies_in(inner.prefix, outer.prefix):
                yield Fault(
                    second.path,
                    f"{quoted(inner.prefix)}, for {counted(inner.expire_days, 'day')}, lies in {quoted(outer.prefix)},"
                    f" whose objects are deleted after {counted(outer.expire_days, 'day')}; take a folder beside it",
                )

    @must_hold
    def _has_a_bucket_for_its_places(self) -> Iterator[Fault]:
        for key, value in (
            ("profiles", self.profiles),
            ("dumps", self.dumps),
            ("overwriteLifecycle", self.overwrite_lifecycle),
        ):
            if value and not self.enabled:
                yield Fault((key,), "is of the bucket that enabled: false takes away; take one of them out")


def _lies_in(inner: str, outer: str) -> bool:
    return f"{inner}/".startswith(f"{outer}/")
