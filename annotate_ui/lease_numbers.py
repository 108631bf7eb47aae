"""Numbers under which pages know leases: nobody can tell from them what kind a lease is of.

Leases and blind tasks are counted apart, so that their own numbers would say which image is one
that somebody annotated before. Outside they are enciphered by the party's key: a Feistel network
of four rounds (Luby and Rackoff, SIAM Journal on Computing 17, 1988), walked on until the number
is small enough for a column.
"""

from __future__ import annotations

import hmac

from flask import current_app

from .schemas import MAX_ID

_ROUNDS = (0, 1, 2, 3)
_HALF_BITS = 16
_HALF = 0xFFFF


def seal(number: int) -> int:
    """The number that pages see; another one for every number."""
    return _walk(number, _ROUNDS)


def unseal(number: int) -> int:
    """The number that was sealed."""
    return _walk(number, _ROUNDS[::-1])


def _walk(number: int, order: tuple[int, ...]) -> int:
    while True:
        number = _turn(number, order)
        if number <= MAX_ID:
            return number


def _turn(number: int, order: tuple[int, ...]) -> int:
    """One pass through the network; the rounds in reverse order undo it."""
    first, second = number >> _HALF_BITS, number & _HALF
    for turn in order:
        first, second = second, first ^ _mix(turn, second)
    return second << _HALF_BITS | first


def _mix(turn: int, half: int) -> int:
    key = str(current_app.secret_key).encode()
    digest: bytes = hmac.digest(key, b"lease %d %d" % (turn, half), "sha256")
    return int.from_bytes(digest[:2], "big")
