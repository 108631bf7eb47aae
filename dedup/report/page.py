"""The report as one page with pictures; it needs nothing from elsewhere and holds no script."""

from __future__ import annotations

import io
from collections.abc import Mapping

from markupsafe import Markup
from PIL import Image

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore
from catalog.settings import ServeSettings
from dedup.review import Cluster, Member
from dedup.signature.picture import FORMATS
from vockit.format.class_counts import Share, Table
from vockit.format.plural import format_count
from vockit.format.shortage import refuse_shortage
from vockit.report.charts import Bars, draw_bars
from vockit.report.report_page import Figure, Picture, Section, embed, link
from vockit.report.report_page import format_page as format_sections

from .figures import SIMILARITY_STEPS, Counts, DedupReport, Distances

SIDE_PX = 240
CERTAIN_BELOW = 0.2  # of the doubt, as on the page where people look at pairs
LIKELY_BELOW = 0.6
_TILES = {
    "duplicate": "near-duplicates put aside",
    "same_event": "pairs of one event",
    "collage": "collages",
}
_COLOURS = {"duplicate": "#3454c8", "same_event": "#c07a00", "collage": "#18704a"}


def format_page(report: DedupReport, store: ImageStore, serve: ServeSettings) -> str:
    """The whole page."""
    charts = [
        Figure([Picture(embed(chart), title)], [title])
        for title, chart in draw_distances(report.distances).items()
    ]
    doubtful = [
        _show_pair(cluster, member, store, serve)
        for cluster in report.clusters
        for member in cluster.members[:6]  # the most doubtful ones
    ]
    notes = [] if doubtful else ["There are none."]
    if report.taken_down:
        about = format_count(report.taken_down, "decision")
        notes.append(f"Not shown: {about} about photographs that were taken down.")
    tiles = [
        ("images", [sum(report.images.values())]),
        *((label, [report.decisions.get(name, 0)]) for name, label in _TILES.items()),
        ("decisions undone", [report.undone]),
    ]
    heads = "relation", "decided by", "pairs"
    rows = [(say(relation), how, count) for relation, how, count in report.by_how]
    sections = [
        Section(tiles=tiles),
        Section("Decisions", tables=[Table("decisions", "", "", heads, rows, empty="none yet")]),
        _list_agreement(report),
        Section("How far apart", figures=charts),
        Section("The most doubtful decisions", text=notes, figures=doubtful, shape="pairs"),
        Section(note=serve.how_to_open),
        Section(note=f"Made by vocparty dedup --report, {report.made_at:%Y-%m-%d %H:%M} UTC."),
    ]
    return format_sections(f"Near-duplicates of “{report.party}”", sections)


def draw_distances(distances: Mapping[str, Distances]) -> dict[str, bytes]:
    """A chart of decisions by distance for each measure, by its title."""
    bits_64 = {name: counts.of_64_bits for name, counts in distances.items()}
    bits_256 = {name: counts.of_256_bits for name, counts in distances.items()}
    similar = {name: counts.similarity_in_fiftieths for name, counts in distances.items()}
    return {
        "64-bit hashes of the whole images": _draw(bits_64, "bits that differ", 64),
        "256-bit hashes of the whole images": _draw(bits_256, "bits that differ", 256, step=4),
        "similarity once laid over one another": _draw(
            similar, "similarity of details", SIMILARITY_STEPS, scale=1 / SIMILARITY_STEPS
        ),
    }


def embed_stored(store: ImageStore, sha256: str) -> str | None:
    """A stored image as a small data address, or None where it cannot be shown."""
    try:
        return embed_small(store.get(sha256))
    except ImageStoreError:
        return None


def embed_small(data: bytes) -> str | None:
    """An image file as a small data address, or None where it cannot be decoded."""
    file = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            image.draft("RGB", (SIDE_PX, SIDE_PX))
            small = image.convert("RGB")
        small.thumbnail((SIDE_PX, SIDE_PX))
        small.save(file, "JPEG", quality=72)
    except Exception as error:  # Pillow's decoders raise what they like on a hostile file
        refuse_shortage(error)
        return None
    return embed(file.getvalue(), "image/jpeg")


def say(word: str) -> str:
    """A relation or a verdict as people read it."""
    return word.replace("_", " ")


def _draw(
    counts: Mapping[str, Counts], measure: str, largest: int, *, step: int = 1, scale: float = 1.0
) -> bytes:
    """Stacked bars of what lies within each step."""
    labels = [f"{edge * scale:g}" for edge in range(0, largest + 1, step)]
    series: dict[str, list[float]] = {}
    for name in (name for name in counts if counts[name]):
        bins = series.setdefault(say(name), [0.0] * len(labels))
        for value, count in counts[name].items():
            bins[value // step] += count
    colours = [_COLOURS.get(name, "#596070") for name in counts if counts[name]] or ["#596070"]
    bars = Bars(labels, series, measure=measure, unit="decisions", colours=colours, is_stacked=True)
    return draw_bars(bars)


def _list_agreement(report: DedupReport) -> Section:
    text = "Nobody has looked yet: the page of near-duplicates next to the board asks."
    tables = []
    if report.agreement:
        text = (
            "People look at the doubtful decisions first, so that more of all decisions are right "
            "than of these."
        )
        heads = ("relation", "looked at", "confirmed", "precision", "95 % interval (Wilson)")
        precisions = [
            (
                say(agreement.relation),
                agreement.looked_at,
                agreement.confirmed,
                Share(agreement.precision),
                f"{agreement.low:.1%} to {agreement.high:.1%}",
            )
            for agreement in report.agreement
        ]
        tables.append(Table("agreement", "", "", heads, precisions))
    if report.labels:
        said = [(say(rules), say(people), count) for rules, people, count in report.labels]
        tables.append(Table("labels", "", "", ("the rules said", "people say", "pairs"), said))
    return Section("What people say of them", text=[text], tables=tables)


def describe_similarity(similarity: float) -> str:
    """How alike two pictures are, in percent."""
    return f"{100 * similarity:.0f} % similar once laid over one another"


def describe_doubt(doubt: float) -> str:
    """How near the rules were to deciding otherwise, in three steps."""
    if doubt < CERTAIN_BELOW:
        return "Certain: far from the limit at which the rules decide otherwise"
    if doubt < LIKELY_BELOW:
        return "Likely: not far from the limit at which the rules decide otherwise"
    return "Uncertain: near the limit at which the rules decide otherwise"


def _show_pair(cluster: Cluster, member: Member, store: ImageStore, serve: ServeSettings) -> Figure:
    is_by_person = member.person_id is not None
    measures = ["Decided by a person" if is_by_person else describe_doubt(member.doubt)]
    if member.similarity is not None:
        measures.append(describe_similarity(member.similarity))
    drawn = [(member.evidence or {}).get(f"drawn_{side}", 0.0) for side in ("first", "second")]
    if max(drawn) > 0:
        measures.append(f"{100 * max(drawn):.1f} % of the picture was taken for writing")
    if member.label is not None:
        measures.append(f"people say {say(member.label)}")
    images = cluster.kept, member.image
    kept, other = (link(serve.images_url(image.image_id), image.image_id) for image in images)
    names = Markup("<b>{} and {}</b> {}").format(kept, other, say(member.relation))
    pictures = [
        Picture(embed_stored(store, image.sha256), f"image {image.image_id}") for image in images
    ]
    return Figure(pictures, [names, ", ".join(measures)])
