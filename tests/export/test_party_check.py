"""A release held against its party."""

from pathlib import Path

from catalog.party import Party
from catalog.tables import Photo
from tests.export.exporting import export_release
from tests.export.rows import NOW, link
from vockit.format.image_sets import Split


def test_near_duplicates_and_owners_across_sets_are_named(stocked: Party, tmp_path: Path) -> None:
    plan = export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    (line,) = verify(tmp_path / "out", "--party", stocked.folder)
    assert line.endswith("every rule of the format holds.")
    by_set = {split: [it for it in plan.images if it.split is split] for split in Split}
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
