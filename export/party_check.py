"""What the catalogue says of a tree's sets, and of what a new release holds and gives away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from itertools import product
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.at_rest import STATE_AT_REST
from catalog.party import Party, open_party
from catalog.settings import ReleaseSettings
from catalog.states import ImageState
from catalog.tables import Image
from vockit.foreign.listed_images import SET_FOLDERS, read_listed
from vockit.format import tree
from vockit.format.image_sets import BALANCED
from vockit.format.plural import format_count, is_or_are
from vockit.format.tree import PERSON
from vockit.report.comparison import compare
from vockit.verify.check import TreeReport
from vockit.verify.image_sets import DISJOINT_SETS
from vockit.verify.trees import Violation

from .accompanying_files.facts import Judgement, load_judgements
from .corrections import load_imported
from .fields import count_fields
from .forms import FileForm
from .groups import OWNER, ImageGroup, bind_images, describe_bridges
from .loading import load_images
from .notes import describe_release, list_changed_facts
from .plan import ReleasePlan, has_masks, voids_difficult
from .releases import (
    RELEASABLE,
    find_open_errors,
    load_held_back,
    load_links,
    load_public_ids,
    load_torn,
    load_uncompared,
)
from .split_report import iterate_lines
from .tree_files import find_sets

_REASONS = {
    ImageState.ANNOTATED: "annotated, and not checked yet",
    ImageState.CHECKING: "being checked",
    ImageState.RETURNED: "returned to its annotator",
    ImageState.DISCARDED: "discarded",
    ImageState.TAKEN_DOWN: "taken down",
}


def check_party(party_folder: Path, reports: list[TreeReport]) -> list[TreeReport]:
    """The reports with a violation for each image parted from one that it is bound to."""
    with open_party(party_folder) as party:
        return [_check_sets(party, report) for report in reports]


UNKNOWN = "no release of the party has an image of that name"


def _check_sets(party: Party, report: TreeReport) -> TreeReport:
    """The report with what the catalogue says of the sets, and the images that it does not know."""
    places = _read_places(report.root)
    with party.catalogue.reading() as session:
        given = {public_id: ids for public_id, *ids in load_public_ids(session)}
        known = {given[public_id][0]: public_id for public_id in places if public_id in given}
        rows = load_images(
            session, {given[public_id][0]: given[public_id][1] for public_id in known.values()}
        )
        links = load_links(session, rows, party.settings.dedup)
        torn = load_torn(session) - {row.id for row in rows}
    links = [link for link in links if not link.ends & torn]  # what they bound is said there
    violations = {*report.violations, *_find_parted(places, known, bind_images(rows, links))}
    belonging = compare("image", ((name, name in given or UNKNOWN) for name in sorted(places)))
    if not belonging.is_passed:
        message = f"expected images of this party; {belonging.equal} of {belonging.total} are"
        violations.add(Violation(str(report.root), 1, "nothing-compared", message))
    passed_over = {**report.passed_over, **belonging.passed_over}
    return replace(report, violations=tuple(sorted(violations)), passed_over=passed_over)


Places = Mapping[str, tuple[str, Path, int]]
"""By image its set, and the file and the line that say so."""


def _read_places(root: Path) -> Places:
    places: dict[str, tuple[str, Path, int]] = {}
    for folder, name in product(SET_FOLDERS, DISJOINT_SETS):  # Main first
        path = root / tree.set_path(folder, name)
        lines = read_listed(path)
        for listed in () if isinstance(lines, str) else lines:
            places.setdefault(listed.image_id, (name, path, listed.line))
    return places


def _find_parted(
    places: Places, known: Mapping[int, str], groups: Iterable[ImageGroup]
) -> Iterator[Violation]:
    """A violation for each image in another set than the first one of its group."""
    for group in groups:
        rule = "owner-across-sets" if OWNER in group.relations else "near-across-sets"
        first, *others = sorted(known[image.id] for image in group.images)
        expected = places[first][0]
        for image_id in others:
            set_name, path, line = places[image_id]
            if set_name != expected:
                message = (
                    f"expected {image_id} in {expected} with {first}, to which it is bound "
                    f"({', '.join(group.relations)})"
                )
                yield Violation(str(path), line, rule, message)


def iterate_report(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """What a release would hold and leave out, by reason and class."""
    yield f"{plan.name} would hold {format_count(len(plan.images), 'image')}:"
    yield from iterate_lines(plan)
    for sentence in plan.notes.forced:
        yield f"It would need --force: {sentence}."
    with party.catalogue.reading() as session:
        columns = select(Image.id, STATE_AT_REST.label("state"), Image.annotation_id)
        annotated = session.execute(columns.where(Image.annotation_id.is_not(None))).all()
        reasons = _list_reasons(plan, {image.id: image.state for image in annotated})
        drawn = {image.id: image.annotation_id for image in annotated if image.id in reasons}
        rows = {row.id: row for row in load_images(session, drawn)}
    yield f"Left out: {format_count(len(reasons), 'annotated image')}."
    for reason, count in sorted(Counter(reasons.values()).items()):
        ids = [image_id for image_id, given in reasons.items() if given == reason]
        classes = Counter(
            item.class_name for key in ids if key in rows for item in rows[key].objects
        )
        objects = ", ".join(f"{name} {number}" for name, number in sorted(classes.items()))
        yield f"  {format_count(count, 'image')}: {reason}; objects: {objects or 'none'}"


def _list_reasons(plan: ReleasePlan, states: Mapping[int, ImageState]) -> dict[int, str]:
    """Why images are left out, by image; of annotated ones their `states` may be the reason."""
    reasons = {
        omission.image_id: re.sub("[0-9]+", "N", omission.reason) for omission in plan.left_out
    }
    known = {image.row.id for image in plan.images}
    for image_id, state in states.items():
        if state in _REASONS:
            reasons.setdefault(image_id, _REASONS[state])
        elif state in RELEASABLE and image_id not in known:
            reasons.setdefault(image_id, _name_choice(plan))
    return reasons


def _name_choice(plan: ReleasePlan) -> str:
    """Why an image that passed checking is not among those of the release."""
    if plan.is_recorded:
        return f"not in {plan.name} when it was made"
    if plan.notes.corrects:
        return f"not in {plan.notes.corrects}, and an edition adds no images"
    return "not chosen by --class and --limit"


def iterate_warnings(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """A sentence for each thing that the organiser of a new release should know; mostly none."""
    if plan.is_recorded:
        yield from _warn_of_frozen(party, plan)
        return
    yield from _warn_of_shares(plan, party.settings.export.most_off_points)
    yield from _warn_of_unlisted(plan)
    with party.catalogue.reading() as session:
        yield from _warn_of_blind(session, plan)
        yield from _warn_of_findings(session, plan)
        imported = load_imported(session)
        judgements = load_judgements(session, plan)
        uncompared = len(load_uncompared(session, plan.images))
    for omission in plan.unmasked:
        yield (
            f"The drawing of image {omission.image_id} gives no masks: {omission.reason}. "
            "Draw it again."
        )
    yield from _warn_of_difficult(plan, judgements)
    yield from _warn_of_counts(plan, uncompared=uncompared, lost=_count_lost_masks(plan, imported))


def _count_lost_masks(plan: ReleasePlan, imported: Mapping[int, tuple[int, FileForm]]) -> int:
    """How many images came with masks and are released without."""
    return sum(
        bool(imported[image.row.id][1].masks) and not has_masks(image)
        for image in plan.images
        if image.row.id in imported
    )


def _warn_of_counts(plan: ReleasePlan, *, uncompared: int, lost: int) -> Iterator[str]:
    """What is true of so many images, or of so many lines of the datasheet; nothing of none."""
    keys = [key.name for key in fields(ReleaseSettings)]
    missing = [key.replace("_", " ") for key in keys if key not in plan.notes.about]
    renamed = len(plan.notes.renamed)
    listed = "" if plan.is_blind else "; splits.json lists them as `parted`"
    extends = plan.notes.extends
    earlier = plan.notes.corrects or extends
    torn = len(plan.notes.torn)
    parted = len(plan.notes.parted)
    total = format_count(len(plan.images), "image")
    sentences = {
        f"{uncompared:,} of {total} {is_or_are(uncompared)} not compared with all others, so "
        "near-duplicates may be in two sets. Run `vocparty dedup` before you make the release "
        "that you publish.": uncompared,
        f"{format_count(torn, 'image')} {is_or_are(torn)} left out, because {plan.torn_from} "
        "have the same owner, event or near-duplicate group; release.json names them as "
        "`torn`.": torn,
        f"{format_count(parted, 'group')} of images of {earlier} {is_or_are(parted)} in two sets "
        f"or more already, and stay there{listed}.": parted,
        f"The masks of {format_count(lost, 'image')} are left out, because people changed the "
        "objects since.": lost,
        f"{format_count(renamed, 'image')} got new names, as the kit does not read those that they "
        "were imported with; release.json has both.": renamed,
        f"The datasheet does not say: {', '.join(missing)}. Fill in [release] in party.toml "
        "before you make the release that you publish.": missing,
    }
    yield from (sentence for sentence, applies in sentences.items() if applies)


def _warn_of_frozen(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """Which facts of [release] a recorded release has otherwise than party.toml has them today."""
    if plan.notes.facts is None:  # an imported one, which has none
        return
    names = list_changed_facts(plan.notes.about, describe_release(party.settings.release))
    if names:
        yield (
            f"{plan.name} is recorded and is written as it was; party.toml says otherwise today: "
            f"{', '.join(names)}. `--corrects {plan.name}` makes an edition with today's facts."
        )


def _warn_of_difficult(plan: ReleasePlan, judgements: Mapping[str, Judgement]) -> Iterator[str]:
    """How many objects nobody judged to be difficult or not, also of a hidden test set."""
    whole = replace(plan, is_blind=False)
    counts = count_fields(whole, {key: asdict(item) for key, item in judgements.items()})
    for count in counts:
        if count.name == "difficult" and count.undecided:
            were = "was" if count.undecided == 1 else "were"
            they_are = "it is" if count.undecided == 1 else "they are"
            when = "also later: an edition takes it"
            if any(map(voids_difficult, whole.masked)):
                when += ", but not of images whose masks show difficult objects as void"
            yield (
                f"{count.undecided} of {format_count(count.objects, 'object')} {were} not judged "
                f"for difficulty; {they_are} released as not difficult. An organiser judges "
                f"objects at /difficult, {when}."
            )


def _warn_of_shares(plan: ReleasePlan, most_off_points: float) -> Iterator[str]:
    """Sets whose size misses the goal by more than the setting, and what binds images."""
    sizes = Counter(image.split for image in plan.images if image.split in BALANCED)
    total = sizes.total()
    if not total:
        return
    for split, wanted in plan.recipe.shares.items():
        share = sizes[split] / total
        is_off = abs(sizes[split] - wanted * total) >= 1  # less is a matter of rounding
        if is_off and 100 * abs(share - wanted) > most_off_points:
            yield (
                f"Warning: {split} has {sizes[split]:,} of {total:,} images ({share:.0%}), but "
                f"{wanted:.0%} are wanted (export.{split}_share)."
            )
    yield from describe_bridges(
        plan.bridges, {image.row.id: image.public_id for image in plan.images}
    )


def _warn_of_unlisted(plan: ReleasePlan) -> Iterator[str]:
    """People with actions or parts whose image the kit could not read in Action or Layout."""
    lists = [(image.row.objects, find_sets(plan, image)) for image in plan.images]
    people = [
        (objects, sets)
        for objects, sets in lists
        if {item.class_name for item in objects} == {PERSON}
    ]
    without = sum(
        tree.ACTION not in sets and all(item.actions for item in items) for items, sets in people
    )
    if tree.ACTION in plan.recipe.tasks and without:
        yield (
            f"{format_count(without, 'image')} of people with actions {is_or_are(without)} not in "
            "Action: a person there has no point. Mark it on the annotation page."
        )
    unlisted = sum(
        tree.LAYOUT not in sets and any(item.class_name == PERSON and item.parts for item in items)
        for items, sets in lists
    )
    if tree.LAYOUT in plan.recipe.tasks and unlisted:
        word = "without" if plan.layout_has_points else "with"
        yield (
            f"{format_count(unlisted, 'image')} {word} points {is_or_are(unlisted)} not in Layout, "
            "because the kit reads points in all of its files or in none."
        )


def _warn_of_blind(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Images whose annotation two releases show and hold back; they keep their names."""
    secret = load_held_back(session)
    given = {image_id for _, image_id, _ in load_public_ids(session)} - secret.keys()
    held_back = [image.row.id for image in plan.images if plan.hides(image)]
    if known := sum(image_id in given for image_id in held_back):
        yield (
            f"{known} of {format_count(len(held_back), 'test image')} were already public in an "
            "earlier release, so their annotations are not secret."
        )
    shown = Counter(secret[image.row.id] for image in plan.annotated if image.row.id in secret)
    for name, count in sorted(shown.items()):
        yield (
            f"The annotation of {format_count(count, 'image')} that the blind release {name} holds "
            "back is shown by this one; do not give it away before that one is opened."
        )


def _warn_of_findings(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Findings on released images, which block no release: those are corrected in an edition."""
    released = {
        image.row.id: image.public_id
        for image in plan.images
        if image.row.state is ImageState.RELEASED
    }
    if errors := find_open_errors(session, released):
        names = sorted({released[image_id] for image_id in errors})
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        yield (
            f"{format_count(len(errors), 'finding')} of severity error {is_or_are(len(errors))} "
            f"open on images that are released already ({shown}); reopen and check them, then make "
            "an edition with `vocparty export --corrects RELEASE`."
        )
