"""The figures of a known party, and the page and the document with them."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Query
from collect.report.cli import show_report
from collect.report.figures import OwnerFigures, Report, Shortage
from collect.report.load import load_report
from collect.report.page import format_page, list_owners
from tests.collect.flickrs import with_collect
from tests.qa.rows import CAR, add_person, add_revision
from tests.rows import add_release, make_image, writing
from vockit.format.image_sets import Split
from vockit.report.report_page import format_page as format_sections
from vocparty import main

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
NASTY = "<script>alert('x')</script> & co"


def fill(party: Party) -> None:
    """Two queries: of cat ten photos in every fate, of dog nothing yet."""
    with party.catalogue.writing() as session:
        cat = Query(source=Source.FLICKR, class_id="cat", keyword="kitten", searches=7, matches=900)
        session.add_all([cat, Query(source=Source.FLICKR, class_id="dog", keyword="puppy")])
        session.flush()
        fates: list[tuple[PhotoState, ImageState | None]] = [
            (PhotoState.FETCHED, ImageState.ANNOTATED),
            (PhotoState.FETCHED, ImageState.DISCARDED),
            (PhotoState.FETCHED, ImageState.POOL),
            (PhotoState.FETCHED, ImageState.POOL),
            (PhotoState.FETCHED, ImageState.DUPLICATE),
            (PhotoState.FETCHED, ImageState.BROKEN),
            (PhotoState.GONE, None),
            (PhotoState.BROKEN, None),
            (PhotoState.WITHDRAWN, ImageState.TAKEN_DOWN),
            (PhotoState.FOUND, None),
        ]
        for number, (state, image_state) in enumerate(fates):
            photo = _photo(number, state, cat.id)
            if image_state is not None:
                photo.image = _image(number, image_state)
            session.add(photo)
    add_revision(party, 1, add_person(party), {**CAR, "class_id": "cat"})


def _image(number: int, state: ImageState) -> Image:
    width, height = ((500, 375), (375, 500), (400, 400))[number % 3]
    return make_image(f"{number:064}", NOW, width=width, height=height, state=state)


def _photo(number: int, state: PhotoState, query_id: int) -> Photo:
    taken = ("2011-12-24 18:30:00", "2012-01-01 00:00:00", "0000-00-00 00:00:00", None)
    return Photo(
        source=Source.FLICKR,
        source_id=str(number),
        state=state,
        reason={"gone": "deleted: HTTP 404", "broken": "too_small: 3 x 3"}.get(state.value),
        owner_id="n7" if number < 3 else f"n{number + 50}",
        owner_name=NASTY if number < 3 else "Bob",
        licence_name="CC BY 2.0" if number % 2 else None,
        taken_at_text=taken[number % 4],
        taken_at_unknown=number % 4 == 3,
        uploaded_at=datetime(2012, 3, 1 + number % 28, tzinfo=UTC),
        query_id=query_id,
        found_at=NOW,
    )


def load(party: Party) -> Report:
    return load_report(
        with_collect(party, first_date=date(2010, 1, 1), last_date=date(2013, 12, 31)), NOW
    )


def test_the_report_counts_by_query_owner_licence_size_and_date(any_party: Party) -> None:
    fill(any_party)
    report = load(any_party)
    kitten, puppy = report.queries
    assert (kitten.searches, kitten.matches, kitten.drawn, kitten.fetched) == (7, 900, 10, 6)
    assert (kitten.gone, kitten.broken, kitten.withdrawn, kitten.duplicates) == (1, 1, 1, 1)
    assert (kitten.kept, kitten.judged, kitten.useful) == (4, 2, 1)
    assert kitten.useful_share == 0.5
    assert (puppy.drawn, puppy.useful_share) == (0, None)
    assert [(row.class_name, row.drawn) for row in report.classes] == [("cat", 10), ("dog", 0)]
    assert report.lost == {"broken: too_small": 1, "gone: deleted": 1, "withdrawn: no reason": 1}
    assert (report.kept, report.owners) == (4, 2)
    assert report.top_owners[0] == OwnerFigures("n7", NASTY, 3)
    assert report.top_owners_share == 1.0
    assert report.licences == {"CC BY 2.0": 2, "none recorded": 2}
    assert report.longest_sides == {"301-400": 1, "401-500": 3}
    assert report.shapes == {"landscape": 2, "portrait": 1, "square": 1}
    assert report.sources == {"flickr": 4}
    assert report.undated == 2
    spreads = report.spreads
    assert spreads["year taken"].labels == ("2010", "2011", "2012", "2013")
    assert spreads["year taken"].counts == (0, 1, 1, 0)
    assert sum(spreads["month taken"].counts) == 1  # of the other only the year is known
    assert spreads["month taken"].counts[11] == 1
    assert spreads["year uploaded"].counts == (0, 0, 4, 0)


def test_the_top_owners_share_counts_only_the_ten_most_frequent_owners(any_party: Party) -> None:
    of_owner = [9, 7, 5, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1]
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="kitten")
        session.add(query)
        session.flush()
        owners = [owner for owner, count in enumerate(of_owner) for _ in range(count)]
        for number, owner in enumerate([*owners, 12, 12, 12]):
            photo = _photo(number, PhotoState.FETCHED, query.id)
            photo.owner_id = f"{owner:02}@N00"
            is_kept = number < len(owners)
            photo.image = _image(number, ImageState.POOL if is_kept else ImageState.DUPLICATE)
            session.add(photo)
    report = load(any_party)
    assert (report.kept, report.owners) == (42, 13)
    assert [owner.photographs for owner in report.top_owners] == of_owner[:10]
    assert report.top_owners_share == 39 / 42
    page = format_page([report])
    assert "the first ten of 13 owners have <b>92.9%</b> of 42 photographs" in page


def test_recent_shares_cover_photographs_annotated_and_released_images(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="kitten")
        session.add(query)
        session.flush()
        for number in range(60):  # 12 draws of 5, four of them of 2013
            draw = number // 5
            photo = _photo(number, PhotoState.FETCHED, query.id)
            photo.uploaded_at = datetime(2013 if draw < 4 else 2010, 6, 1, tzinfo=UTC)
            photo.found_at = NOW + timedelta(seconds=draw)
            photo.image = _image(number, ImageState.ANNOTATED if draw < 6 else ImageState.POOL)
            session.add(photo)
            session.flush()
    ann = add_person(any_party)
    drawn = {image_id: add_revision(any_party, image_id, ann) for image_id in range(1, 31)}
    placed = {image_id: (drawn[image_id], Split.TRAIN) for image_id in range(1, 11)}
    writing(any_party, add_release, "VOC2026", NOW, placed)
    photographs, annotated, released = load(any_party).recent
    assert photographs.period == "the last 1 of 4 years"
    assert (photographs.photographs, photographs.draws) == (60, 12)
    assert photographs.share == pytest.approx(1 / 3)
    assert photographs.low < 0.15
    assert photographs.high > 0.6  # as of 12, not of 60
    assert annotated.photographs == 30
    assert annotated.share == pytest.approx(2 / 3)
    assert (released.photographs, released.draws, released.share) == (10, 2, 1.0)


def test_classes_are_judged_by_objects_and_those_left_out_on_purpose_are_not_few(
    any_party: Party,
) -> None:
    """Every image has a person, whatever was searched for; the dogs that were found are none."""
    ann = add_person(any_party)
    with any_party.catalogue.writing() as session:
        asked = {"cat": 9, "dog": 9, "person": 3, "bird": 5, "sofa": 0}
        queries = [
            Query(source=Source.FLICKR, class_id=name, keyword=f"a {name}", searches=searches)
            for name, searches in asked.items()
        ]
        session.add_all(queries)
        session.flush()
        for number in range(40):
            photo = _photo(number, PhotoState.FETCHED, queries[number % 2].id)
            photo.image = _image(number, ImageState.ANNOTATED)
            session.add(photo)
            session.flush()
    released = {}
    for image_id in range(1, 41):
        cat = [{**CAR, "class_id": "cat"}] if image_id % 2 else []
        revision = add_revision(any_party, image_id, ann, {**CAR, "class_id": "person"}, *cat)
        released[image_id] = revision, Split.TRAIN
    writing(any_party, add_release, "VOC2026", NOW, released)
    party = with_collect(any_party, class_targets={"bird": 0})
    findings = {
        verdict.sample: verdict.finding
        for verdict in load_report(party, NOW).verdicts
        if verdict.subject == "classes"
    }
    assert findings == {
        "photographs": "few of person 0 (even: 13)",
        "annotated images": "few of dog 0 (even: 13)",
        "released images": "few of dog 0 (even: 13)",
    }


def test_years_with_too_few_photographs_of_a_query_are_named(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="kitten")
        session.add(query)
        session.flush()
        years = [year for year in range(2005, 2020) for _ in range(3 if year < 2008 else 30)]
        for number, year in enumerate(years):
            photo = _photo(number, PhotoState.FETCHED, query.id)
            photo.uploaded_at = datetime(year, 6, 1, tzinfo=UTC)
            photo.image = _image(number, ImageState.POOL)
            session.add(photo)
    range_of = {"first_date": date(2005, 1, 1), "last_date": date(2019, 12, 31)}
    party = with_collect(any_party, **range_of)
    assert load_report(party, NOW).shortages == (
        Shortage("All queries together", "2005 to 2007", 9, 90),
        Shortage("cat: kitten", "2005 to 2007", 9, 90),
    )
    assert "<td>2005 to 2007</td>" in format_page([load_report(party, NOW)])


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (0, None),
        (5, None),
        (6, "1 more stretch of years is short; --html and --json list all."),
        (9, "4 more stretches of years are short; --html and --json list all."),
    ],
)
def test_the_command_lists_five_shortages_and_counts_the_rest(
    party: Party, capsys: pytest.CaptureFixture[str], count: int, sentence: str | None
) -> None:
    fill(party)
    short = tuple(Shortage(f"cat: {number}", "2005 to 2007", 9, 90) for number in range(count))
    show_report(replace(load_report(party, NOW), shortages=short))
    lines = capsys.readouterr().out.splitlines()
    assert sum("uniform dates would give 90" in line for line in lines) == min(count, 5)
    assert [line.strip() for line in lines if "more stretch" in line] == (
        [sentence] if sentence else []
    )


@pytest.mark.parametrize(
    ("kept", "of_owner", "sentence"),
    [
        (0, [], "Zoo: no owner is known."),
        (3, [], "Zoo: no owner is known."),
        (1, [1], "Zoo: 1 owner has <b>100.0%</b> of 1 photograph."),
        (4, [2], "Zoo: 1 owner has <b>50.0%</b> of 4 photographs."),
        (10, [1] * 10, "Zoo: 10 owners have <b>100.0%</b> of 10 photographs."),
        (44, [2] * 22, "Zoo: the first ten of 22 owners have <b>45.5%</b> of 44 photographs."),
    ],
)
def test_owners_are_put_into_words(
    party: Party, kept: int, of_owner: list[int], sentence: str
) -> None:
    top = tuple(OwnerFigures(str(at), "", count) for at, count in enumerate(of_owner[:10]))
    share = sum(of_owner[:10]) / kept if kept else 0.0
    figures = replace(load_report(party, NOW), party="Zoo", kept=kept, owners=len(of_owner))
    owners = list_owners(replace(figures, top_owners=top, top_owners_share=share))
    page = format_sections("Owners", [owners])
    assert f"<p>{sentence}</p>" in page
    assert ("<table>" in page) == bool(of_owner)


def test_the_page_is_self_contained_and_escapes_names(party: Party) -> None:
    fill(party)
    page = format_page([load(party)])
    references = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert "<script" not in page
    assert all(reference.startswith("data:image/svg+xml;base64,") for reference in references)
    assert "url(" not in page
    assert "&lt;script&gt;alert" in page
    assert len(references) == 3


def test_the_page_uses_spoken_class_names_and_every_column_has_a_heading(party: Party) -> None:
    fill(party)
    with party.catalogue.writing() as session:
        session.add(Query(source=Source.FLICKR, class_id="diningtable", keyword="dinner"))
        session.add(Query(source=Source.VOC, class_id="unicorn", keyword=""))
    page = format_page([load(party)])
    assert "<td>dining table</td>" in page
    assert "<td>dining table: dinner [hand-written]</td>" in page
    assert "diningtable" not in page
    assert "<td>unicorn</td>" in page  # which the preset lacks
    assert "<td>broken: too small</td>" in page
    heads = re.findall("<th[^>]*>(.*?)</th>", page)
    assert all(heads)
    assert heads.count("share") == 8


def call(party: Party, *words: str) -> str:
    done = CliRunner().invoke(main, ["collected", "--party", str(party.folder), *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_two_parties_are_compared_on_one_page(party: Party, tmp_path: Path) -> None:
    fill(party)
    values = {"collect": {"dates": "none"}}
    make_party(tmp_path / "other", name="Other", preset="voc2012", values=values)
    with open_party(tmp_path / "other") as other:
        fill(other)
    out = tmp_path / "page.html"
    document = json.loads(
        call(party, "--against", str(tmp_path / "other"), "--json", "--html", str(out))
    )
    assert [party["party"] for party in document["parties"]] == ["Test party", "Other"]
    sentence = "Test party and Other cannot be compared: one has too few draws."
    assert document["comparison"] == sentence
    page = out.read_text()
    assert "no windows of dates" in page
    assert sentence in page
    assert call(party, "--against", str(tmp_path / "other")).endswith(f"{sentence}\n")
    charts = [b64decode(chart) for chart in re.findall('svg\\+xml;base64,([^"]+)"', page)]
    assert len(charts) == 2 * 3


def test_the_command_prints_one_figure_per_line(party: Party) -> None:
    fill(party)
    output = call(party)
    assert "4 photographs kept; 2 owners have 100.0% of them" in output
    assert "years in 4 photographs of 1 draw: not enough to tell." in output
    assert "Released images: none with a date in the range yet." in output
    assert "broken: too small: 1" in output


def test_a_party_without_photographs_gets_a_page_and_the_next_step(party: Party) -> None:
    report = load_report(party, NOW)
    assert (report.kept, report.queries) == (0, ())
    assert "<h1>" in format_page([report])
    assert call(party) == (
        "Test party: no photographs yet. "
        "Next: `vocparty collect`, or `vocparty import folder` for photographs of your own.\n"
    )


def test_an_unwritable_page_is_reported_in_one_sentence(party: Party, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    words = ["collected", "--party", str(party.folder), "--html", str(tmp_path / "file" / "a.html")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.output
