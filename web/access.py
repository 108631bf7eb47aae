"""Who may call a view, as its route says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """Who may call a view: people of these roles, or everyone, for the reason given.

    A view that `only_reads` takes no write lock, though it is called by POST. One that `takes_link`
    may be called by a program that brings a personal link instead of a session. One that `streams`
    reads the body itself, in parts, before its transaction.
    """

    roles: frozenset[str]
    open_because: str | None = None
    only_reads: bool = False
    takes_link: bool = False
    streams: bool = False
