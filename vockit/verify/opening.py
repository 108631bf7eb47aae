"""An opened release held against the blind one: seals, pictures and lists of the test sets.

Who opens a release may have changed anything in it, release.json too. Of what it says about itself
only the secret is taken, since a wrong one opens no seal; all else is read from its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from vockit.errors import TreeNotFoundError
from vockit.foreign.given_persons import make_given
from vockit.foreign.listed_images import SET_FOLDERS
from vockit.foreign.manifest import MANIFEST, read_manifest
from vockit.foreign.tree_files import MASK_FOLDERS, list_names, read_bytes
from vockit.format import tree
from vockit.format.given_persons import GIVING, PersonsError, boxes_path, parse_persons
from vockit.format.image_sets import TESTS
from vockit.format.jpeg import JpegError, strip_jpeg
from vockit.format.read import read_annotation
from vockit.format.shortage import refuse_shortage
from vockit.format.whole_file import digest_of

from .check import TreeReport
from .seals import join_digests, seal
from .trees import Violation

_SALT = re.compile("(?:[0-9a-f]{2})+")
WITHDRAWN = "the opened release lists it as withdrawn, and has nothing of it"


@dataclass(frozen=True)
class _Pair:
    """The opened and the blind folder, what the blind one promised, and what is withdrawn."""

    opened: Path
    blind: Path
    year: int
    salt: str
    sealed: Mapping[str, str]
    withdrawn: frozenset[str]
    shown: frozenset[str]

    @property
    def root(self) -> Path:
        """The opened tree; its year is that of the blind one."""
        return self.opened / tree.DEVKIT / f"VOC{self.year}"

    @property
    def blind_root(self) -> Path:
        """The blind tree."""
        return self.blind / tree.DEVKIT / f"VOC{self.year}"

    @cached_property
    def traces(self) -> Mapping[str, tuple[Path, int]]:
        """The first file and line of the opened release that has something of an image."""
        traces = dict.fromkeys(self.shown, (self.opened / MANIFEST, 1))
        for path in sorted((self.root / tree.IMAGE_SETS).rglob("*.txt"), reverse=True):
            traces |= {image_id: (path, line) for image_id, line in _read_ids(path).items()}
        for folder in (*MASK_FOLDERS, tree.JPEG_IMAGES, tree.ANNOTATIONS):
            for name in list_names(self.root / folder, ""):
                traces[Path(name).stem] = (self.root / folder / name, 1)
        return traces

    @cached_property
    def passed_over(self) -> tuple[str, ...]:
        """The sealed images that are not compared: withdrawn ones without a trace."""
        return tuple(sorted((self.sealed.keys() & self.withdrawn) - self.traces.keys()))

    @property
    def compared(self) -> list[str]:
        """The sealed images that are compared."""
        return sorted(self.sealed.keys() - set(self.passed_over))


def check_opening(opened: Path, blind: Path) -> TreeReport:
    """What was compared and passed over, and what differs from the blind one; TreeNotFoundError."""
    pair, promised = _read_pair(opened, blind)
    checks = (
        _check_promise(pair, promised),
        _check_trees(pair),
        _check_lists(pair),
        _check_people(pair),
    )
    violations = [violation for check in checks for violation in check]
    violations += _check_withdrawn(pair)
    for image_id in pair.compared:
        violations += [*_check_annotation(pair, image_id), *_check_picture(pair, image_id)]
    return TreeReport(
        root=blind,
        images=len(pair.compared),
        objects=sum(_count_objects(pair, image_id) for image_id in pair.compared),
        violations=tuple(sorted(violations)),
        passed_over={WITHDRAWN: pair.passed_over} if pair.passed_over else {},
        names=frozenset(pair.compared),
    )


def _read_pair(opened: Path, blind: Path) -> tuple[_Pair, Mapping[str, Any]]:
    """Both releases, and the blind one's entry `blind`; raises TreeNotFoundError for others."""
    promised = read_manifest(blind)
    shown = read_manifest(opened)
    promise = _read_entry(promised)
    salt = _read_entry(shown).get("salt")
    year = promised.get("year")
    is_pair = isinstance(salt, str) and _SALT.fullmatch(salt) and isinstance(year, int)
    if not is_pair or promise.get("is_open", True):
        raise TreeNotFoundError(
            f"{opened} is no opened release, or {blind} no blind one; write them with "
            "`vocparty export --open` and `vocparty export --blind`."
        )
    images = [image for image in promised["images"] if isinstance(image, dict)]
    pair = _Pair(
        opened=opened,
        blind=blind,
        year=int(year or 0),
        salt=str(salt),
        sealed={str(image.get("id")): str(image["seal"]) for image in images if "seal" in image},
        withdrawn=frozenset([*_list_texts(promised), *_list_texts(shown)]),
        shown=frozenset(
            str(image.get("id")) for image in shown["images"] if isinstance(image, dict)
        ),
    )
    return pair, promise


def _read_entry(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a manifest says of a blind release; empty where it says nothing."""
    entry = manifest.get("blind")
    return entry if isinstance(entry, dict) else {}


def _list_texts(manifest: Mapping[str, Any]) -> list[str]:
    """The withdrawn images of a manifest."""
    listed = manifest.get("withdrawn")
    return [str(item) for item in listed] if isinstance(listed, list) else []


def _check_promise(pair: _Pair, promised: Mapping[str, Any]) -> Iterator[Violation]:
    """The blind release seals each image of its test list, and there is one to compare."""
    path = str(pair.blind / MANIFEST)
    if promised.get("seal") != digest_of(join_digests(pair.sealed)):
        message = "expected seals of images whose digest is that of the whole, blind.seal"
        yield Violation(path, 1, "seal", message)
    paths = (tree.set_path(folder, name) for folder, name in product(SET_FOLDERS, TESTS))
    listed = set[str]().union(*(_read_ids(pair.blind_root / path) for path in paths))
    if unsealed := sorted(listed ^ pair.sealed.keys()):
        message = "expected a seal of each image of a test set and of no other; not so: "
        yield Violation(path, 1, "seal", message + ", ".join(unsealed[:5]))
    if not pair.compared:
        message = f"expected sealed images to compare; there is none, of {len(pair.sealed)} sealed"
        yield Violation(path, 1, "nothing-compared", message)


def _check_trees(pair: _Pair) -> Iterator[Violation]:
    """The opened release has the tree that was blind and no other."""
    for name in list_names(pair.opened / tree.DEVKIT, ""):
        if name != pair.root.name:
            path = pair.opened / tree.DEVKIT / name
            message = f"expected {pair.root.name} alone, as in the blind release"
            yield Violation(str(path), 1, "seal-list", message)


def _check_lists(pair: _Pair) -> Iterator[Violation]:
    """Each test set has the images that it had when it was blind, in each folder of sets.

    Of Layout and Action a blind release lists the people that it gives, or nothing, since that says
    what images show; those of the opened one list images of its test sets alone.
    """
    for folder, test in product(SET_FOLDERS, TESTS):
        name = tree.set_path(folder, test)
        path = pair.root / name
        is_promised = (pair.blind_root / name).is_file()
        listed = _read_ids(path)
        whole = tree.set_path(tree.MAIN, test)
        expected = _read_ids(pair.blind_root / (name if is_promised else whole)).keys()
        for image_id in sorted(listed.keys() - expected):
            message = f"expected images that the blind release holds back alone, got {image_id}"
            yield Violation(str(path), listed[image_id], "seal-list", message)
        lost = sorted(expected - listed.keys() - set(pair.passed_over)) if is_promised else []
        for image_id in lost:
            message = f"expected {image_id}, which the blind release lists"
            yield Violation(str(path), 1, "seal-list", message)


def _check_people(pair: _Pair) -> Iterator[Violation]:
    """The people whose boxes the blind release gave are those of the annotations, box by box."""
    for folder, test in product(GIVING, TESTS):
        path = pair.blind_root / boxes_path(folder, test)
        if not path.is_file():
            continue
        try:
            given = parse_persons(_read(path))
        except PersonsError as error:
            yield Violation(str(path), error.line, "people", str(error))
            continue
        true = {person.key: person for person in make_given(pair.root, folder, test)}
        passed_over = frozenset(pair.passed_over)
        for line, person in enumerate(given, start=2):
            if person.image_id not in passed_over and true.pop(person.key, None) != person:
                message = f"expected person {person.number} of {person.image_id} as annotated"
                yield Violation(str(path), line, "people", message)
        for image_id, number in true:
            message = f"expected person {number} of {image_id}, whom the opened release lists"
            yield Violation(str(path), 1, "people", message)


def _check_withdrawn(pair: _Pair) -> Iterator[Violation]:
    """What either release lists as withdrawn is in no file and in no list."""
    for image_id in sorted(pair.withdrawn & pair.traces.keys()):
        path, line = pair.traces[image_id]
        message = f"expected nothing of {image_id}, which is listed as withdrawn"
        yield Violation(str(path), line, "withdrawn", message)


def _check_annotation(pair: _Pair, image_id: str) -> Iterator[Violation]:
    """The annotation and the masks are those that were sealed."""
    path = pair.root / tree.annotation_path(image_id)
    files = {folder: pair.root / tree.mask_path(folder, image_id) for folder in MASK_FOLDERS}
    masks = {name: digest_of(_read(file)) for name, file in files.items() if file.is_file()}
    expected = pair.sealed[image_id]
    if seal(pair.salt, image_id, _read(path), masks) != expected:
        message = "expected the annotation and masks that the blind release sealed as "
        yield Violation(str(path), 1, "seal", message + expected)


def _check_picture(pair: _Pair, image_id: str) -> Iterator[Violation]:
    """The picture is the blind release's, but for its padding."""
    path = tree.jpeg_path(image_id)
    opened, blind = (_strip(root / path) for root in (pair.root, pair.blind_root))
    if blind is None:
        message = "expected a picture that can be read, to compare the opened one with"
        yield Violation(str(pair.blind_root / path), 1, "seal-picture", message)
    elif opened != blind:
        message = f"expected the picture of {pair.blind_root / path}"
        yield Violation(str(pair.root / path), 1, "seal-picture", message)


def _count_objects(pair: _Pair, image_id: str) -> int:
    data = _read(pair.root / tree.annotation_path(image_id))
    image = read_annotation(data, year=pair.year).image
    return len(image.objects) if image else 0


def _read(path: Path) -> bytes:
    """The file's bytes; empty where there are none to read, which no seal fits."""
    data = read_bytes(path)
    return b"" if isinstance(data, str) else data


def _strip(path: Path) -> bytes | None:
    """The picture without its metadata; None where it cannot be read."""
    try:
        return strip_jpeg(_read(path))
    except JpegError as error:
        refuse_shortage(error)
        return None


def _read_ids(path: Path) -> dict[str, int]:
    """The first word of each line of a list, and the first line that has it; else nothing."""
    lines: dict[str, int] = {}
    for number, text in enumerate(_read(path).decode("utf-8", "replace").splitlines(), start=1):
        if words := text.split():
            lines.setdefault(words[0], number)
    return lines
