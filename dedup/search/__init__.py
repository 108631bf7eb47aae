"""Exact search for all hashes within a Hamming distance, at the size of the web."""

from .results import Matches, Pairs, QueryMatches, Repeats
from .search import (
    Resources,
    find_matches_within,
    find_pairs_within,
    stream_matches_within,
    stream_pairs_within,
)
from .words import Hashes

__all__ = [
    "Hashes",
    "Matches",
    "Pairs",
    "QueryMatches",
    "Repeats",
    "Resources",
    "find_matches_within",
    "find_pairs_within",
    "stream_matches_within",
    "stream_pairs_within",
]
