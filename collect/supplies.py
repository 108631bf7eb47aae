"""What the threads of one process take from: claimed photos, fetching processes, drawers."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import timedelta

from sqlalchemy.orm import Session

from catalog.party import Party

from .call_budget import CallBudget
from .claims import Claim, claim_photos
from .clock import Clock
from .draw_pool import DrawPool
from .drawers import Drawers
from .draws import Drawer
from .fetchers import Crew, Fetchers
from .flickr import Flickr
from .learnt import Learnt, name_licences
from .pauses import Pauses
from .recorder import Recorder
from .shelf import Shelf
from .unrecorded import Unrecorded

FILES_FOR_ONE = 4
"""So many files are in hand for each download at once: one that comes, two that are decoded and
stored, as a disk may be slow, and one that is asked for as soon as the first has come."""
_DOWNLOADS_OF_ONE = 4
"""Of a process: the fewer processes, the more of the processor's cache is left for each, and the
more files are lost with one."""
SHELF_SHARE = 3
"""So many photos are claimed at once for each download at once."""


def make_fetchers(party: Party, workers: int, notes: Unrecorded) -> Fetchers:
    """Processes that download as much at once as there are workers, and decode and store beside.

    Where one host has a limit of its own, the collector says when a download may begin, and the
    processes do not.
    """
    settings = party.settings
    is_by_host = settings.collect.downloads_per_host < workers
    crew = choose_crew(workers, is_told=is_by_host)
    hosts = settings.flickr.image_hosts
    return Fetchers(hosts, settings.collect, party.store, crew, notes)


def choose_crew(workers: int, *, is_told: bool) -> Crew:
    """The processes for so many downloads at once; one worker has one process and one file."""
    if workers == 1:
        return Crew(1, 1, 1)
    processes = -(-workers // _DOWNLOADS_OF_ONE)
    return Crew(processes, workers, FILES_FOR_ONE * workers, is_told)


def make_drawers(
    party: Party,
    clock: Clock,
    pauses: Pauses,
    pool: DrawPool,
    recorder: Recorder,
    budget: CallBudget,
    workers: int,
) -> Drawers:
    """Half as many draws at once as downloads, each with a client of its own."""
    settings = party.settings
    learnt = Learnt(party.catalogue, settings.collect.dates, name_licences(pool.rules.licences))
    return Drawers(
        max(1, workers // 2),
        lambda: Flickr(settings.flickr, budget, pauses),
        lambda flickr: Drawer(pool, flickr, recorder, clock, learnt),
    )


def make_shelf(party: Party, clock: Clock, recorder: Recorder, workers: int) -> Shelf:
    """A shelf of claimed photos, enough for three rounds; its name tells this process from all."""
    name = f"{socket.gethostname()[:40]}/{os.getpid()}/{secrets.token_hex(4)}"
    settings = party.settings.collect
    size = workers if workers == 1 else SHELF_SHARE * workers
    # A photo waits on the shelf for the others there, then for a fetcher and for a place among the
    # downloads, each at most as long as a download; and a minute for decoding and storing.
    lease = timedelta(seconds=(SHELF_SHARE + 3) * settings.total_timeout_secs + 60)

    def claim_more(session: Session, count: int) -> list[Claim]:
        return claim_photos(
            session, name, count, now=clock.now(), lease=lease, attempts=settings.attempts
        )

    return Shelf(recorder, claim_more, size)
