"""What an import counts of each photograph."""

from collect.claims import Claim, Outcome
from collect.doubts import Miss
from collect.errors import PhotoBrokenError, PhotoGoneError, Reason
from collect.imports.count import ImportCount, Known, Refusal, count_believed, count_done
from collect.picture import Picture

PICTURE = Picture(b"jpeg", 500, 375)
CONVERTED = Picture(b"jpeg", 500, 375, original_sha256="a" * 64, came_as="PNG")
BROKEN = PhotoBrokenError(Reason.TOO_SMALL, "20 x 10 pixels")
GONE = PhotoGoneError(Reason.DELETED, "HTTP 410")


def miss(photo_id: int) -> Miss:
    return Miss(Claim(photo_id, "me", 1, "https://i.example/1.jpg", None), GONE, photo_id)


def test_each_photograph_counts_once_by_what_became_of_it() -> None:
    count = ImportCount()
    count_done(count, "a.jpg", (Outcome.FETCHED, PICTURE, True))
    count_done(count, "b.png", (Outcome.FETCHED, CONVERTED, False))
    count_done(count, "c.jpg", (Outcome.SAME_BYTES, PICTURE, False))
    count_done(count, "d.jpg", (Outcome.LOST, BROKEN, False))
    count_done(count, "e.jpg", Refusal("e.jpg", "its licence is not kept"))
    assert (count.tally.fetched, count.tally.same_bytes, count.unlicensed) == (2, 1, 2)
    assert count.converted == {"PNG": 1}
    assert count.broken == [Refusal("d.jpg", "too small: 20 x 10 pixels")]
    assert count.refusals == [Refusal("e.jpg", "its licence is not kept")]
    assert count.known == 0


def test_a_known_photograph_may_have_got_its_licence_only_now() -> None:
    count = ImportCount()
    count_done(count, "a.jpg", Known())
    count_done(count, "b.jpg", Known(is_licensed_now=True))
    assert (count.known, count.licensed, count.unlicensed) == (2, 1, 0)


def test_a_photograph_in_doubt_is_broken_once_its_loss_is_believed() -> None:
    count = ImportCount()
    count_done(count, "line 2", miss(7))
    count_done(count, "line 3", miss(8))
    assert [refusal.where for refusal in count.doubted.values()] == ["line 2", "line 3"]
    assert (count.tally.waiting, count.broken) == ({Reason.DELETED: 2}, [])
    count_believed(count, [(miss(8), Outcome.LOST), (miss(9), Outcome.LOST)])  # 9 was never here
    assert [refusal.where for refusal in count.doubted.values()] == ["line 2"]
    assert count.broken == [Refusal("line 3", "deleted: HTTP 410")]
    assert (count.tally.waiting, count.tally.gone) == ({Reason.DELETED: 1}, {Reason.DELETED: 1})
