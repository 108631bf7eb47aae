"""Query rows, on both databases."""

from __future__ import annotations

import threading

from sqlalchemy import func, select

from catalog.party import Party
from catalog.tables import Query
from collect.queries import DrawCounts, count_draw, load_draw_count, load_keywords, seed_queries
from collect.sampling import choose_classes

from .rows import load_query


def test_the_presets_queries_become_rows_once(any_party: Party) -> None:
    classes = choose_classes(any_party.preset, [])
    for _ in range(2):
        with any_party.catalogue.writing() as session:
            seed_queries(session, classes)
    with any_party.catalogue.reading() as session:
        count = session.scalar(select(func.count()).select_from(Query))
    assert count == sum(len(set(keywords)) for keywords in classes.values()) > 200


def test_keywords_are_loaded_with_their_rows_in_a_fixed_order(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby", "feline"], "dog": ["hound"]})
        found = load_keywords(session, {"dog": ["hound"], "cat": ["tabby", "feline"]})
    assert list(found) == ["cat", "dog"]
    assert [keyword.text for keyword in found["cat"]] == ["feline", "tabby"]
    assert found["dog"][0].query_id == load_query(any_party, "dog", "hound").id


def test_a_row_that_the_preset_no_longer_names_is_not_drawn_from(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby", "feline"]})
        found = load_keywords(session, {"cat": ["tabby"]})
    assert [keyword.text for keyword in found["cat"]] == ["tabby"]


def test_no_draw_is_lost_when_many_count_at_once(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby"]})
        query_id = load_keywords(session, {"cat": ["tabby"]})["cat"][0].query_id

    def count() -> None:
        for _ in range(10):
            with any_party.catalogue.writing() as session:
                count_draw(session, query_id, DrawCounts(searches=2, matches=10**10))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    query = load_query(any_party, "cat", "tabby")
    assert (query.draws, query.searches, query.matches) == (40, 80, 40 * 10**10)
    with any_party.catalogue.reading() as session:
        assert load_draw_count(session) == 40
