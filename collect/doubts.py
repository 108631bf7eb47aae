"""When a failed photograph is believed to be lost, and when the world is at fault instead.

A photo whose answer would cost it is asked for once more, a moment later; the second answer counts.
A miss is believed once its host gave a picture that was asked for later. Until then it is only a
doubt: the photo stays `found`, with the reason on its row. Eight doubts of one kind in a row end
the run, and none of them is believed. A later run that gets the same answer for the same photo, an
hour or more after the first one, believes it.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from catalog.doubts import MOST_IN_A_ROW, Doubt, is_said_again

from .claims import Claim
from .errors import (
    HostNotAllowedError,
    PhotoError,
    PhotoGoneError,
    Reason,
    SameFaultError,
    format_reason,
)
from .transport import parse_endpoint

MOST_OF_AN_OWNER = MOST_IN_A_ROW // 2
"""An owner who left the source has many dead photographs; more of them say nothing of the host."""
GROWTH = 2
"""A run that settled many by a second answer may meet so many times more before it stops."""

_OPEN = "open {url} in a browser"
_ADVICE: Mapping[Reason, str] = {
    Reason.HTML: f"{_OPEN}: the network may want you to sign in, or a proxy is in the way",
    Reason.PRIVATE: f"{_OPEN}: the host may refuse this machine or this network",
    Reason.FOREIGN_ADDRESS: f"{_OPEN}: the network may want you to sign in, or the host moved",
    Reason.DECODER_ENDED: "look whether this machine has enough free memory",
}


@dataclass(frozen=True)
class Miss:
    """A photo that gave no picture; `number` says in which order photos were asked for."""

    claim: Claim
    fault: PhotoError
    number: int

    @property
    def host(self) -> str:
        """The host that was to give it."""
        return find_host(self.claim.image_url)

    @property
    def is_ours(self) -> bool:
        """Whether our own settings refuse the host, so that it was not even asked."""
        return isinstance(self.fault, HostNotAllowedError)


@dataclass
class Doubts:
    """The misses of one run that are not believed yet; threads may share it.

    `is_one_owner` says that the run has photographs of one owner only, so all of them count.
    """

    is_one_owner: bool = False
    _pending: list[Miss] = field(default_factory=list)
    _asked: dict[int, str] = field(default_factory=dict)  # the host of what has not ended yet
    _last_good: defaultdict[str, int] = field(default_factory=lambda: defaultdict(lambda: -1))
    _confirmed: Counter[tuple[str, Reason]] = field(default_factory=Counter)
    _stopped: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, host: str, number: int) -> None:
        """Note that a host is being asked: what comes later is no row before this has ended."""
        with self._lock:
            self._asked[number] = host

    def drop(self, number: int) -> None:
        """Note that this ended otherwise than with a picture or a miss."""
        with self._lock:
            self._asked.pop(number, None)

    def hear_picture(self, host: str, number: int) -> list[Miss]:
        """The misses of the host that are believed now, since it gave a later picture."""
        with self._lock:
            self._asked.pop(number, None)
            self._last_good[host] = max(number, self._last_good[host])
            return [] if host in self._stopped else self._take_older(host)

    def hear_miss(self, miss: Miss) -> list[Miss]:
        """The miss where it is believed at once; raises SameFaultError for one too many of a kind.

        That error comes once for each host.
        """
        host = miss.host
        with self._lock:
            self._asked.pop(miss.number, None)
            photo_id = miss.claim.photo_id  # of one photo only the newest answer counts
            others = [other for other in self._pending if other.claim.photo_id != photo_id]
            self._pending = [*others, miss]
            if host in self._stopped:
                return []
            if believed := self._take_older(host):
                return believed
            if row := self._find_row(miss):
                hosts = {other.host for other in row}
                self._stopped |= hosts
                raise SameFaultError(describe_row(row), host if len(hosts) == 1 else None)
            return []

    def confirm(self, miss: Miss) -> None:
        """Count a miss that is believed because of an earlier run's answer."""
        with self._lock:
            self._asked.pop(miss.number, None)
            self._confirmed[miss.host, miss.fault.reason] += 1

    def end(self) -> list[Miss]:
        """The misses that are believed when the run ends by itself: those of short rows.

        A host that gave no picture at all may be shut to everybody, so nothing is believed of it.
        """
        with self._lock:
            counts = Counter((miss.host, miss.fault.reason) for miss in self._pending)
            short = {kind for kind, count in counts.items() if count < MOST_IN_A_ROW}
            return [
                miss
                for miss in self._pending
                if (miss.host, miss.fault.reason) in short
                and self._last_good[miss.host] >= 0
                and miss.host not in self._stopped
                and not miss.is_ours
            ]

    def _take_older(self, host: str) -> list[Miss]:
        """Remove and return the host's misses that were asked for before its last picture."""
        last_good = self._last_good[host]
        older = list[Miss]()
        others = list[Miss]()
        for miss in self._pending:
            is_older = miss.host == host and miss.number < last_good
            (older if is_older and not miss.is_ours else others).append(miss)
        self._pending = others
        return older

    def _find_row(self, miss: Miss) -> list[Miss]:
        """The misses of the same kind in a row, where they are too many; else none.

        A row is of one host, or of all hosts where none of them gave a picture in between. What
        our own settings refuse says nothing of a host, so only the second kind counts there.
        """
        same = [
            other
            for other in self._pending
            if other.fault.reason is miss.fault.reason and other.is_ours is miss.is_ours
        ]
        of_host = [other for other in same if other.host == miss.host]
        asked = [number for number, host in self._asked.items() if host == miss.host]
        row = find_row(of_host, miss.number, asked)
        if not miss.is_ours and self._is_long(row):
            return row
        last_good = max(self._last_good.values(), default=-1)
        of_all = [other for other in same if other.number > last_good]
        row = find_row(of_all, miss.number, list(self._asked))
        return row if self._is_long(row) else []

    def _is_long(self, row: Sequence[Miss]) -> bool:
        kinds = {(miss.host, miss.fault.reason) for miss in row}
        confirmed = sum(self._confirmed[kind] for kind in kinds)
        count = count_by_owner([miss.claim for miss in row], is_one_owner=self.is_one_owner)
        return count >= max(MOST_IN_A_ROW, GROWTH * confirmed)


def find_row(misses: Sequence[Miss], number: int, asked: Sequence[int]) -> list[Miss]:
    """Those of the misses around a number that nothing separates that was asked for and runs."""
    first = max((other for other in asked if other < number), default=-1)
    last = min((other for other in asked if other > number), default=None)
    return [miss for miss in misses if first < miss.number and (last is None or miss.number < last)]


@dataclass
class CopyRow:
    """Photos of a host for which one same picture came, by the number of their asking.

    `after` is the last number under which the host gave another picture before them.
    """

    sha256: str
    after: int
    claims: dict[int, Claim]

    def add(self, claim: Claim, number: int) -> None:
        """Take a photo into the row, unless another picture ended it or its address is known."""
        addresses = {other.image_url for other in self.claims.values()}
        if number > self.after and claim.image_url not in addresses:
            self.claims[number] = claim

    def cut(self, number: int) -> None:
        """Leave out what was asked for before another picture of the host."""
        self.after = max(self.after, number)
        self.claims = {place: claim for place, claim in self.claims.items() if place > number}


@dataclass
class Copies:
    """Photos of a host in a row for which one same picture came; threads may share it.

    That is a placeholder, unless it ends soon: people do post the same picture. A row is in the
    order in which photos were asked for, whichever picture is recorded first.
    """

    is_one_owner: bool = False
    _rows: dict[str, CopyRow] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, claim: Claim, sha256: str, number: int) -> list[Claim]:
        """The photos of the row, once it is too long, from its first on; else none."""
        host = find_host(claim.image_url)
        with self._lock:
            row = self._rows.setdefault(host, CopyRow(sha256, -1, {}))
            if row.sha256 == sha256:
                row.add(claim, number)
            elif number > max(row.claims):
                self._rows[host] = CopyRow(sha256, max(row.claims), {number: claim})
            else:
                row.cut(number)
            claims = [claim for _, claim in sorted(self._rows[host].claims.items())]
        count = count_by_owner(claims, is_one_owner=self.is_one_owner)
        return claims if count >= MOST_IN_A_ROW else []


def count_by_owner(claims: Sequence[Claim], *, is_one_owner: bool) -> int:
    """How many photos there are, of each owner at most MOST_OF_AN_OWNER where there are others."""
    owners = Counter(claim.owner_id for claim in claims)
    unknown = owners.pop(None, 0)
    most = len(claims) if is_one_owner else MOST_OF_AN_OWNER
    return unknown + sum(min(most, photos) for photos in owners.values())


def make_copy_fault() -> PhotoGoneError:
    """The fault of a photo for which the picture of others came."""
    return PhotoGoneError(Reason.PLACEHOLDER, "one same picture came for many photographs")


def is_asked_twice(fault: PhotoError) -> bool:
    """Whether a photo is asked for at once more: its loss may be a slip of its host's.

    Not what would be tried again anyway, nor what its host was not asked for, or may be harmful,
    nor a whole picture that is too small.
    """
    is_final = fault.reason in (Reason.DECODER_ENDED, Reason.TOO_MANY_BYTES, Reason.TOO_SMALL)
    return fault.permanent and not is_final and not isinstance(fault, HostNotAllowedError)


def is_said_twice(claim: Claim, fault: PhotoError, began: datetime) -> bool:
    """Whether a run of an hour before this one began, or longer, got the same answer.

    A clock that is set ahead during a run makes no second answer of its first.
    """
    if isinstance(fault, HostNotAllowedError):
        return False
    return is_said_again(fault.reason, Doubt(claim.doubt, claim.doubted_at), began)


def find_host(url: str) -> str:
    """The host that an address leads to, with an unusual port; empty for no web address."""
    endpoint = parse_endpoint(url)
    return endpoint.named if endpoint else ""


def describe_row(row: Sequence[Miss]) -> str:
    """What happened, what it costs, and what to do next."""
    last = row[-1]
    host = last.host if len({miss.host for miss in row}) == 1 else "several hosts"
    if last.is_ours:
        return (
            f"{len(row)} photographs in a row are on hosts that are not allowed: "
            f"{last.fault.detail}. Add the host to image_hosts in party.toml and run the same "
            "command again; the photographs wait for it."
        )
    return (
        f"{len(row)} photographs of {host} in a row ended for one reason: "
        f"{format_reason(str(last.fault))}. The host, the network or this machine is probably at "
        f"fault, so none of them was given up. {advise(last.fault.reason, last.claim.image_url)}, "
        "and run the same command again. If the answers are the same an hour from now, these "
        "photographs are recorded as lost and the run goes on."
    )


def advise(reason: Reason, url: str) -> str:
    """What to do about photographs that end for this reason, as the first part of a sentence."""
    text = _ADVICE.get(reason, _OPEN).format(url=url)
    return text[0].upper() + text[1:]
