"""Which bits of hashes go together into a band, chosen by looking at some of the hashes.

Bits of real photographs are neither balanced nor independent, and a band of such bits throws more
unrelated hashes into one bucket. Two hashes agree in all of a band's bits 2**-width times
the product of about 1 + mean**2 for each bit and 1 + covariance**2 for each two, bits taken as ±1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

MAX_PASSING = 0.003
"""The share of unrelated pairs that may pass the first words and be compared in full."""


def choose_bits(
    sample: Words, widths: Sequence[int], weights: Sequence[float]
) -> tuple[tuple[int, ...], ...]:
    """Disjoint bits for bands of the widths so that the weighted collisions are few.

    The bits that say least are left out if there are too many, and else placed first.
    """
    alone, together = measure_bits(sample)
    chosen: list[list[int]] = [[] for _ in widths]
    burden = np.log(np.asarray(weights))
    order = np.argsort(-alone - together.sum(axis=1), kind="stable")[len(alone) - sum(widths) :]
    for bit in order.tolist():
        more = np.array([alone[bit] + together[bit, bits].sum() for bits in chosen])
        cost = np.exp(burden + more) - np.exp(burden)
        cost[[len(bits) == width for bits, width in zip(chosen, widths, strict=True)]] = np.inf
        band = int(np.argmin(cost))
        burden[band] += more[band]
        chosen[band].append(bit)
    return tuple(tuple(sorted(bits)) for bits in chosen)


def measure_bits(sample: Words) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By what factor, as logarithm, each bit and each two bits make collisions more frequent."""
    signs = unpack_signs(sample)
    count = max(signs.shape[1], 1)
    means = signs.sum(axis=1) / count
    covariances = signs @ signs.T / count - np.outer(means, means)
    by_chance = 1 / count
    np.fill_diagonal(covariances, 0)
    together = np.log1p(np.maximum(covariances**2 - by_chance, 0))
    return np.log1p(np.maximum(means**2 - by_chance, 0)), together


def unpack_signs(sample: Words) -> NDArray[np.float32]:
    """A row for each bit of the hashes, the lowest of the first word first, with 1 or -1."""
    octets = np.ascontiguousarray(sample.astype("<u8")).view(np.uint8)
    octets = octets.reshape(len(sample), -1, 8)
    bits = np.unpackbits(octets, axis=2, bitorder="little")
    rows = bits.transpose(0, 2, 1).reshape(len(sample) * 64, -1)
    return rows.astype(np.float32) * 2 - 1


def choose_first_words(sample: Words, max_bits: int) -> tuple[int, ...]:
    """The fewest words that tell nearly all unrelated hashes apart, those that differ most."""
    differing = np.bitwise_count(sample ^ np.roll(sample, 1, axis=1)).astype(np.int64)
    order = np.argsort(-differing.sum(axis=1), kind="stable")
    for count in range(1, len(sample)):
        passing = differing[order[:count]].sum(axis=0) <= max_bits
        if passing.sum() <= MAX_PASSING * len(passing):
            return tuple(order[:count].tolist())
    return tuple(range(len(sample)))
