"""The loops of the search, compiled by numba when first called and kept in its cache.

All of them are here because numba notices a change of the file that holds a loop, but not of
another file that the loop calls. They hold no GIL. Hashes are laid out word by word (`[word, row]`)
so that eight neighbouring rows fill a vector register of 512 bits, and lie in the order of their
buckets so that candidates are neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

cgutils: Any = numba.core.cgutils

LANES = 8
"""How many rows are compared at once; a list of words is followed by so many rows of padding."""

OVERFULL = -1

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class Buckets(NamedTuple):
    """Hashes in the order of their buckets; `rows` says where each came from.

    Bucket b is at the places starts[b] to starts[b + 1] of `rows` and of each list of words.
    """

    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    words: NDArray[np.uint64]


class Rule(NamedTuple):
    """What makes a pair: at most `max_bits` differ, and no earlier band holds it already.

    `masks` and `radii` are of the earlier bands; `first_words` are compared before all others.
    """

    max_bits: int
    first_words: tuple[int, ...]
    masks: NDArray[np.uint64]
    radii: NDArray[np.int64]


class Found(NamedTuple):
    """Room for pairs, filled from the front."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    bits: NDArray[np.uint16]


def compiled(function: Kernel) -> Kernel:
    """The function as machine code, cached beside this file or else in the user's cache folder.

    Where neither can be written, it is compiled anew by each process.
    """
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Kernel, numba.njit(nogil=True)(function))


def inlined(function: Kernel) -> Kernel:
    """The function as machine code inside of its callers: ten times faster than calls are here."""
    return cast(Kernel, numba.njit(forceinline=True)(function))


def built(function: Callable[..., Any]) -> Any:
    """A function of kernels whose body is written in LLVM's language."""
    return intrinsic(function)


@built
def near_lanes(
    typing: Any, first: Any, place: Any, second: Any, at: Any, some: Any, limit: Any
) -> Any:
    """A bit for each of eight rows from `at` that differ from one row in so few bits.

    Only the words whose numbers are in the tuple `some` are looked at.
    """
    signature = types.uint64(first, types.intp, second, types.intp, some, types.uint64)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, place, _, at, some, limit = arguments
        lists = [
            cgutils.create_struct_proxy(kind)(context, builder, value)
            for kind, value in zip(signature.args[:3:2], arguments[:3:2], strict=True)
        ]
        lanes = ir.VectorType(ir.IntType(64), LANES)
        differing = ir.Constant(lanes, [0] * LANES)
        for word in cgutils.unpack_tuple(builder, some):
            one = _load(builder, lists[0], word, place, ir.IntType(64))
            eight = _load(builder, lists[1], word, at, lanes)
            flips = builder.xor(eight, _spread(builder, one, lanes))
            differing = builder.add(differing, _count_bits(builder, flips, lanes))
        near = builder.icmp_unsigned("<=", differing, _spread(builder, limit, lanes))
        return builder.zext(builder.bitcast(near, ir.IntType(LANES)), ir.IntType(64))

    return signature, build


def _load(builder: Any, words: Any, word: Any, row: Any, kind: Any) -> Any:
    """What lies at `words[word, row]`, read as a value of the kind."""
    offsets = zip(cgutils.unpack_tuple(builder, words.strides, 2), (word, row), strict=True)
    address = builder.ptrtoint(words.data, ir.IntType(64))
    for stride, index in offsets:
        address = builder.add(address, builder.mul(stride, index))
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=8, typ=kind)


def _spread(builder: Any, value: Any, lanes: Any) -> Any:
    nothing = ir.Constant(lanes, ir.Undefined)
    number = ir.IntType(32)
    first = builder.insert_element(nothing, value, ir.Constant(number, 0))
    places = ir.Constant(ir.VectorType(number, LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, places)


def _count_bits(builder: Any, value: Any, kind: Any) -> Any:
    name = f"llvm.ctpop.v{LANES}i64" if kind != ir.IntType(64) else "llvm.ctpop.i64"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
    return builder.call(function, [value])


@built
def count_bits(typing: Any, value: Any) -> Any:
    """How many bits of the word are set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _count_bits(builder, arguments[0], ir.IntType(64))

    return types.uint64(types.uint64), build


@compiled
def join_rows(
    queries: Buckets,
    base: Buckets,
    patterns: NDArray[np.int32],
    is_self: bool,
    begin: int,
    end: int,
    rule: Rule,
    found: Found,
) -> int:
    """How many pairs of the query places from `begin` to `end` were put into `found`.

    Each bucket meets the buckets whose number differs by a pattern. With `is_self` queries and base
    are one, and a pair of rows is met once. OVERFULL where `found` has too little room.
    """
    count = 0
    bucket = np.searchsorted(queries.starts, begin, side="right") - 1
    while bucket < len(queries.starts) - 1 and queries.starts[bucket] < end:
        low, high = max(queries.starts[bucket], begin), min(queries.starts[bucket + 1], end)
        if low < high:
            for pattern in patterns:
                other = bucket ^ pattern
                start, stop = base.starts[other], base.starts[other + 1]
                if start == stop or (is_self and other < bucket):
                    continue
                for place in range(low, high):
                    at = place + 1 if is_self and other == bucket else start
                    count = _join_row(queries, base, place, at, stop, rule, found, count)
                    if count == OVERFULL:
                        return OVERFULL
        bucket += 1
    return count


@inlined
def _join_row(
    queries: Buckets,
    base: Buckets,
    place: int,
    start: int,
    stop: int,
    rule: Rule,
    found: Found,
    count: int,
) -> int:
    """The count after one query row has met the base places from `start` to `stop`."""
    limit = np.uint64(rule.max_bits)
    for at in range(start, stop, LANES):
        near = near_lanes(queries.words, place, base.words, at, rule.first_words, limit)
        if near == 0:
            continue
        for lane in range(min(LANES, stop - at)):
            if not (near >> np.uint64(lane)) & np.uint64(1):
                continue
            bits = _distance(queries.words, place, base.words, at + lane)
            if bits > rule.max_bits or _is_known(queries.words, place, base.words, at + lane, rule):
                continue
            if count == len(found.first):
                return OVERFULL
            found.first[count] = queries.rows[place]
            found.second[count] = base.rows[at + lane]
            found.bits[count] = bits
            count += 1
    return count


@inlined
def _distance(first: NDArray[np.uint64], row: int, second: NDArray[np.uint64], other: int) -> int:
    bits = 0
    for word in range(len(first)):
        bits += count_bits(first[word, row] ^ second[word, other])
    return bits


@inlined
def _is_known(
    first: NDArray[np.uint64], row: int, second: NDArray[np.uint64], other: int, rule: Rule
) -> bool:
    """Whether an earlier band holds the pair."""
    for band in range(len(rule.radii)):
        bits = 0
        for word in range(len(first)):
            flips = first[word, row] ^ second[word, other]
            bits += count_bits(flips & rule.masks[band, word])
        if bits <= rule.radii[band]:
            return True
    return False


@compiled
def fill_buckets(
    hashes: NDArray[np.uint64], bits: NDArray[np.int64], keys: NDArray[np.int32], buckets: Buckets
) -> None:
    """Put the rows of `hashes` (`[word, row]`) into the buckets of the bits' values, in order.

    `keys` is room for a number a row; `buckets.starts` must be zero.
    """
    keys[:] = 0
    for place in range(len(bits)):
        word, shift = bits[place] // 64, np.uint64(bits[place] % 64)
        for row in range(len(keys)):
            keys[row] |= np.int32((hashes[word, row] >> shift) & np.uint64(1)) << place
    for key in keys:
        buckets.starts[key] += 1
    for bucket in range(1, len(buckets.starts)):
        buckets.starts[bucket] += buckets.starts[bucket - 1]  # where each bucket ends
    for row in range(len(keys) - 1, -1, -1):
        buckets.starts[keys[row]] -= 1
        buckets.rows[buckets.starts[keys[row]]] = row
    for word in range(len(hashes)):
        for place in range(len(keys)):
            buckets.words[word, place] = hashes[word, buckets.rows[place]]


@compiled
def find_first_rows(
    hashes: NDArray[np.uint64], table: NDArray[np.int32], first_rows: NDArray[np.int32]
) -> None:
    """Fill in for each row of `hashes` (`[word, row]`) the first row with the same hash.

    `table` holds -1 everywhere; its length is a power of two above the number of rows.
    """
    for row in range(len(first_rows)):
        slot = _mix(hashes, row) & np.uint64(len(table) - 1)
        while table[slot] >= 0 and _distance(hashes, table[slot], hashes, row) > 0:
            slot = (slot + np.uint64(1)) & np.uint64(len(table) - 1)
        if table[slot] < 0:
            table[slot] = row
        first_rows[row] = table[slot]


@compiled
def fill_parts(hashes: NDArray[np.uint64], parts: NDArray[np.int64], part_count: int) -> None:
    """Fill in for each row which of so many parts it belongs to; equal hashes share one."""
    for row in range(len(parts)):
        parts[row] = (_mix(hashes, row) >> np.uint64(32)) % np.uint64(part_count)


@inlined
def _mix(hashes: NDArray[np.uint64], row: int) -> np.uint64:
    """A number that looks random and depends on every bit of the hash (splitmix64, Steele 2014)."""
    mixed = np.uint64(0)
    for word in range(len(hashes)):
        mixed = (mixed ^ hashes[word, row]) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return mixed
