"""The plan of the queue, whose classes are those of today."""

from catalog.words import Words
from work.queue_plan import FirstSet, QueuePlan, follow_plan

MERGED = Words(moved={"sofa": "chair", "settee": "chair"})


def of_class(class_id: str) -> FirstSet:
    return FirstSet.model_validate({"kind": "class", "class": class_id})


def test_merged_classes_are_one_in_the_plan_where_the_first_of_them_was() -> None:
    returned = FirstSet(kind="returned")
    query = FirstSet(kind="query", query_id=7)
    first = (of_class("sofa"), returned, of_class("cat"), of_class("chair"), query)
    plan = QueuePlan(number=3, first=first, wanted_classes=("settee", "cat", "sofa"))
    assert follow_plan(plan, MERGED) == QueuePlan(
        number=3,
        first=(of_class("chair"), returned, of_class("cat"), query),
        wanted_classes=("chair", "cat"),
    )


def test_a_plan_without_changed_classes_stays_as_it_is() -> None:
    plan = QueuePlan(number=1, first=(of_class("cat"),), wanted_classes=("cat", "dog"))
    assert follow_plan(plan, MERGED) == plan
    assert follow_plan(QueuePlan(), MERGED) == QueuePlan(first=(FirstSet(kind="returned"),))
