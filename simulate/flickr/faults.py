"""Which requests go wrong, and how: rules with rates, drawn from a seed.

A draw depends on the seed, the rule, what is asked for and how often it was asked for before;
so a run can be repeated, whatever the order in which threads come.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from catalog.errors import SettingsError

from .invent import Inventor


class Host(StrEnum):
    """Where a fault strikes."""

    API = "api"
    IMAGE = "image"


class FaultKind(StrEnum):
    """What goes wrong. `value` is what follows the @ in a rule's text."""

    LATENCY = "latency"  # value: milliseconds
    STATUS = "status"  # written as the status itself; value: seconds of Retry-After
    TRUNCATED = "truncated"
    HTML = "html"
    ENDLESS = "endless"
    DRIP = "drip"  # value: milliseconds between two bytes
    RESET = "reset"
    REDIRECT = "redirect"
    REDIRECT_ELSEWHERE = "redirect-elsewhere"
    REDIRECT_LINK_LOCAL = "redirect-link-local"
    REDIRECT_LOOP = "redirect-loop"
    FAIL = "fail"  # API only; value: Flickr's code
    UNDERCOUNT = "undercount"  # API only
    MAXLAG = "maxlag"  # API of Commons only, as those that follow; value: seconds
    NO_LICENCE = "no-licence"
    TIFF = "tiff"
    SVG = "svg"
    VIDEO = "video"
    MOVED = "moved"
    GONE = "gone"  # the rest: image host only
    WRONG_SIZE = "wrong-size"
    ONE_PIXEL = "one-pixel"
    GIF = "gif"
    PNG = "png"
    BOMB = "bomb"


COMMONS_ONLY = frozenset(
    {FaultKind.MAXLAG, FaultKind.NO_LICENCE, FaultKind.TIFF, FaultKind.SVG, FaultKind.VIDEO,
     FaultKind.MOVED}
)  # fmt: skip
API_ONLY = COMMONS_ONLY | {FaultKind.FAIL, FaultKind.UNDERCOUNT}
IMAGE_ONLY = frozenset(
    {FaultKind.GONE, FaultKind.WRONG_SIZE, FaultKind.ONE_PIXEL, FaultKind.GIF, FaultKind.PNG,
     FaultKind.BOMB}
)  # fmt: skip
DEFAULT_VALUES = {FaultKind.LATENCY: 500.0, FaultKind.DRIP: 1000.0, FaultKind.FAIL: 105.0,
                  FaultKind.MAXLAG: 6.0}  # fmt: skip

RULE = re.compile(r"(?:(api|image):)?([a-z-]+|\d{3})(?:@(\d+(?:\.\d+)?))?=(\d*\.?\d+)")


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong; `status` is that of FaultKind.STATUS."""

    kind: FaultKind
    value: float | None = None
    status: int = 0

    @property
    def name(self) -> str:
        """The kind as it is written in a rule."""
        return str(self.status) if self.kind is FaultKind.STATUS else self.kind.value


@dataclass(frozen=True)
class Rule:
    """How often a fault strikes; only there, only where `only` occurs, only the `first` times."""

    fault: Fault
    rate: float
    host: Host | None = None
    only: str = ""
    first: int | None = None

    def may_strike(self, host: Host, target: str, attempt: int) -> bool:
        """Whether the rule is about this request at all; the first attempt is 0."""
        in_time = self.first is None or attempt < self.first
        return self.host in (None, host) and self.only in target and in_time


@dataclass(frozen=True)
class Faults:
    """All rules together; the earlier of two that strike wins, but latency adds to either."""

    rules: tuple[Rule, ...] = ()
    seed: int = 0

    def draw(self, host: Host, target: str, attempt: int) -> tuple[Fault, ...]:
        """What goes wrong with the attempt: at most one latency and at most one other fault."""
        struck = [
            rule.fault
            for number, rule in enumerate(self.rules)
            if rule.may_strike(host, target, attempt)
            and Inventor(self.seed, f"{number}/{target}").happens(f"{attempt}", rule.rate)
        ]
        slow = [fault for fault in struck if fault.kind is FaultKind.LATENCY]
        other = [fault for fault in struck if fault.kind is not FaultKind.LATENCY]
        return (*slow[:1], *other[:1])


NO_FAULTS = Faults()


def parse_rule(text: str) -> Rule:
    """The rule written as [api:|image:]KIND[@VALUE]=RATE, such as image:429@30=0.1.

    Raises SettingsError for any other text.
    """
    match = RULE.fullmatch(text.strip())
    if match is None:
        raise SettingsError(
            f"The fault {text!r} must be written [api:|image:]KIND[@VALUE]=RATE, "
            "for example image:429@30=0.1."
        )
    host, kind, value, rate = match.groups()
    if not 0 <= float(rate) <= 1:
        raise SettingsError(f"The rate of the fault {text!r} must be from 0 to 1.")
    fault = _make_fault(kind, float(value) if value else None)
    return Rule(fault, float(rate), _choose_host(text, fault, host))


def _make_fault(kind: str, value: float | None) -> Fault:
    if kind.isdecimal():
        if not 400 <= int(kind) <= 599:
            raise SettingsError(f"The fault {kind} must be a status from 400 to 599.")
        return Fault(FaultKind.STATUS, value, int(kind))
    names = [known.value for known in FaultKind if known is not FaultKind.STATUS]
    if kind not in names:
        raise SettingsError(
            f"There is no fault {kind!r}; there are {', '.join(names)} "
            "and the statuses from 400 to 599."
        )
    known = FaultKind(kind)
    return Fault(known, DEFAULT_VALUES.get(known) if value is None else value)


def _choose_host(text: str, fault: Fault, host: str | None) -> Host | None:
    only = Host.API if fault.kind in API_ONLY else Host.IMAGE if fault.kind in IMAGE_ONLY else None
    if host is None:
        return only
    if only not in (None, Host(host)):
        raise SettingsError(f"The fault {text!r} is one of the {only} host alone.")
    return Host(host)
