"""Whether pages stay as fast in a large party: each route asked at two sizes, in one run.

The parties have the proportions of VOC2008: of 500,000 photographs 44,250 were judged and 17,000
checked. Each address that a page reads is asked by an organiser, the first time and again. Then 30
people annotate at once over HTTP, and the time of the next image and of a save is taken. A line is
good where the large party takes at most twice as long as the small one, or less than 100 ms.

    python -m benchmarks.serve_scale --images 10000 100000
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert, text

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.session import in_parts
from catalog.states import ImageState, Role, Source
from catalog.tables import (
    Annotation,
    Duplicate,
    Image,
    Object,
    Person,
    Photo,
    Query,
    Review,
)
from simulate.demo_people import make_link
from simulate.party_client import PartyClient, RefusedError
from tests.annotate_ui.house import Browser

from .qa_party import PEOPLE, Row, _image, _object, _person, _photo, _review, _revision
from .serve_load import Json, make_object

JUDGED_SHARE = 44_250 / 500_000
CHECKED_SHARE = 17_000 / 44_250  # of the judged ones
DISCARDED_EVERY = 4
DUPLICATE_EVERY = 50
KEYWORDS = 10  # of each class
ENOUGH_MS = 100.0
MOST_RATIO = 2.0
QUIET_ROUNDS = 3
SAVES = 10
SKIPPED = ("/enter", "/join", "/sign-out", "/metrics", "/static", "/images/")
"""Addresses that no row makes slower."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, nargs=2, default=(10_000, 100_000))
    parser.add_argument("--people", type=int, default=30)
    given = parser.parse_args()
    taken = list[dict[str, float]]()
    for images in given.images:
        with tempfile.TemporaryDirectory() as folder:
            taken.append(measure(Path(folder) / "party", images, given.people))
    small, large = taken
    print(f"{'':44} {given.images[0]:>9,} {given.images[1]:>9,} photographs")
    for name in small:
        is_good = large[name] <= max(ENOUGH_MS, MOST_RATIO * small[name])
        note = "" if is_good else "  SLOW"
        print(f"{name:44} {small[name]:7.0f} ms {large[name]:7.0f} ms{note}", flush=True)


def measure(folder: Path, images: int, people: int) -> dict[str, float]:
    """Milliseconds of each request in a party of so many photographs."""
    make_party(folder, name="Large party", preset="voc2012")
    with open_party(folder) as party:
        fill(party, images)
    with open_party(folder) as party:
        return ask_pages(party) | work_at_once(party, people)


def fill(party: Party, images: int) -> None:
    """Photographs of many queries; some judged, some of these checked, as VOC2008 had them."""
    rng = np.random.default_rng(0)
    judged = range(1, int(images * JUDGED_SHARE) + 1)
    checked = [number for number in judged if number <= len(judged) * CHECKED_SHARE]
    discarded = [number for number in judged if number % DISCARDED_EVERY == 0]
    classes = party.preset.class_names
    with party.catalogue.writing() as session:
        session.execute(insert(Person), [_person(number) for number in range(1, PEOPLE + 1)])
        queries = [
            Query(source=Source.FLICKR, class_id=name, keyword=f"{name} {number}")
            for name in classes
            for number in range(KEYWORDS)
        ]
        session.add_all(queries)
    for some in in_parts(range(1, images + 1), 20_000):
        with party.catalogue.writing() as session:
            session.execute(
                insert(Image), [_make_image(number, judged, checked) for number in some]
            )
            photos = [_photo(number) | {"query_id": 1 + number % len(queries)} for number in some]
            session.execute(insert(Photo), photos)
    with party.catalogue.writing() as session:
        revisions = [_revision(number, number, 1 + number % PEOPLE, rng) for number in judged]
        for number in discarded:
            revisions[number - 1]["discard_reason"] = "no_object"
        session.execute(insert(Annotation), [{"discard_reason": None} | row for row in revisions])
        objects = [
            _object(number, place, classes, rng)
            for number in judged
            if number % DISCARDED_EVERY
            for place in range(1, 1 + rng.integers(1, 5))
        ]
        session.execute(insert(Object), objects)
        session.execute(insert(Review), [_review(number, rng) for number in checked])
        session.execute(
            text("UPDATE image SET annotation_id = id WHERE id <= :last"), {"last": len(judged)}
        )
        pairs = range(images - images // DUPLICATE_EVERY, images)
        session.execute(insert(Duplicate), [_pair(number) for number in pairs])


def _make_image(number: int, judged: range, checked: Sequence[int]) -> Row:
    row = _image(number, digest_of(b"image %d" % number))
    row["state"] = ImageState.POOL
    if number in judged:
        row["state"] = ImageState.CHECKED if number <= len(checked) else ImageState.ANNOTATED
        if number % DISCARDED_EVERY == 0:
            row["state"] = ImageState.DISCARDED
    return row


def _pair(number: int) -> Row:
    return {
        "image_id": number + 1,
        "kept_image_id": number - 1000,
        "relation": "same_event",
        "distance_64_bits": 9,
        "distance_256_bits": 60,
        "similarity": 0.5,
        "doubt": number % 97 / 97,
        "decided_how": "a benchmark",
        "decided_at": datetime(2026, 1, 31, tzinfo=UTC),
    }


def ask_pages(party: Party) -> dict[str, float]:
    """Milliseconds of each address without a number in it, asked by an organiser."""
    app = create_app(party, keeps_counts=True)
    browser = Browser(app.test_client())
    path = make_link(party, "olga", Role.ORGANISER)
    page = browser.get(path)
    token = page.text.partition('name="csrf_token" value="')[2].partition('"')[0]
    browser.http.post(path, data={"csrf_token": token})
    taken = dict[str, float]()
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if rule.arguments or "GET" not in (rule.methods or ()) or rule.rule.startswith(SKIPPED):
            continue
        times = [time_ms(partial(browser.get, rule.rule)) for _ in range(QUIET_ROUNDS)]
        taken[f"GET {rule.rule}, first"] = times[0]
        taken[f"GET {rule.rule}"] = min(times[1:])
    return taken


def time_ms(act: Callable[[], Any]) -> float:
    """How long an act takes."""
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def work_at_once(party: Party, people: int) -> dict[str, float]:
    """Milliseconds of the next image and of a save, the median and the 95th of 100, of a room."""
    links = [make_link(party, f"annotator {number}", Role.ANNOTATOR) for number in range(people)]
    times = defaultdict[str, list[float]](list)
    with serving(create_app(party, keeps_counts=True)) as base_url:

        def work(link: str) -> None:
            client = PartyClient(base_url)
            rng = random.Random(link)
            kept = list[Json]()
            client.sign_in(link)
            for _ in range(SAVES):
                times["next image"].append(
                    time_ms(lambda: kept.append(again(partial(take, client))))
                )
                drawn = [make_object(rng, len(kept))]
                times["save"].append(time_ms(partial(again, partial(client.save, kept[-1], drawn))))

        threads = [threading.Thread(target=work, args=(link,)) for link in links]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    shares = ((50, "median"), (95, "95 of 100"))
    return {
        f"{name}, {people} people, {words}": float(np.percentile(values, share))
        for name, values in times.items()
        for share, words in shares
    }


def again(act: Callable[[], Any]) -> Any:
    """What an act returns; a person whom the server tells to come again does."""
    while True:
        try:
            return act()
        except RefusedError as error:
            if error.status != HTTPStatus.SERVICE_UNAVAILABLE:
                raise


def take(client: PartyClient) -> Json:
    """The next image, which a large pool has."""
    task = client.take("annotate")
    assert task is not None
    return task


if __name__ == "__main__":
    main()
