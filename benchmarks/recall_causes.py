"""Which step loses a changed photograph: no candidate, no alignment, or too little evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

import numpy as np

from catalog.settings import DedupSettings
from dedup.among import hold_signatures
from dedup.candidates import Search, find_candidates
from dedup.signature.signature import Signature
from dedup.signature_rows import Census
from dedup.verify.evidence import Guesses
from dedup.verify.unmoved import find_evidence
from dedup.verify.verdicts import judge


class Cause(StrEnum):
    """What became of an original and its rendition, step by step."""

    PLAIN = "too plain"
    UNPROPOSED = "no candidate"
    UNALIGNED = "not aligned"
    REFUSED = "refused"
    RELATED = "related otherwise"
    FOUND = "found"


def name_cause(original: Signature, rendition: Signature | None, settings: DedupSettings) -> Cause:
    """Where the two are lost; a rendition of too little quality is None."""
    if rendition is None:
        return Cause.PLAIN
    source = hold_signatures([original, rendition])
    table = source.load_views(Census(np.arange(2), np.array([False, True])))
    guesses = find_candidates(table, None, Search(settings.max_distance_64_bits))
    if not len(guesses.probe):
        return Cause.UNPROPOSED
    _ids, pictures = source.load_pictures(np.arange(2))
    laid = Guesses(
        np.zeros(len(guesses.probe), np.int64),
        guesses.probe,
        guesses.view,
        guesses.probe_code,
        guesses.view_code,
    )
    found = find_evidence(pictures, laid)
    if not found:
        return Cause.UNALIGNED
    relation = judge(found[0])
    if relation is None:
        return Cause.REFUSED
    return Cause.FOUND if relation.value == "duplicate" else Cause.RELATED


def count_causes(causes: Iterable[tuple[Cause, bool]]) -> str:
    """The causes in words, the most frequent first; of how many the original has details."""
    listed = list(causes)
    every = Counter(cause for cause, _ in listed)
    rich = Counter(cause for cause, is_rich in listed if is_rich)
    return ", ".join(f"{count} {cause} ({rich[cause]})" for cause, count in every.most_common())
