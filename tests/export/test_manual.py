"""The manual's page on verify names every rule."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import export
import vockit.format
import vockit.verify
from tests.vockit.format.test_kit_syntax import BROKEN
from tests.vockit.format.test_nodes import NO_XML
from tests.vockit.format.test_read import PLANTED as PLANTED_IN_ANNOTATIONS
from tests.vockit.format.test_write import PLANTED as PLANTED_IN_SETS
from tests.vockit.verify import test_check as check
from tests.vockit.verify import test_image_sets as image_sets
from tests.vockit.verify import test_labels as labels
from tests.vockit.verify import test_masks as masks
from tests.vockit.verify import test_trees as trees
from vockit.format.kit_syntax import _CONSTRUCTS

from . import test_blind as blind
from . import test_metadata as metadata
from . import test_opening as opening
from . import test_party_check as party_check
from . import test_tasters as tasters
from .importing import test_blind_trees as blind_trees

EXPORT = Path(export.__file__).parent
VOC = Path(vockit.format.__file__).parent
VERIFY = Path(vockit.verify.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "manual" / "verify.md"


def documented() -> set[str]:
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text(), re.MULTILINE)
    return {rule for row in rows for rule in re.findall("`([a-z-]+)`", row)}


ALONE: dict[str, Callable[..., None]] = {
    "id": image_sets.test_an_id_that_the_kit_cannot_parse_is_named,
    "tree-name": check.test_a_tree_with_another_name_is_checked_and_the_name_reported,
    "unreadable": trees.test_an_unreadable_file_is_named,
    "near-across-sets": party_check.test_near_duplicates_and_owners_across_sets_are_named,
    "owner-across-sets": party_check.test_near_duplicates_and_owners_across_sets_are_named,
    "annotation-twice": check.test_an_annotation_under_two_ids_is_named_but_not_one_by_chance,
    "mask-box": masks.test_faults_that_real_voc_masks_have_are_warnings,
    "mask-no-void": masks.test_faults_that_real_voc_masks_have_are_warnings,
    "label-held-back": (
        blind_trees.test_labels_of_images_that_are_held_back_are_left_behind_and_named
    ),
    "metadata": metadata.test_a_tree_whose_pictures_name_people_or_places_has_warnings,
    "nothing-compared": opening.test_nothing_compared_is_a_failure,
    "seal-list": opening.test_another_test_list_than_the_blind_one_is_a_violation,
    "withdrawn": opening.test_a_withdrawn_image_that_is_still_somewhere_is_a_violation,
    "seal": blind.test_any_change_of_the_sealed_annotations_is_found,
    "people": tasters.test_a_box_that_was_given_otherwise_breaks_the_seal,
    "seal-picture": blind.test_any_change_of_the_sealed_annotations_is_found,
}
"""Rules with a separate test, which names the rule."""


def test_every_rule_in_the_manual_has_a_test_that_breaks_it() -> None:
    planted = {rule for _, (_, rule) in (*PLANTED_IN_ANNOTATIONS, *BROKEN, *NO_XML)}
    planted |= {rule for _, _, (_, rule) in PLANTED_IN_SETS}
    for module in (check, image_sets, labels, masks, trees):
        planted |= {rule for _, violations in module.PLANTED for _, _, rule in violations}
    assert documented() == planted | ALONE.keys()
    for rule, test in ALONE.items():
        assert f'"{rule}"' in inspect.getsource(test)


CARRIERS = {"add": {3: 1}, "breaks": {3: 1}, "Remark": {3: 1}, "Violation": {4: 2}}
CARRIERS["remark"] = {2: 0, 3: 0}
"""The place of the rule among the arguments, by the called name and their number."""
CHECKING = (VOC, VERIFY, EXPORT)


def iterate_rules(source: ast.AST) -> Iterator[ast.expr]:
    """The rule of every remark and violation that a module makes."""
    for node in ast.walk(source):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            place = CARRIERS.get(name, {}).get(len(node.args))
            if place is not None:
                yield node.args[place]


def find_words(source: ast.AST, rule: ast.expr) -> set[str]:
    """The values that a rule can have where it is no literal at the call."""
    if isinstance(rule, ast.Constant):
        return {str(rule.value)}
    if isinstance(rule, ast.IfExp):
        return find_words(source, rule.body) | find_words(source, rule.orelse)
    if isinstance(rule, ast.JoinedStr):
        return {"actions-in-all", "point-in-all"}
    assert isinstance(rule, ast.Name | ast.Attribute), ast.unparse(rule)
    if isinstance(rule, ast.Attribute):
        return set()  # a remark that becomes a violation
    given: set[str] = set()
    for node in ast.walk(source):
        if isinstance(node, ast.Assign) and any(
            ast.unparse(target) == rule.id for target in node.targets
        ):
            given |= find_words(source, node.value)
    return given


def test_every_rule_in_the_code_is_in_the_manual_and_tested() -> None:
    files = [path for place in CHECKING for path in sorted(place.glob("*.py"))]
    words: set[str] = set()
    for path in files:
        source = ast.parse(path.read_text())
        for rule in iterate_rules(source):
            words |= find_words(source, rule)
    passed_on = set(_CONSTRUCTS) | {"class-file-images", "action-file-images"}
    assert words | passed_on == documented()
