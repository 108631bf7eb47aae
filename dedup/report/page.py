"""The report as one page with pictures; it needs nothing from elsewhere and holds no script."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from catalog.image_store import ImageStore
from dedup.review import Cluster, Member

from .figures import DedupReport
from .pictures import embed_stored
from .plots import draw_distances
from .sheet import format_pair, format_sheet, format_tiles

MOST_PAIRS = 6
"""Of one cluster, the most doubtful ones."""

_WORDY = ("relation", "decided by", "the rules said", "people say")

WORDS = {
    "duplicate": "near-duplicates put aside",
    "same_event": "pairs of one event",
    "collage": "collages",
    "different": "different",
    "nothing": "nothing",
}


def format_page(report: DedupReport, store: ImageStore) -> str:
    """The whole page."""
    return format_sheet(
        f"Near-duplicates of “{report.party}”",
        [
            *_summary(report),
            *_agreement(report),
            *_plots(report),
            *_clusters(report, store),
            f'<p class="note">Made by vocparty dedup --report, {report.made_at:%Y-%m-%d %H:%M} UTC.'
            "</p>",
        ],
    )


def _summary(report: DedupReport) -> Iterable[str]:
    tiles = [(f"{sum(report.images.values()):,}", "images")]
    tiles += [
        (f"{report.decisions.get(name, 0):,}", WORDS[name])
        for name in ("duplicate", "same_event", "collage")
    ]
    tiles.append((f"{report.undone:,}", "decisions undone"))
    yield format_tiles(tiles)
    rows = "".join(
        f"<tr><td>{escape(relation.replace('_', ' '))}</td><td class='word'>{escape(how)}</td>"
        f"<td>{count:,}</td></tr>"
        for relation, how, count in report.by_how
    )
    yield "<h2>Decisions</h2>"
    yield _table(("relation", "decided by", "pairs"), rows)


def _agreement(report: DedupReport) -> Iterable[str]:
    yield "<h2>What people say of them</h2>"
    if not report.agreement:
        yield "<p>Nobody has looked yet: the page of near-duplicates beside the board asks.</p>"
    else:
        rows = "".join(
            f"<tr><td>{escape(it.relation.replace('_', ' '))}</td><td>{it.looked_at:,}</td>"
            f"<td>{it.confirmed:,}</td><td>{it.precision:.1%}</td>"
            f"<td>{it.low:.1%} to {it.high:.1%}</td></tr>"
            for it in report.agreement
        )
        heads = ("relation", "looked at", "confirmed", "precision", "95 % interval (Wilson)")
        yield _table(heads, rows)
        yield (
            '<p class="soft">People look at the doubtful decisions first, so that more of all '
            "decisions are right than of these.</p>"
        )
    if report.labels:
        rows = "".join(
            f"<tr><td>{escape(rules.replace('_', ' '))}</td>"
            f"<td class='word'>{escape(people.replace('_', ' '))}</td><td>{count:,}</td></tr>"
            for rules, people, count in report.labels
        )
        yield _table(("the rules said", "people say", "pairs"), rows)


def _plots(report: DedupReport) -> Iterable[str]:
    yield "<h2>How far apart</h2>"
    plots = "".join(
        f'<figure class="plot"><img src="{source}" alt="{escape(title)}">'
        f"<figcaption>{escape(title)}</figcaption></figure>"
        for title, source in draw_distances(report.distances).items()
    )
    yield f'<div class="plots">{plots}</div>'


def _clusters(report: DedupReport, store: ImageStore) -> Iterable[str]:
    yield "<h2>The most doubtful decisions</h2>"
    if not report.clusters:
        yield "<p>There are none.</p>"
        return
    pairs = "".join(
        _format_member(cluster, member, store)
        for cluster in report.clusters
        for member in cluster.members[:MOST_PAIRS]
    )
    yield f'<div class="pairs">{pairs}</div>'


def _format_member(cluster: Cluster, member: Member, store: ImageStore) -> str:
    measures = [f"doubt {member.doubt:.2f}"]
    if member.similarity is not None:
        measures.append(f"similarity {member.similarity:.2f}")
    if member.distance_64_bits is not None:
        measures.append(f"{member.distance_64_bits} of 64, {member.distance_256_bits} of 256 bits")
    if member.label is not None:
        measures.append(f"people say {member.label.replace('_', ' ')}")
    images = cluster.kept, member.image
    caption = (
        f"<b>{images[0].image_id} and {images[1].image_id}</b> "
        f"{escape(member.relation.replace('_', ' '))}<br>{escape(', '.join(measures))}"
    )
    return format_pair(
        ((embed_stored(store, it.sha256), f"image {it.image_id}") for it in images), caption
    )


def _table(heads: Iterable[str], rows: str) -> str:
    cells = "".join(
        f'<th class="word">{escape(head)}</th>' if head in _WORDY else f"<th>{escape(head)}</th>"
        for head in heads
    )
    body = rows or '<tr><td class="soft">none yet</td></tr>'
    return (
        f'<div class="card"><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
