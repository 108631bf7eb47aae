"""party.toml: every setting of a party, read once into frozen values.

docs/manual/party-toml.md describes each key; a test holds the two together.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, StrictBool, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from vockit.errors import SettingsError

from .validation import describe_first_error, matching, parse_toml, read_text

FILE_NAME = "party.toml"
KEY_VARIABLE = "VOCPARTY_FLICKR_KEY"
PASSWORD_VARIABLE = "VOCPARTY_ORGANISER_PASSWORD"  # noqa: S105  the variable's name

_strict = ConfigDict(extra="forbid", strict=False)  # a list is taken for a tuple
_Count = Annotated[int, Field(ge=0, strict=True)]
_Positive = Annotated[int, Field(gt=0, strict=True)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Address = Annotated[
    str, matching(r"https?://[^/\s]+/\S*", "an address such as https://HOST/PATH/")
]
_Name = Annotated[str, Field(max_length=200), matching(r"(?s).*\S.*", "a name that is not blank")]
_Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, config=_strict)
class FlickrSettings:
    """How Flickr is asked; the key may come from the environment instead of the file."""

    key: str = ""
    api_url: _Address = "https://api.flickr.com/services/rest/"
    image_hosts: tuple[str, ...] = ("live.staticflickr.com",)
    calls_per_hour: _Positive = 3600
    timeout_secs: _Seconds = 15.0


@dataclass(frozen=True, config=_strict)
class CommonsSettings:
    """How Wikimedia Commons is asked, which needs no key.

    Without `calls_per_hour`, Settings.count_calls_per_hour knows it from `contact`.
    """

    api_url: _Address = "https://commons.wikimedia.org/w/api.php"
    image_hosts: tuple[str, ...] = ("upload.wikimedia.org", "thumb.wikimedia.org")
    calls_per_hour: _Positive | None = None
    downloads_at_once: _Positive = 2
    timeout_secs: _Seconds = 30.0


UNDATED_MONTHS = 120
"""What is sampled of a table without dates gets as much room as so many months."""


@dataclass(frozen=True, config=_strict)
class TableSettings:
    """How a table of photographs is sampled, and where its pictures are.

    `pictures_url` and `copies_url` are where YFCC100M's are: at Flickr, and in the public bucket.
    """

    photos_per_month: _Positive = 50
    image_hosts: tuple[str, ...] = ()
    pictures_url: _Address = "https://live.staticflickr.com/"
    copies: StrictBool = False
    copies_url: _Address = "https://multimedia-commons.s3-us-west-2.amazonaws.com/"

    def __post_init__(self) -> None:
        for url in (self.pictures_url, self.copies_url):
            _name_host(url)  # raises ValueError for a port that is none

    @property
    def all_image_hosts(self) -> tuple[str, ...]:
        """The hosts of the setting, and those of YFCC100M's pictures and, if used, its copies."""
        urls = (self.pictures_url, self.copies_url) if self.copies else (self.pictures_url,)
        return (*self.image_hosts, *map(_name_host, urls))


def _name_host(url: str) -> str:
    """The host as image_hosts has it: with a port unless it is that of HTTPS."""
    parts = urlsplit(url)
    is_usual = parts.scheme == "https" and parts.port in (None, 443)
    return parts.hostname or "" if is_usual else f"{parts.hostname}:{parts.port or 80}"


NO_DERIVATIVES = (3, 6, 13, 16)
"""Flickr's ids of the licences that forbid changed copies; releases scale photographs."""


@dataclass(frozen=True, config=_strict)
class CollectSettings:
    """Which photographs are drawn and what of them is kept (the paper, section 3.1)."""

    source: Literal["flickr", "commons", "table"] = "flickr"
    contact: str = ""
    target_images: _Positive = 1000
    dates: Literal["upload", "taken", "none"] = "upload"
    first_date: date = date(2005, 1, 1)
    last_date: date | None = None
    licences: tuple[str, ...] = tuple(
        str(number) for number in range(1, 17) if number not in NO_DERIVATIVES
    )
    require_licence: StrictBool = False
    choice: Literal["balanced", "uniform"] = "balanced"
    class_targets: Mapping[str, _Count] = field(default_factory=dict)
    queries: Mapping[str, tuple[_Name, ...]] = field(default_factory=dict)
    photos_per_search: _Positive = 10
    photos_per_owner: _Positive = 20
    photos_per_owner_and_day: _Positive = 1
    longest_side_px: _Positive = 500
    min_side_px: _Positive = 100
    max_bytes: _Positive = 20_000_000
    max_pixels: _Positive = 40_000_000
    connect_timeout_secs: _Seconds = 5.0
    read_timeout_secs: _Seconds = 15.0
    total_timeout_secs: _Seconds = 60.0
    attempts: _Positive = 5
    workers: _Positive = 8
    recheck_days: _Count = 7
    seed: int | None = None


@dataclass(frozen=True, config=_strict)
class DedupSettings:
    """How near hashes must be to be looked at closely, and what counts as one event.

    What is then one photograph is decided by verification, whose thresholds are measured, not set.
    """

    max_distance_64_bits: Annotated[int, Field(ge=0, le=64)] = 10
    max_distance_256_bits: Annotated[int, Field(ge=0, le=256)] = 80
    min_quality: Annotated[float, Field(ge=0, le=100)] = 1.0
    same_event_minutes: _Count = 10
    memory_mb: Annotated[int, Field(ge=64, strict=True)] = 1024
    cluster_wait_secs: _Seconds = 600.0

    @property
    def memory_bytes(self) -> int:
        """`memory_mb` in bytes."""
        return self.memory_mb * 1024**2


@dataclass(frozen=True, config=_strict)
class AnnotateSettings:
    """How the browser application behaves."""

    lease_secs: _Positive = 600
    images_ahead: Annotated[int, Field(ge=0, le=10, strict=True)] = 2
    images_per_minute: _Positive = 60
    saves_per_minute: _Positive = 240
    judge_each_object: StrictBool = False
    checkers_open_released: StrictBool = False
    presence_pass: StrictBool = False
    groups: StrictBool = False
    session_hours: _Positive = 72
    min_box_px: _Positive = 4
    max_objects: _Positive = 1000
    max_body_bytes: _Positive = 2_000_000
    signins_per_minute: _Positive = 30


CONFUSABLE: tuple[tuple[str, str], ...] = (
    ("bicycle", "motorbike"),
    ("bus", "car"),
    ("bus", "train"),
    ("cat", "dog"),
    ("chair", "sofa"),
    ("cow", "horse"),
    ("cow", "sheep"),
    ("dog", "sheep"),
    ("dog", "cow"),
    ("horse", "sheep"),
)
"""Classes of VOC that look alike; the paper names the first and cat and dog (sections 3.6, 6.2)."""


@dataclass(frozen=True, config=_strict)
class QaSettings:
    """When the automatic checks speak, and how agreement is measured."""

    same_class_overlap: _Share = 0.5
    same_class_px: _Count = 5
    other_class_overlap: _Share = 0.5
    confusable_overlap: _Share = 0.5
    confusable: tuple[tuple[str, str], ...] = CONFUSABLE
    border_margin_px: _Count = 1
    far_part_share: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5
    min_active_secs: Annotated[float, Field(ge=0)] = 2.0
    min_active_secs_per_object: Annotated[float, Field(ge=0)] = 0.5
    person_min_objects: _Positive = 30
    box_size_bias: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.05
    switched_off: tuple[str, ...] = ()
    double_share: _Share = 0.05
    discard_share: _Share = 0.05
    gold_share: _Share = 0.02
    repeat_share: _Share = 0.02
    imported: Literal["check", "accept"] = "check"
    imported_share: _Share = 0.0
    match_overlap: Annotated[float, Field(gt=0, le=1)] = 0.3
    training_images: _Count = 0
    training_found: _Share = 0.8
    return_rounds: _Positive = 2


@dataclass(frozen=True, config=_strict)
class SuggestionSettings:
    """From which share of the images suggestions are withheld, and how many crops are gold."""

    withheld: _Share = 0.2
    gold_share: _Share = 0.1


@dataclass(frozen=True, config=_strict)
class QuestionSettings:
    """Whether people are asked which images show what, and how many have to agree.

    With a `confidence` a question is asked until a no is so sure, if each answer is wrong with the
    chance `wrong_share`; without one until `agree` people agree. `gold_share` of the images of a
    page are gold. With `boxes`, people then draw the objects class by class.
    """

    on: StrictBool = False
    agree: Annotated[int, Field(ge=1, le=9, strict=True)] = 2
    agree_by_class: Mapping[str, Annotated[int, Field(ge=1, le=9, strict=True)]] = field(
        default_factory=dict
    )
    confidence: Annotated[float, Field(ge=0, lt=1)] = 0.0
    wrong_share: Annotated[float, Field(gt=0, lt=0.5)] = 0.02
    gold_share: _Share = 0.1
    boxes: StrictBool = False


@dataclass(frozen=True, config=_strict)
class ExportSettings:
    """How a release is named and split."""

    database: str = ""
    annotation: str = ""
    image: str = "flickr"
    train_share: _Share = 0.25
    val_share: _Share = 0.25
    test_share: _Share = 0.5
    most_off_points: Annotated[float, Field(ge=0, le=100)] = 2.0
    void_width_px: Annotated[int, Field(ge=0, le=50, strict=True)] = 5
    difficult_masks: Literal["void", "labelled"] = "void"
    negatives: bool = False
    exhaustive: Literal["all", "query"] = "all"
    people_results: StrictBool = False
    seed: int = 0

    def __post_init__(self) -> None:
        total = self.train_share + self.val_share + self.test_share
        if abs(total - 1) > 1e-6:
            raise ValueError(
                f"train_share, val_share and test_share must add up to 1, not {total:g}"
            )


_Page = Annotated[str, matching(r"(https?://[^/\s]+\S*)?", "an address such as https://HOST/")]


@dataclass(frozen=True, config=_strict)
class ServeSettings:
    """Where people reach the pages; links have this address whatever a request calls the host."""

    url: _Page = ""
    organiser_password: str = ""
    metrics_from: tuple[str, ...] = ("127.0.0.1", "::1")

    def images_url(self, image: object) -> str | None:
        """Where the page Images shows an image by its number or name; None without a `url`."""
        return f"{self.url.rstrip('/')}/images?id={image}" if self.url else None

    @property
    def how_to_open(self) -> str:
        """How to open an image that a command or a report names, in one sentence."""
        command = "`vocparty images --id IMAGE` (a link is shown here once [serve] url is set)"
        return f"To open an image: {self.images_url('IMAGE') or command}."


_Doi = Annotated[str, matching(r"(10\.[0-9]{4,9}/\S+)?", "a DOI such as 10.1234/ABC")]


@dataclass(frozen=True, config=_strict)
class ReleaseSettings:
    """Who makes the dataset and what for; datasheet, citation, metadata and card say it."""

    authors: tuple[_Name, ...] = ()
    affiliation: str = ""
    contact: str = ""
    homepage: _Page = ""
    doi: _Doi = ""
    funding: str = ""
    annotation_licence: str = ""
    intended_use: str = ""
    known_limits: str = ""


@dataclass(frozen=True, config=_strict)
class Settings:
    """All of party.toml. `catalogue` and `images` may be relative to the party's folder."""

    name: _Name
    preset: str = "voc2012"
    catalogue: str = "sqlite:///catalogue.db"
    images: str = "images"
    flickr: FlickrSettings = field(default_factory=FlickrSettings)
    commons: CommonsSettings = field(default_factory=CommonsSettings)
    table: TableSettings = field(default_factory=TableSettings)
    collect: CollectSettings = field(default_factory=CollectSettings)
    dedup: DedupSettings = field(default_factory=DedupSettings)
    annotate: AnnotateSettings = field(default_factory=AnnotateSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    qa: QaSettings = field(default_factory=QaSettings)
    suggestions: SuggestionSettings = field(default_factory=SuggestionSettings)
    questions: QuestionSettings = field(default_factory=QuestionSettings)
    export: ExportSettings = field(default_factory=ExportSettings)
    release: ReleaseSettings = field(default_factory=ReleaseSettings)

    def count_calls_per_hour(self, source: str) -> int:
        """How many calls a source gets in an hour: of Commons' limit a margin stays free.

        Wikimedia allows 200 a minute to a program that names its operator, 10 to others (2026).
        """
        if source == "flickr":
            return self.flickr.calls_per_hour
        a_minute = 150 if self.collect.contact.strip() else 8
        return self.commons.calls_per_hour or 60 * a_minute

    @property
    def image_hosts(self) -> tuple[str, ...]:
        """The hosts of every source: photos of another one may wait still."""
        searched = (*self.flickr.image_hosts, *self.commons.image_hosts)
        return (*searched, *self.table.all_image_hosts)


def parse_settings(text: str, *, origin: str = FILE_NAME) -> Settings:
    """The settings that a party.toml's text gives; raises SettingsError for the first mistake."""
    return make_settings(parse_toml(text, origin), origin=origin)


def make_settings(values: Mapping[str, Any], *, origin: str = FILE_NAME) -> Settings:
    """The settings that a nested mapping gives; raises SettingsError for the first mistake."""
    try:
        return TypeAdapter(Settings).validate_python(dict(values))
    except ValidationError as error:
        raise SettingsError(f"{origin}: {describe_first_error(error, Settings)}") from error


def read_settings(path: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in a file; key and password may come from the environment instead."""
    settings = parse_settings(read_text(path), origin=str(path))
    key = settings.flickr.key or environ.get(KEY_VARIABLE, "")
    password = settings.serve.organiser_password or environ.get(PASSWORD_VARIABLE, "")
    serve = replace(settings.serve, organiser_password=password)
    return replace(settings, flickr=replace(settings.flickr, key=key), serve=serve)
