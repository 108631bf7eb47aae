"""The organiser's decisions on near-duplicates: the rows, and the answers."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from catalog.states import ImageState, Source
from catalog.tables import Duplicate, Image, PairLabel, Photo

from .house import API, Browser, House, Json, error_of

CLUSTERS = f"{API}/clusters"
LABELS = f"{CLUSTERS}/labels"
MAP = [1.0, 0.0, 0.1, 0.0, 1.0, 0.0]
DISTANCES = {"distance_64_bits": 4, "distance_256_bits": 40, "similarity": 0.9}
MEASURED = DISTANCES | {"decided_how": "views and registration"}


@pytest.fixture
def olga(any_house: House) -> Browser:
    return any_house.olga()


def put_together(
    house: House, kept_id: int, doubt: float = 0.5, relation: str = "duplicate"
) -> int:
    """The id of an image that dedup put aside for the kept one, or linked with it."""
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        if relation == "duplicate":
            session.get_one(Image, image_id).state = ImageState.DUPLICATE
        pair = {"image_id": image_id, "kept_image_id": kept_id, "relation": relation}
        decision = {"evidence": {"first_to_second": MAP}, "decided_at": house.clock.at}
        session.add(Duplicate(doubt=doubt, **pair, **decision, **MEASURED))
    return image_id


def body_of(
    image_id: int,
    other_id: int,
    verdict: str,
    relation: str | None = "duplicate",
    label_id: int | None = None,
) -> Json:
    shown = {"relation": relation, "label_id": label_id}
    return {"image_id": image_id, "other_id": other_id, "verdict": verdict} | shown


def labels(house: House) -> list[PairLabel]:
    with house.party.catalogue.reading() as session:
        return list(session.scalars(select(PairLabel).order_by(PairLabel.id)))


def pairs_of(olga: Browser, query: str = "") -> list[tuple[int, int]]:
    clusters = olga.get(CLUSTERS + query).get_json()["clusters"]
    return [
        (cluster["kept"]["id"], pair["image"]["id"])
        for cluster in clusters
        for pair in cluster["pairs"]
    ]


def test_clusters_are_listed_with_the_most_doubtful_first(any_house: House, olga: Browser) -> None:
    first = any_house.add_image()
    second = any_house.add_image()
    sure = put_together(any_house, first, 0.1)
    doubtful = put_together(any_house, first, 0.3)
    worst = put_together(any_house, second, 0.9)
    answer = olga.get(CLUSTERS).get_json()
    assert pairs_of(olga) == [(second, worst), (first, doubtful), (first, sure)]
    expected = {"waiting": {"duplicate": 3}, "seen": {}, "split": {}, "all": {"duplicate": 3}}
    assert answer["counts"] == expected
    assert answer["precision"] == []
    pair = answer["clusters"][0]["pairs"][0]
    image = any_house.image(worst)
    looks = {"url": f"/images/{image.sha256}.jpg", "width": image.width, "height": image.height}
    unknown = {"state": "duplicate", "photo": None, "photos": 0}
    assert pair.pop("image") == {"id": worst, **looks, **unknown}
    unseen: Json = {
        "decided_by_person": False,
        "label": None,
        "label_id": None,
        "gap_secs": None,
        "drawn": 0.0,
        "drawn_boxes": [],
        "beyond": 0.0,
        "margin": 0.0,
        "features": 0,
    }
    laid = {"map": {"from": second, "to": worst, "numbers": MAP}, "doubt": 0.9}
    assert pair == MEASURED | unseen | laid | {"relation": "duplicate"}


def test_each_image_of_a_cluster_has_its_owner_and_source(any_house: House, olga: Browser) -> None:
    uploaded_at = any_house.clock.at
    looks: Json = {
        "owner_name": "ann",
        "title": "A cat",
        "licence_name": "Attribution License",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": "https://www.flickr.com/photos/1/2",
    }
    taken_at = "2007-06-01 12:00:00"
    kept = any_house.add_image(taken_at_text=taken_at, uploaded_at=uploaded_at, **looks)
    put_together(any_house, kept)
    with any_house.party.catalogue.writing() as session:
        (copy,) = session.scalars(select(Duplicate.image_id))
        for number, page_url in enumerate(["javascript:alert(1)", "https://x.org/3"]):
            origin = {"source": Source.FLICKR, "source_id": f"copy {number}", "image_id": copy}
            whose = {"owner_id": "9@N0", "page_url": page_url, "found_at": uploaded_at}
            taken = {"taken_at_text": "2007-06-00", "taken_at_unknown": True}
            later = uploaded_at + timedelta(days=number)
            session.add(Photo(uploaded_at=later, **origin, **whose, **taken))
    (cluster,) = olga.get(CLUSTERS).get_json()["clusters"]
    when = {"taken": taken_at, "uploaded": uploaded_at.isoformat()}
    assert cluster["kept"]["photo"] == looks | when | {"source": "flickr"}
    (pair,) = cluster["pairs"]
    shown = pair["image"]["photo"]
    assert (shown["owner_name"], shown["page_url"], shown["taken"]) == ("9@N0", None, None)
    assert pair["image"]["photos"] == 2


def test_clusters_are_filtered_by_relation_and_state(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    seen, split, waiting = (put_together(any_house, kept, doubt) for doubt in (0.1, 0.2, 0.3))
    event = put_together(any_house, kept, 0.4, "same_event")
    olga.post(LABELS, body_of(seen, kept, "duplicate"))
    olga.post(LABELS, body_of(split, kept, "different"))
    expected: dict[str, list[int]] = {
        "?show=waiting": [event, waiting],
        "?show=waiting&relation=duplicate": [waiting],
        "?relation=same_event": [event],
        "?show=seen": [seen],
        "?show=split": [split],
        "?show=split&relation=same_event": [],
        "?show=all": [event, waiting, seen],
    }
    for query, images in expected.items():
        assert [image for _, image in pairs_of(olga, query)] == images, query
    assert olga.get(CLUSTERS).get_json()["counts"] == {
        "waiting": {"duplicate": 1, "same_event": 1},
        "seen": {"duplicate": 1},
        "split": {"duplicate": 1},
        "all": {"duplicate": 2, "same_event": 1},
    }


def test_a_large_cluster_says_how_many_pairs_are_left(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    for _ in range(63):
        put_together(any_house, kept)
    (cluster,) = olga.get(CLUSTERS).get_json()["clusters"]
    assert (len(cluster["pairs"]), cluster["more"]) == (60, 3)


def test_a_page_has_the_requested_number_of_clusters(any_house: House, olga: Browser) -> None:
    for doubt in (0.2, 0.4, 0.6):
        put_together(any_house, any_house.add_image(), doubt)
    everything = pairs_of(olga)
    assert len(everything) == 3
    assert pairs_of(olga, "?limit=1") == everything[:1]
    assert pairs_of(olga, "?limit=1&offset=2") == everything[2:]


def test_a_confirmed_pair_is_stored_and_not_shown_again(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    answer = olga.post(LABELS, body_of(image, kept, "duplicate"))
    assert answer.status_code == 201, answer.text
    (label,) = labels(any_house)
    assert answer.get_json()["label_id"] == label.id
    assert (label.first_image_id, label.second_image_id) == (kept, image)
    assert (label.verdict, label.relation, label.similarity) == ("duplicate", "duplicate", 0.9)
    assert label.person_id == any_house.person("olga").id
    (precision,) = answer.get_json()["precision"]
    expected = ("duplicate", 1, 1)
    assert (precision["relation"], precision["confirmed"], precision["looked_at"]) == expected
    assert precision["low"] == pytest.approx(0.2065, abs=1e-4)
    assert pairs_of(olga) == []
    assert pairs_of(olga, "?show=all") == [(kept, image)]
    assert any_house.state(image) is ImageState.DUPLICATE


def test_a_split_pair_is_matched_again_until_undone(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    label_id = olga.post(LABELS, body_of(kept, image, "different")).get_json()["label_id"]
    assert any_house.state(image) is ImageState.HASHED
    assert pairs_of(olga, "?show=all") == []
    answer = olga.post(f"{LABELS}/{label_id}/undo")
    counts = {"all": {"duplicate": 1}, "seen": {}, "split": {}, "waiting": {"duplicate": 1}}
    assert answer.status_code == 200
    assert answer.get_json() == {"undone": True, "precision": [], "counts": counts}
    assert any_house.state(image) is ImageState.DUPLICATE
    assert pairs_of(olga) == [(kept, image)]
    assert olga.post(f"{LABELS}/{label_id}/undo").get_json()["undone"] is False
    olga.post(LABELS, body_of(image, kept, "different"))
    (cluster,) = olga.get(CLUSTERS + "?show=split").get_json()["clusters"]
    (pair,) = cluster["pairs"]
    assert pair["label"] == "different"
    again = body_of(image, kept, "duplicate", None, pair["label_id"])
    assert olga.post(LABELS, again).status_code == 201
    assert pairs_of(olga, "?show=split") == []
    assert any_house.state(image) is ImageState.DUPLICATE


def test_keeping_the_other_image_of_a_pair_settles_it(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    answer = olga.post(f"{CLUSTERS}/keep", {"image_id": image, "kept_id": kept, "label_id": None})
    assert answer.status_code == 201, answer.text
    assert answer.get_json()["counts"]["waiting"] == {}
    assert any_house.state(image) is ImageState.POOL
    assert any_house.state(kept) is ImageState.DUPLICATE
    assert pairs_of(olga) == []
    assert pairs_of(olga, "?show=all") == [(image, kept)]


def test_a_second_label_on_a_decided_pair_is_stale(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    first = olga.post(LABELS, body_of(image, kept, "different"))
    answer = olga.post(LABELS, body_of(image, kept, "duplicate"))
    assert error_of(answer) == (409, "stale", None)
    assert len(labels(any_house)) == 1
    label_id = first.get_json()["label_id"]
    now = {"relation": None, "label": "different", "label_id": label_id}
    assert answer.get_json()["head"] == now
    again = olga.post(LABELS, body_of(image, kept, "duplicate", None, label_id))
    assert again.status_code == 201
    assert any_house.state(image) is ImageState.DUPLICATE


def test_a_label_that_a_page_did_not_show_is_not_replaced(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    said = olga.post(LABELS, body_of(image, kept, "duplicate")).get_json()  # as the rules say
    late = olga.post(LABELS, body_of(image, kept, "different"))
    swap = {"image_id": image, "kept_id": kept, "label_id": None}
    for answer in (late, olga.post(f"{CLUSTERS}/keep", swap)):
        assert error_of(answer) == (409, "stale", None)
    assert any_house.state(image) is ImageState.DUPLICATE
    swap["label_id"] = said["label_id"]
    assert olga.post(f"{CLUSTERS}/keep", swap).status_code == 201


@pytest.mark.parametrize(("first", "state"), [("duplicate", "duplicate"), ("different", "hashed")])
def test_undoing_a_label_brings_back_the_one_that_it_replaced(
    any_house: House, olga: Browser, first: str, state: str
) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    label_id = olga.post(LABELS, body_of(image, kept, first)).get_json()["label_id"]
    relation = None if first == "different" else "duplicate"
    other = "duplicate" if first == "different" else "different"
    next_id = olga.post(LABELS, body_of(image, kept, other, relation, label_id)).get_json()[
        "label_id"
    ]
    assert olga.post(f"{LABELS}/{next_id}/undo").get_json()["undone"]
    [holds] = [label for label in labels(any_house) if label.undone_at is None]
    assert (holds.id, holds.verdict) == (label_id, first)
    assert any_house.state(image) == state
    assert olga.post(f"{LABELS}/{label_id}/undo").get_json()["undone"]
    assert any_house.state(image) is ImageState.DUPLICATE  # as the rules said


def test_taken_down_images_are_not_in_clusters(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    other = any_house.add_image()
    gone = put_together(any_house, kept)
    stays = put_together(any_house, kept)
    put_together(any_house, other)
    with any_house.party.catalogue.writing() as session:
        for image_id in (gone, other):
            session.get_one(Image, image_id).state = ImageState.TAKEN_DOWN
    assert pairs_of(olga) == [(kept, stays)]


WRONG_LABELS: list[tuple[Json, tuple[int, str, str | None]]] = [
    ({"verdict": "maybe"}, (422, "invalid", "verdict")),
    ({"relation": "sibling"}, (422, "invalid", "relation")),
    ({"image_id": "1"}, (422, "invalid", "image_id")),
    ({"image_id": 0}, (422, "invalid", "image_id")),
    ({"image_id": 2**31}, (422, "invalid", "image_id")),
    ({"image_id": 999, "relation": None}, (404, "not_found", None)),
    ({"note": "?"}, (422, "invalid", "note")),
]


def test_an_invalid_label_or_query_changes_nothing(any_house: House, olga: Browser) -> None:
    kept = any_house.add_image()
    image = put_together(any_house, kept)
    for change, message in WRONG_LABELS:
        answer = olga.post(LABELS, body_of(image, kept, "different") | change)
        assert error_of(answer) == message, change
    same = olga.post(LABELS, body_of(kept, kept, "different", None))
    assert error_of(same) == (422, "invalid", "other_id")
    assert olga.post(f"{LABELS}/7/undo").status_code == 404
    assert labels(any_house) == []
    assert any_house.state(image) is ImageState.DUPLICATE
    wrong = ("limit=0", "limit=101", "limit=x", "limit=²", "offset=-1", f"offset={'9' * 20}")
    for query in (*wrong, "show=some", "relation=sibling"):
        answer = olga.get(f"{CLUSTERS}?{query}")
        assert error_of(answer) == (422, "invalid", query.partition("=")[0]), query


def test_only_organisers_can_open_the_cluster_page(any_house: House, olga: Browser) -> None:
    assert 'href="/clusters"' in olga.get("/board").text
    assert olga.get("/clusters").status_code == 200
    assert any_house.ann().get("/clusters").status_code == 403
    assert any_house.chris().get(CLUSTERS).status_code == 403
