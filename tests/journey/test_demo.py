"""The demo from outside: one command, from a Flickr query to a verified release."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, expect
from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

import vocparty
from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party, open_party
from catalog.states import BlindKind, FindingVerdict, ImageState, PhotoState, Role, Verdict
from catalog.tables import (
    Annotation,
    BlindTask,
    Difficulty,
    Duplicate,
    Finding,
    GoldImage,
    Image,
    Person,
    Photo,
    Release,
    ReleaseImage,
    Review,
)
from challenge import submissions
from challenge.board import load_board
from challenge.folder import open_challenge
from challenge.tables import QuotaUse
from challenge.values import State
from dedup.pairs import Relation
from simulate.demo import PHOTOGRAPHS, REAL_PEOPLE, DemoOptions, find_free_name, run_demo
from simulate.demo_challenge import ANY, BASELINES, BROKEN, CHALLENGE, COPYIST
from simulate.demo_people import make_link
from simulate.photographs.known import KnownPhoto, load_known_photographs
from tests.annotate_ui.house import House
from tests.browser import browsing, take_picture, wait_until
from tests.once import make_once
from tests.rows import load_rows
from vockit.errors import SettingsError

from . import party_page as do

ROOT = Path(__file__).parents[2]
Known = dict[str, KnownPhoto]
DEMO_SECS = 540.0  # on a machine many times slower; it takes as long as it takes
pytestmark = pytest.mark.timeout(DEMO_SECS + 60)

PICTURES_ARE_THERE = """() => [...document.images]
  .filter((image) => image.getBoundingClientRect().top < innerHeight)
  .every((image) => image.complete && image.naturalWidth > 0)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo that ran once; each test process has a copy."""
    made = make_once(tmp_path_factory, "made-demo", make_demo)
    return shutil.copytree(made, tmp_path_factory.mktemp("demo") / "party")


def make_demo(folder: Path) -> Path:
    """The folder, in which the demo ran as a command."""
    words = ("demo", str(folder), "--once", "--year", "2026")
    command = [sys.executable, "-m", "vocparty", *words]
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": DEMO_SECS}
    done = subprocess.run(command, cwd=ROOT, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def demo(folder: Path) -> Iterator[Party]:
    with open_party(folder) as party:
        yield party


@pytest.fixture
def session(demo: Party) -> Iterator[Session]:
    """A session on the demo's catalogue."""
    with demo.catalogue.reading() as session:
        yield session


@pytest.fixture(scope="module")
def known(folder: Path) -> Known:
    return load_known_photographs(folder / PHOTOGRAPHS)


def run_vocparty(*arguments: object) -> Result:
    """Run the command in this process, which has loaded it already."""
    return CliRunner().invoke(vocparty.main, list(map(str, arguments)))


def load_released(session: Session) -> Sequence[ReleaseImage]:
    """The images of the party's release; the challenge's blind one has the same."""
    of_party = Release.name == "VOC2026"
    return session.scalars(select(ReleaseImage).join(Release).where(of_party)).all()


def load_near_pairs(session: Session) -> list[tuple[str, str]]:
    """The photo ids of each removed image and the one kept for it."""
    aside = aliased(Photo)
    kept = aliased(Photo)
    statement = (
        select(aside.source_id, kept.source_id)
        .select_from(Duplicate)
        .join(aside, aside.image_id == Duplicate.image_id)
        .join(kept, kept.image_id == Duplicate.kept_image_id)
        .join(Image, Image.id == Duplicate.image_id)
        .where(Image.state == ImageState.DUPLICATE)
        .where(Duplicate.relation == Relation.DUPLICATE, Duplicate.undone_at.is_(None))
    )
    return [(first, second) for first, second in session.execute(statement)]


def test_the_demo_fetches_sixty_photos_with_provenance(demo: Party, session: Session) -> None:
    photos = session.scalars(select(Photo).where(Photo.state == PhotoState.FETCHED)).all()
    assert len(photos) >= 60
    for photo in photos:
        assert photo.query is not None
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert photo.licence_url
        assert photo.image is not None
        assert demo.store.has(photo.image.sha256)


def test_every_removed_image_is_a_true_near_duplicate(session: Session, known: Known) -> None:
    pairs = load_near_pairs(session)
    assert len(pairs) >= 10
    of_one = [known[first].original == known[other].original for first, other in pairs]
    assert all(of_one)  # a part of a picture is a near-duplicate of the whole


def test_hardly_any_kept_images_show_the_same_scene(session: Session, known: Known) -> None:
    kept = select(Photo.source_id).join(Image).where(Image.state != ImageState.DUPLICATE)
    groups = [known[source_id].group for source_id in session.scalars(kept)]
    repeated = {group for group in groups if groups.count(group) > 1}
    assert len(repeated) <= 3, repeated  # what the thin first stage may miss


def test_simulated_people_are_marked_as_simulated(folder: Path, session: Session) -> None:
    workers = session.scalars(select(Person).join(Annotation, Annotation.person_id == Person.id))
    assert all(person.is_simulated for person in workers)
    release = json.loads((folder / "releases" / "VOC2026" / "release.json").read_text())
    people = [part["person"] for image in release["images"] for part in image["revisions"]]
    assert people
    assert all(person["is_simulated"] for person in people)


def test_the_release_has_the_objects_of_the_photographs(session: Session, known: Known) -> None:
    released = load_released(session)
    assert len(released) >= 8
    for row in released:
        [photo] = row.image.photos
        truth = known[photo.source_id].objects_at(row.image.width, row.image.height)
        drawn = sorted(item.class_name for item in row.annotation.objects)
        assert drawn == sorted(item.name for item in truth)


def test_ten_images_are_segmented_and_released_with_masks(folder: Path, session: Session) -> None:
    listed = json.loads(run_vocparty("segment", "list", "--json", "--party", folder).stdout)
    released = len(load_released(session))
    assert listed["states"]["checked"] == min(released, 10)  # who annotates what is by chance
    assert all(value > 0.7 for value in listed["agreement"].values())  # none drawn twice by chance
    tree = folder / "releases" / "VOC2026" / "VOCdevkit" / "VOC2026"
    for kind in ("SegmentationClass", "SegmentationObject"):
        assert len(list((tree / kind).glob("*.png"))) == min(released, 10)


def test_the_demo_leaves_some_work_for_real_people(session: Session) -> None:
    states = session.scalars(select(Image.state)).all()
    assert states.count(ImageState.POOL) >= 5
    assert states.count(ImageState.ANNOTATED) >= 1


@pytest.mark.parametrize(("role", "kind"), [(Role.ANNOTATOR, "annotate"), (Role.CHECKER, "check")])
def test_each_personal_link_of_the_demo_opens_on_work(
    folder: Path, tmp_path: Path, role: Role, kind: str
) -> None:
    name = next(name for name, other in REAL_PEOPLE if other is role)
    with open_party(shutil.copytree(folder, tmp_path / "party")) as party:
        token = make_link(party, name, role).rpartition("/")[2]
        assert House(party).enter(token).take(kind) is not None


def test_one_image_is_returned_and_corrected(session: Session) -> None:
    returned = session.scalars(
        select(Image)
        .join(Annotation, Annotation.image_id == Image.id)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.verdict == Verdict.RETURNED)
    ).all()
    assert returned
    assert ImageState.RELEASED in {image.state for image in returned}


def test_slips_are_found_and_fixed_and_some_findings_judged(session: Session) -> None:
    findings = session.scalars(select(Finding)).all()
    verdicts = {(finding.check_name, finding.verdict) for finding in findings}
    judged = [finding for finding in findings if finding.person_id is not None]
    assert ("same_class_overlap", FindingVerdict.FIXED) in verdicts
    assert ("short_time", FindingVerdict.RIGHT) in verdicts
    assert 1 <= len(judged) <= 6


def test_a_gold_image_is_answered_blind_and_others_are_drawn_twice(session: Session) -> None:
    [gold_id] = session.scalars(select(GoldImage.image_id))
    tasks = session.scalars(select(BlindTask).where(BlindTask.finished_at.is_not(None))).all()
    answers = [task for task in tasks if task.kind is BlindKind.GOLD]
    assert {task.image_id for task in answers} == {gold_id}
    assert len(answers) >= 2
    assert all(task.score for task in answers)
    assert sum(task.kind is BlindKind.DOUBLE for task in tasks) >= 3


def test_an_image_returned_twice_waits_for_an_organiser(session: Session) -> None:
    returned = session.execute(
        select(Annotation.image_id, func.count())
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.verdict == Verdict.RETURNED)
        .group_by(Annotation.image_id)
    )
    disputed = [image_id for image_id, times in returned.tuples() if times >= 2]
    [state] = [session.get_one(Image, image_id).state for image_id in disputed]
    assert state is ImageState.ANNOTATED


def test_every_released_object_is_judged_for_difficulty(session: Session) -> None:
    judged = {
        (difficulty.image_id, difficulty.object_key): difficulty.is_difficult
        for difficulty in session.scalars(select(Difficulty))
    }
    released = {
        (row.image_id, item.object_key): item.difficult
        for row in load_released(session)
        for item in row.annotation.objects
    }
    assert released.items() <= judged.items()


def test_the_release_is_valid_and_two_detectors_are_evaluated(folder: Path) -> None:
    assert run_vocparty("verify", folder / "releases" / "VOC2026").exit_code == 0
    page = (folder / "collected.html").read_text()
    assert "What “Demo party” collected" in page
    assert page.count("data:image/svg+xml") >= 3
    report = folder / "evaluation" / "VOC2026"
    scores = json.loads((report / "scores.json").read_text())["methods"]
    assert set(scores) == {"nearest", "everywhere"}
    assert scores["nearest"]["set"] == "test"
    assert "Error types" in (report / "comp3.html").read_text()


def test_three_teams_are_on_the_board_and_what_one_copied_is_named(folder: Path) -> None:
    now = datetime.now(UTC)
    with open_challenge(folder / CHALLENGE) as challenge, challenge.catalogue.reading() as session:
        shown = {row.team: row for row in load_board(session, challenge, ANY, now).rows}
        refused = [
            submission.team.name
            for submission in submissions.list_all(session)
            if submission.state is State.REFUSED
        ]
        taken = session.scalars(select(QuotaUse.submission_id)).all()
    assert set(shown) == {BASELINES, BROKEN, COPYIST}
    assert shown[BASELINES].mean.score is not None
    assert shown[BROKEN].mean.score is not None
    assert "look like images of the test set" in shown[COPYIST].disqualified_for
    assert refused == [BROKEN]
    assert sorted(taken) == sorted(row.submission_id for row in shown.values())


def test_running_the_demo_again_continues_where_it_was(folder: Path, session: Session) -> None:
    said: list[str] = []
    run_demo(DemoOptions(folder, 2026, once=True), said.append)
    assert "   Planned: nothing. Have 98 of 98 images." in said
    assert any("Fetched 0" in line for line in said)
    assert any(f"vocparty collected --party {folder}" in line for line in said[-6:])
    assert session.scalars(select(Release.name)).all() == ["VOC2026", "VOC2026-blind"]


def test_the_demo_refuses_a_real_party(party: Party) -> None:
    with pytest.raises(SettingsError, match="party of its own"):
        run_demo(DemoOptions(party.folder, 2026, once=True), lambda _line: None)
    assert load_rows(party, select(Person)) == []


def test_a_release_name_that_is_taken_gets_a_number(demo: Party) -> None:
    names = [find_free_name(demo, name) for name in ("VOC2026", "VOC2027")]
    assert names == ["VOC2026-2", "VOC2027"]


def test_qa_shows_open_warnings_and_the_precision_of_checks(folder: Path) -> None:
    document = read_json("qa", "--json", "--party", folder)
    assert document["counts"]["error"] == 0
    assert document["counts"]["warning"] >= 1
    precision = {check["check"]: check["precision"] for check in document["checks"]}
    assert precision["same_class_overlap"] == 1.0
    assert precision["short_time"] == 1.0


def test_agreement_shows_peoples_scores_and_corrections(folder: Path) -> None:
    document = read_json("agreement", "--json", "--party", folder)
    everybody = document["everybody"]
    assert everybody["images"] >= 3
    assert 0.5 <= everybody["both"]["value"] <= 1
    assert everybody["both"]["low"] <= everybody["both"]["value"]
    assert document["errors"]["all"]["counts"]["extra"] >= 1
    assert {score["person"] for score in document["gold"]} >= {"Ada", "Cleo"}


def test_statistics_count_the_objects_of_the_release(folder: Path, session: Session) -> None:
    objects = sum(len(row.annotation.objects) for row in load_released(session))
    done = run_vocparty("tables", "--release", "VOC2026", "--all-objects", "--party", folder)
    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    total = next(line for line in lines if line[:1] == ["Total"])
    assert int(total[6]) + int(total[8]) == objects  # of trainval and test


def test_the_organiser_pages_show_the_demo_party(folder: Path, chromium: Browser) -> None:
    with open_party(folder) as party:
        link = make_link(party, "Olga", Role.ORGANISER)
        with serving(create_app(party)) as base_url, browsing(chromium) as olga:
            do.enter(olga, base_url + link)
            expect(olga.get_by_test_id("step:released")).not_to_have_text("0")
            people = olga.locator("table.people tbody tr")
            for name in ("Ada", "Ben", "Cleo", "Dora", "Orla"):
                expect(people.filter(has_text=name)).to_have_count(1)
            expect(olga.locator("[data-card=agreement] svg rect.cell").first).to_be_attached()
            expect(olga.locator("[data-card=images] .reasons li").first).to_be_visible()
            take_picture(olga, "demo-board")
            pages = {
                "/disputes": "[data-testid^='dispute:']",
                "/findings": "[data-testid=tile]",
                "/gold": "[data-testid^='gold:']",
                "/wall": ".shot",
                "/difficult": "[data-testid^=class-]",
            }
            for path, there in pages.items():
                do.open_page(olga, path)
                expect(olga.locator(there).first).to_be_visible()
                wait_until(olga, PICTURES_ARE_THERE)
                take_picture(olga, f"demo{path.replace('/', '-')}")


def read_json(*arguments: object) -> dict[str, Any]:
    done = run_vocparty(*arguments)
    assert done.exit_code == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document
