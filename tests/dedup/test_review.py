from catalog.party import Party
from catalog.states import ImageState
from dedup.labels import Verdict
from dedup.review import Cluster, count_decisions, list_clusters
from tests.rows import reading
from vockit.format.image_sets import Split

from .images import add_hashed, run
from .overlap.folders import release
from .test_labels import say

SMALL_WH = (250, 188)


def load(party: Party, **how: object) -> list[Cluster]:
    return reading(party, list_clusters, **how)  # type: ignore[arg-type]


def add_clusters(party: Party) -> list[tuple[int, ...]]:
    """Three clusters; the second has two copies, one of them a considerable crop."""
    clusters = []
    for scene, shares in enumerate([(1.0,), (1.0, 0.8), (0.9,)]):
        kept = add_hashed(party, scene, size_wh=(800, 600))
        copies = [add_hashed(party, scene, size_wh=SMALL_WH, share=share) for share in shares]
        clusters.append((kept, *copies))
    run(party)
    return clusters


def test_clusters_list_their_images_and_the_most_doubtful_come_first(any_party: Party) -> None:
    expected = add_clusters(any_party)
    clusters = load(any_party)
    assert sorted(
        (cluster.kept.image_id, *sorted(member.image.image_id for member in cluster.members))
        for cluster in clusters
    ) == sorted(expected)
    doubts = [cluster.doubt for cluster in clusters]
    assert doubts == sorted(doubts, reverse=True)
    for cluster in clusters:
        assert cluster.kept.width_px == 800
        doubts = [member.doubt for member in cluster.members]
        assert doubts == sorted(doubts, reverse=True)
        for member in cluster.members:
            assert member.image.width_px == 250
            assert member.evidence is not None
            assert len(member.evidence["first_to_second"]) == 6
            assert member.distance_64_bits is not None


def test_clusters_that_keep_a_worse_image_or_cross_sets_come_first(any_party: Party) -> None:
    add_clusters(any_party)
    small = add_hashed(any_party, 20, size_wh=SMALL_WH, state=ImageState.ANNOTATING)
    add_hashed(any_party, 20, size_wh=(800, 600))
    first = add_hashed(any_party, 21)
    other = add_hashed(any_party, 22)
    run(any_party)
    release(any_party, "VOC2026", {first: Split.TRAIN, other: Split.TEST})
    say(any_party, first, other, Verdict.SAME_EVENT)
    clusters = load(any_party)
    assert [cluster.kept.image_id for cluster in clusters][:2] == [small, first]
    assert clusters[2].doubt > clusters[1].doubt


def test_each_cluster_is_on_exactly_one_page(party: Party) -> None:
    add_clusters(party)
    paged = [load(party, offset=offset, limit=1)[0] for offset in range(3)]
    assert paged == load(party)
    assert load(party, offset=3) == []
    assert reading(party, count_decisions) == {"duplicate": 4}


def test_pairs_that_people_confirmed_can_be_hidden(any_party: Party) -> None:
    clusters = add_clusters(any_party)
    label_id = say(any_party, clusters[0][0], clusters[0][1], Verdict.DUPLICATE)
    say(any_party, clusters[1][0], clusters[1][1], Verdict.DUPLICATE)
    left = load(any_party, show="waiting")
    assert {cluster.kept.image_id for cluster in left} == {clusters[1][0], clusters[2][0]}
    assert [len(cluster.members) for cluster in left] == [1, 1]
    [labelled] = [cluster for cluster in load(any_party) if cluster.kept.image_id == clusters[0][0]]
    assert (labelled.members[0].label, labelled.members[0].label_id) == ("duplicate", label_id)
    assert reading(any_party, count_decisions, show="waiting") == {"duplicate": 2}


def test_event_links_are_separate_clusters(party: Party) -> None:
    [(first, _copy), *_] = add_clusters(party)
    other = add_hashed(party, 77)
    run(party)
    say(party, first, other, Verdict.SAME_EVENT)
    [event] = load(party, relation="same_event")
    assert (event.kept.image_id, event.members[0].image.image_id) == (first, other)
    assert len(load(party)) == 4
