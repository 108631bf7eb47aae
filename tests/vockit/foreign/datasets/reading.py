"""What a reader makes of a folder, as tests compare it."""

from pathlib import Path

from tests.party_rows import HEIGHT, WIDTH
from vockit.foreign.datasets.fitting import FittedObject, fit_image
from vockit.foreign.datasets.opening import open_dataset
from vockit.foreign.datasets.values import ForeignImage, Note

SIZE = (WIDTH, HEIGHT)


def read(path: Path, form: str) -> tuple[list[ForeignImage], list[Note]]:
    """The images, which are counted before they are read, and the notes of the whole."""
    dataset = open_dataset(path)
    assert dataset.form == form
    images = list(dataset.iterate_images())
    assert dataset.count_images() == len(images)
    assert dataset.words.total() == sum(len(image.objects) for image in images)
    notes = list(dataset.notes)
    dataset.close()
    return images, notes


def fit(path: Path, form: str) -> tuple[list[FittedObject], list[Note]]:
    """The objects of all images in whole pixels, and all notes."""
    images, notes = read(path, form)
    fitted = [fit_image(image, SIZE) for image in images]
    objects = [item for image in fitted for item in image.objects]
    return objects, [*notes, *(note for image in fitted for note in image.notes)]


def list_rules(notes: list[Note]) -> list[str]:
    """The kind and the rule of each note."""
    return [f"{note.kind.value}: {note.rule}" for note in notes]
