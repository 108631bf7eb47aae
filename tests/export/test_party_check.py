"""A release held against its party."""

from pathlib import Path

from click.testing import CliRunner

from catalog.party import Party
from catalog.tables import Photo, Signature
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from tests.exporting import export_release, run
from tests.party_rows import NOW, link
from tests.trees import make_tree
from vockit.format.image_sets import Split
from vocparty import main


def verify(*args: object) -> list[str]:
    return run("verify", *args).stdout.splitlines()


def test_near_duplicates_and_owners_across_sets_are_named(stocked: Party, tmp_path: Path) -> None:
    plan = export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    (line,) = verify(tmp_path / "out", "--party", stocked.folder)
    assert line.endswith("every rule of the format holds.")
    by_set = {split: [image for image in plan.images if image.split is split] for split in Split}
    with stocked.catalogue.writing() as session:
        session.add(link(by_set[Split.TRAIN][0].row.id, by_set[Split.TEST][0].row.id))
        pair = by_set[Split.VAL][0], by_set[Split.TEST][1]
        for image in pair:
            photo = session.query(Photo).filter_by(image_id=image.row.id).one()
            photo.owner_id = "one"
    lines = verify(tmp_path / "out", "--party", stocked.folder)
    assert len(lines) == 2
    assert {line.split(": ")[1] for line in lines} == {"near-across-sets", "owner-across-sets"}
    for line in lines:
        path, number = line.split(": ")[0].rsplit(":", 1)
        listed = Path(path).read_text().splitlines()[int(number) - 1]
        assert f"expected {listed} in " in line
    assert len(verify(tmp_path / "out")) == 1


def test_images_only_in_action_sets_are_checked_too(party: Party, tmp_path: Path) -> None:
    import_tree(party, DatasetOrder(make_tree(tmp_path / "in")), at=NOW)
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert len(verify(tmp_path / "out", "--party", party.folder)) == 1
    with party.catalogue.writing() as session:
        for photo in session.query(Photo).where(
            Photo.source_id.in_(["2012_000001", "2012_000006"])
        ):
            photo.owner_id = "one"
    (line,) = verify(tmp_path / "out", "--party", party.folder)
    assert "ImageSets/Action/val.txt:1: owner-across-sets: expected 2012_000006 in train" in line


def test_an_export_names_imported_images_that_were_never_compared(
    party: Party, tmp_path: Path
) -> None:
    tree = make_tree(tmp_path / "in")
    import_tree(party, DatasetOrder(tree), at=NOW)
    words = ("export", tmp_path / "out", "--year", "2013", "--party", party.folder)
    images = len(list((tree / "Annotations").iterdir()))
    sentence = (
        f"{images} of {images} images are not compared with all others, so near-duplicates may be "
        "in two sets. Run `vocparty dedup`"
    )
    assert sentence in run(*words, "--dry-run").stderr
    assert CliRunner().invoke(main, ["dedup", "--party", str(party.folder)]).exit_code == 0
    assert "not compared" not in run(*words, "--dry-run").stderr
    with party.catalogue.writing() as session:
        session.query(Signature).order_by(Signature.image_id).limit(1).one().is_compared = False
    assert f"1 of {images} images is not compared with all others" in run(*words).stderr
    datasheet = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert f"Only {images - 1} of {images} images were compared." in datasheet
