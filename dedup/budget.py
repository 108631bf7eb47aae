"""How the memory that a comparison may take is shared out among what it holds at a time."""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_IMAGE = 5500
"""The hashes of some 90 views, 18 bytes each, in three tables at a time."""

BYTES_PER_CANDIDATE = 400
"""While they are sorted."""

LEAST_CANDIDATES = 4096
"""Less would only mean more searches."""

BYTES_PER_PAIR = 240_000
"""What a pair takes while it is verified."""

MOST_PAIRS_AT_ONCE = 256
"""More at once are not faster."""


@dataclass(frozen=True)
class Budget:
    """A half is for the hashes of views, a quarter for candidates.

    The last quarter is the search's until the candidates are known, and then for verifying them.
    """

    memory_bytes: int

    @property
    def part_images(self) -> int:
        """How many images are compared at a time, with themselves or with as many others."""
        return max(self.memory_bytes // 2 // BYTES_PER_IMAGE, 1)

    @property
    def most_candidates(self) -> int:
        """How many candidates are held; where there are more, fewer images are compared."""
        return max(self.memory_bytes // 4 // BYTES_PER_CANDIDATE, LEAST_CANDIDATES)

    @property
    def search_bytes(self) -> int:
        """What a search may take beside the hashes that it is given."""
        return max(self.memory_bytes // 4, 1)

    def count_pairs_at_once(self, workers: int) -> int:
        """How many pairs each of so many workers verifies at once."""
        share = self.memory_bytes // 4 // workers // BYTES_PER_PAIR
        return min(max(share, 1), MOST_PAIRS_AT_ONCE)
