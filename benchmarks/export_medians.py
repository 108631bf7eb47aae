"""What the rounds of benchmarks.export_voc come to: medians, and vocparty beside its peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

Clock = dict[str, float]
Medians = dict[str, Clock]
KINDS = (("by the clock", ""), ("of the processor", " cpu"))
PEERS = ("datumaro", "supervision")


def take_medians(rounds: Sequence[Medians]) -> Medians:
    """Each job's median of each of its numbers over the rounds."""
    return {
        job: {name: round(median(one[job][name] for one in rounds), 2) for name in rounds[0][job]}
        for job in rounds[0]
    }


def compare(found: Medians) -> Iterator[str]:
    """A line for each goal that the jobs which ran say something of."""
    if {"export", "copy"} <= found.keys():
        yield from _compare_bytes(found["export"], found["copy"])
    for job, step, what in (
        ("export", "all_but_pictures", "write_annotations"),
        ("verify", "verify", "read"),
    ):
        if job in found:
            yield from _compare_peers(found, job, step, what)


def _compare_bytes(export: Clock, copy: Clock) -> Iterator[str]:
    for kind, end in KINDS:
        ours = export[f"pictures{end}"] + export[f"to_disk{end}"]
        theirs = copy[f"cp{end}"] + copy[f"cp_to_disk{end}"]
        yield (
            f"copying {copy['mb']:.0f} MB {kind}: vocparty {ours:.2f} s"
            f" ({copy['mb'] / ours:.0f} MB/s), cp -r and sync {theirs:.2f} s"
            f" ({copy['mb'] / theirs:.0f} MB/s)"
        )


def _compare_peers(found: Medians, job: str, step: str, what: str) -> Iterator[str]:
    for kind, end in KINDS:
        ours = found[job][step + end]
        yield f"{job}, {step} {kind}: {ours:.2f} s"
        for peer in PEERS:
            if peer in found:
                theirs = found[peer][what + end]
                yield f"  {peer}, {what}: {theirs:.2f} s, {theirs / ours:.1f} times"
