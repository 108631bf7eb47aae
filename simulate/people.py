"""Simulated people, who annotate and check over the interface that browsers use.

They know what is in the demo's photographs. In the record they are marked as simulated.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.states import Verdict

from .habits import CAREFUL, Habits, draw_objects, draw_secs
from .judging import judge
from .party_client import Json, PartyClient
from .photographs import KnownObject, KnownPhoto

Watch = Callable[[str], None]


@dataclass
class SimulatedPerson:
    """One signed-in person who knows the photographs, with habits and a seed of their own."""

    client: PartyClient
    known: Mapping[str, KnownPhoto]
    habits: Habits = CAREFUL
    rng: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311

    def work(self, kind: str, most: int, watch: Watch = lambda _outcome: None) -> Counter[str]:
        """How many images came to which end, until `most` were done or nothing is left.

        `kind` is "annotate" or "check"; `watch` is told the outcome of each.
        """
        one = {"annotate": self._annotate_one, "check": self._check_one}[kind]
        done: Counter[str] = Counter()
        while done.total() < most and (task := self.client.take(kind)) is not None:
            self.client.fetch_image(task)
            outcome = one(task)
            done[outcome] += 1
            watch(outcome)
        return done

    def mend_returned(self, most: int) -> Counter[str]:
        """How many returned images were done again; the first that is new is given back."""
        done: Counter[str] = Counter()
        while done.total() < most and (task := self.client.take("annotate")) is not None:
            if not task["review"]:
                self.client.give_back(task)
                break
            done[self._annotate_one(task)] += 1
        return done

    def _annotate_one(self, task: Json) -> str:
        photo = self.known[find_photo_id(task)]
        truth = photo.objects_at(task["width"], task["height"])
        if not truth:
            reason = photo.discard_reason or "no_object"
            self.client.save(task, [], discard_reason=reason, active_secs=draw_secs(self.rng))
            return "discarded"
        objects = self._draw(task, truth)
        active_secs = sum(item["drawn_secs"] for item in objects) + draw_secs(self.rng)
        self.client.save(task, objects, active_secs=round(active_secs, 1))
        return "annotated"

    def _draw(self, task: Json, truth: tuple[KnownObject, ...]) -> list[Json]:
        """Work that was returned is done again with care; it keeps the names of its objects."""
        habits = CAREFUL if task["review"] else self.habits
        drawn = draw_objects(truth, habits, (task["width"], task["height"]), self.rng)
        return [
            make_object(item, f"sim-{task['image_id']}-{place + 1}", draw_secs(self.rng))
            for place, item in drawn.items()
        ]

    def _check_one(self, task: Json) -> str:
        photo = self.known[find_photo_id(task)]
        truth = photo.objects_at(task["width"], task["height"])
        drawn = [strip_difficult(item) for item in task["annotation"]["objects"]]
        judgement = judge(truth, drawn)
        mended = {"objects": list(judgement.mended), "active_secs": draw_secs(self.rng)}
        self.client.review(
            task,
            judgement.verdict.value,
            complete=judgement.verdict is not Verdict.RETURNED,
            comment=judgement.comment,
            active_secs=draw_secs(self.rng),
            mended=mended if judgement.verdict is Verdict.MENDED else None,
        )
        return judgement.verdict.value


def find_photo_id(task: Json) -> str:
    """Flickr's id of a task's photo, read off the page's address as a person could."""
    return str(task["photo"]["page_url"]).rstrip("/").rpartition("/")[2]


def make_object(item: KnownObject, key: str, drawn_secs: float) -> Json:
    """An object as the interface takes it (docs/api.md)."""
    parts: list[dict[str, Any]] = [
        {"name": part.name, "box": list(part.box.xyxy)} for part in item.parts
    ]
    return {
        "key": key,
        "class": item.name,
        "box": list(item.box.xyxy),
        "view": item.view.value,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "unsure": False,
        "actions": list(item.actions),
        "point": None,
        "parts": parts,
        "drawn_secs": drawn_secs,
    }


def strip_difficult(item: Json) -> Json:
    """The object without `difficult`, which only organisers judge and no save may name."""
    return {key: value for key, value in item.items() if key != "difficult"}
