"""What a seed repeats, with one thread and with several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime

from catalog.settings import CollectSettings
from collect.balance import Balanced, Record, Standing, Uniform
from collect.draw_pool import Chooser, DrawPool, DrawRules
from collect.licences import get_licences
from collect.sampling import Keyword
from collect.windows import draw_moment, whole_range

SPAN = whole_range(date(2005, 1, 1), date(2024, 12, 31))
KEYWORDS = {
    "cat": (Keyword(1, "cat", "tabby"), Keyword(2, "cat", "kitten")),
    "dog": (Keyword(3, "dog", "puppy"),),
}
STANDING = Standing({"cat": 3}, {1: Record(10, 5), 3: Record(4, 1, 7)})
DRAWS = 200

Draw = tuple[Keyword, datetime]


def uniform() -> Chooser:
    return Uniform()


def balanced() -> Chooser:
    return Balanced({"cat": 90, "dog": 60}, lambda: STANDING)


def draw_all(make: Callable[[], Chooser], threads: int, *, seed: int = 7) -> list[Draw]:
    """The query and the moment of so many draws, made by some threads."""
    rules = DrawRules(seed, 0, SPAN, get_licences(["4"]), CollectSettings())
    pool = DrawPool(rules, KEYWORDS, make())

    def draw(_number: int) -> Draw:
        drawn = pool.draw()
        assert drawn is not None
        rng, keyword = drawn
        return keyword, draw_moment(rng, SPAN)

    with ThreadPoolExecutor(threads) as workers:
        return list(workers.map(draw, range(DRAWS)))


def test_one_thread_repeats_every_draw_in_order() -> None:
    for make in (uniform, balanced):
        assert draw_all(make, 1) == draw_all(make, 1)
        assert draw_all(make, 1) != draw_all(make, 1, seed=8)


def test_several_threads_make_the_same_draws_from_the_same_standing() -> None:
    for make in (uniform, balanced):
        assert Counter(draw_all(make, 8)) == Counter(draw_all(make, 1))


def test_a_party_goes_on_with_the_draw_that_comes_next() -> None:
    rules = DrawRules(7, 3, SPAN, get_licences(["4"]), CollectSettings())
    drawn = DrawPool(rules, KEYWORDS, Uniform()).draw()
    assert drawn is not None
    rng, keyword = drawn
    assert (keyword, draw_moment(rng, SPAN)) == draw_all(uniform, 1)[3]
