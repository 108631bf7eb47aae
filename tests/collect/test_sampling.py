"""Random decisions of a draw: windows of time, the class, and the query by its yield."""

import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.licences import get_licences
from catalog.party import Party
from catalog.preset import load_preset
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Person, Photo, Query
from collect.query_yield import (
    Record,
    choose_uniform,
    load_counts,
    recount_yields,
)
from collect.strata import (
    Keyword,
    Window,
    choose_classes,
    cut_strata,
    deepest_level,
    draw_in_time,
    whole_range,
    window_around,
)
from tests.qa.rows import add_person, add_revision
from tests.rows import make_image, reading
from vockit.errors import SettingsError

from .rows import NOON, load_query

SHORTEST_SECS = 300
START = datetime(2005, 1, 1, tzinfo=UTC)
SPANS = st.builds(
    lambda secs: Window(START, START + timedelta(seconds=secs)),
    st.integers(min_value=86_400, max_value=30 * 365 * 86_400),
)


@st.composite
def moments_and_levels(draw: st.DrawFn) -> tuple[Window, datetime, int]:
    span = draw(SPANS)
    offset_secs = draw(st.integers(min_value=0, max_value=span.secs - 1))
    level = draw(st.integers(min_value=0, max_value=deepest_level(span, SHORTEST_SECS)))
    return span, span.start + timedelta(seconds=offset_secs), level


@given(moments_and_levels())
def test_windows_contain_their_moment_nest_and_are_equally_long_on_each_level(
    case: tuple[Window, datetime, int],
) -> None:
    span, moment, level = case
    window, above = (window_around(moment, span, at) for at in (level, max(0, level - 1)))
    assert window.start <= moment < window.end
    assert span.start <= above.start <= window.start
    assert window.end <= above.end <= span.end
    assert abs(window.secs - span.secs / 2**level) < 1
    assert window.secs >= min(SHORTEST_SECS, span.secs)


def test_a_range_that_ends_before_it_starts_is_refused_with_both_dates() -> None:
    with pytest.raises(SettingsError, match=r"first_date = 2006-01-01.*2005-01-01"):
        whole_range(date(2006, 1, 1), date(2005, 1, 1))


def test_strata_are_about_a_year_long_and_leave_no_gap() -> None:
    span = whole_range(date(2005, 1, 1), date(2019, 12, 31))
    strata = cut_strata(span)
    assert len(strata) == 15
    assert {stratum.secs for stratum in strata} == {span.secs // 15}
    assert [stratum.end for stratum in strata[:-1]] == [stratum.start for stratum in strata[1:]]
    assert (strata[0].start, strata[-1].end) == (span.start, span.end)
    assert len(cut_strata(whole_range(date(2019, 1, 1), date(2019, 3, 31)))) == 12


def test_photographs_are_drawn_evenly_in_time_from_a_window_of_mostly_recent_ones() -> None:
    window = whole_range(date(2019, 1, 1), date(2019, 4, 10))
    rng = random.Random(1)
    days = [day for day in range(100) for _copy in range(1 if day < 50 else 9)]
    dated = [(window.start + timedelta(days=day), n) for n, day in enumerate(days)]
    first = [days[next(draw_in_time(rng, dated, window))] for _ in range(2000)]
    assert sum(day < 50 for day in first) == pytest.approx(1000, abs=80)
    assert sorted(draw_in_time(rng, dated, window)) == list(range(len(dated)))


VOC = load_preset("voc2012")
KEYWORDS = {
    "cat": [Keyword(1, "cat", "tabby")],
    "sheep": [Keyword(2, "sheep", "ewe"), Keyword(3, "sheep", "lamb"), Keyword(4, "sheep", "ram")],
}


def test_classes_are_equally_likely_however_many_keywords_they_have() -> None:
    rng = random.Random(1)
    drawn = Counter(choose_uniform(rng, KEYWORDS) for _ in range(6000))
    assert drawn[KEYWORDS["cat"][0]] == pytest.approx(3000, abs=150)
    for keyword in KEYWORDS["sheep"]:
        assert drawn[keyword] == pytest.approx(1000, abs=120)


def test_only_named_classes_are_drawn_or_all_when_none_is_named() -> None:
    chosen = choose_classes(VOC, ["sheep", "cat"])
    assert set(chosen) == {"cat", "sheep"}
    assert "tabby" in chosen["cat"]
    assert tuple(choose_classes(VOC, [])) == VOC.class_names


def test_an_unknown_class_is_refused_with_a_list_of_the_classes() -> None:
    with pytest.raises(SettingsError, match=r"giraffe has no queries.*aeroplane, bicycle"):
        choose_classes(VOC, ["cat", "giraffe"])


@pytest.mark.parametrize("ids", [["4", "17"], ["cc-by"], []])
def test_an_unknown_licence_id_is_refused_with_a_list_of_the_ids(ids: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"16 \(CC BY-NC-ND 4.0\)"):
        get_licences(ids)


def add_image(party: Party, number: int, state: ImageState, *photos_of: int) -> int:
    """The id of an image of which each of the queries has found a photo."""
    with party.catalogue.writing() as session:
        image = make_image(f"{number:064x}", NOON, state=state)
        session.add(image)
        for query_id in photos_of:
            session.add(fetched(f"{number}{query_id}", query_id, image=image))
        session.flush()
        return image.id


def fetched(source_id: str, query_id: int, **image: Any) -> Photo:
    """A fetched photo that a query found; `image` gives its image."""
    known = {"source": Source.FLICKR, "found_at": NOON, "state": PhotoState.FETCHED}
    return Photo(**known, source_id=source_id, query_id=query_id, **image)


def annotate(party: Party, image_id: int, *class_names: str) -> None:
    """Add a new head revision with one object of each class."""
    with party.catalogue.reading() as session:
        known = session.get(Person, 1)
    person_id = known.id if known else add_person(party)
    box = {"xmin": 1, "ymin": 1, "xmax": 10, "ymax": 10}
    add_revision(party, image_id, person_id, *({"class_id": name, **box} for name in class_names))


@pytest.fixture
def queries(any_party: Party) -> tuple[int, int]:
    """The ids of the queries cat / tabby and sofa / lounge, whose counts are wrong."""
    with any_party.catalogue.writing() as session:
        tabby = Query(source=Source.FLICKR, class_id="cat", keyword="tabby", kept=9, useful=9)
        lounge = Query(source=Source.FLICKR, class_id="sofa", keyword="lounge", kept=9, useful=9)
        session.add_all([tabby, lounge])
        session.flush()
        return tabby.id, lounge.id


def load_yields(party: Party) -> list[tuple[int, int]]:
    """The kept and useful images of the two queries, recounted."""
    recount_yields(party)
    queries = [load_query(party, "cat", "tabby"), load_query(party, "sofa", "lounge")]
    return [(query.kept, query.useful) for query in queries]


@pytest.mark.parametrize(
    ("state", "kept"),
    [
        (ImageState.FETCHED, 1),
        (ImageState.POOL, 1),
        (ImageState.DISCARDED, 1),
        (ImageState.CHECKED, 1),
        (ImageState.DUPLICATE, 0),
        (ImageState.BROKEN, 0),
        (ImageState.TAKEN_DOWN, 0),
    ],
)
def test_only_images_that_can_still_be_used_count_as_kept(
    any_party: Party, queries: tuple[int, int], state: ImageState, kept: int
) -> None:
    add_image(any_party, 1, state, queries[0])
    assert load_yields(any_party) == [(kept, 0), (0, 0)]


def test_useful_images_show_the_querys_class(any_party: Party, queries: tuple[int, int]) -> None:
    tabby, lounge = queries
    annotate(any_party, add_image(any_party, 1, ImageState.CHECKED, tabby), "cat", "cat", "sofa")
    annotate(any_party, add_image(any_party, 2, ImageState.ANNOTATED, tabby), "dog")
    annotate(any_party, add_image(any_party, 3, ImageState.ANNOTATED, lounge), "sofa")
    annotate(any_party, add_image(any_party, 4, ImageState.DISCARDED, lounge), "sofa")
    assert load_yields(any_party) == [(2, 1), (2, 1)]
    annotate(any_party, 1, "dog")  # only the newest revision counts
    assert load_yields(any_party) == [(2, 0), (2, 1)]


def test_judged_and_waiting_images_are_counted(any_party: Party, queries: tuple[int, int]) -> None:
    tabby, lounge = queries
    annotate(any_party, add_image(any_party, 1, ImageState.CHECKED, tabby), "cat", "sofa")
    annotate(any_party, add_image(any_party, 2, ImageState.ANNOTATED, lounge), "cat")
    add_image(any_party, 3, ImageState.DISCARDED, tabby)
    add_image(any_party, 4, ImageState.POOL, tabby)
    load_yields(any_party)
    counts = reading(any_party, load_counts)
    assert counts.shown == {"cat": 2, "sofa": 1}
    assert counts.records == {tabby: Record(2, 1, 1), lounge: Record(1, 0, 0)}


@pytest.mark.parametrize("state", [ImageState.ANNOTATING, ImageState.POOL])
def test_a_draft_is_no_judgement_of_its_image(
    any_party: Party, queries: tuple[int, int], state: ImageState
) -> None:
    annotate(any_party, add_image(any_party, 1, state, queries[0]), "cat")
    annotate(any_party, add_image(any_party, 2, ImageState.RETURNED, queries[0]), "cat")
    assert load_yields(any_party) == [(2, 1), (0, 0)]
    counts = reading(any_party, load_counts)
    assert counts.records[queries[0]] == Record(1, 1, 1)
