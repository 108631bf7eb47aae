"""Simulated people, who know the demo's photographs and work over the browsers' interface."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from catalog.settings import QaSettings
from catalog.states import Verdict

from .habits import (
    CAREFUL,
    HURRIED_SECS,
    Habits,
    accept_all,
    draw_again,
    draw_objects,
    draw_secs,
    draw_segments,
    judge,
    judge_finding,
)
from .party_client import Json, PartyClient
from .photographs.known import KnownObject, KnownPhoto

Watch = Callable[[str], None]

DIFFICULT_SIDE_PX = 40  # under this, a crop alone shows little


@dataclass
class SimulatedPerson:
    """One signed-in person who knows the photographs, with habits and a seed of their own."""

    client: PartyClient
    known: Mapping[str, KnownPhoto]
    habits: Habits = CAREFUL
    rng: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311
    truths: dict[int, tuple[KnownObject, ...]] = field(default_factory=dict)
    """What is on the images that this person was given, by the images' ids."""

    def work(
        self, kind: str, most: int, watch: Watch = lambda _outcome: None, counts: str = ""
    ) -> Counter[str]:
        """The images by outcome, until `most` are done; `counts` names the outcome that counts."""
        done: Counter[str] = Counter()
        while (done[counts] if counts else done.total()) < most:
            outcome = self._do_next(kind)
            if outcome is None:
                break
            done[outcome] += 1
            watch(outcome)
        return done

    def redo_returned(self, most: int) -> Counter[str]:
        """The number of returned images done again; the first new image is given back."""
        done: Counter[str] = Counter()
        while done.total() < most and (task := self.client.take("annotate")) is not None:
            if not task["review"]:
                self.client.give_back(task)
                break
            done[self._annotate_one(task)] += 1
        return done

    def judge_findings(self, most: int) -> Counter[str]:
        """How many findings on images that this person knows were judged right or wrong."""
        judged: Counter[str] = Counter()
        findings = self.client.send("GET", "/api/v1/findings")["findings"]  # the gravest first
        # the checks alternate, so that a frequent one leaves room for the others
        for finding in take_turns(findings, lambda finding: finding["check"]):
            verdict = judge_finding(finding, self.truths.get(finding["image_id"], ()))
            if finding["verdict"] is None and verdict is not None and judged.total() < most:
                body = {"verdict": verdict, "version": finding["version"]}
                self.client.send("POST", f"/api/v1/findings/{finding['id']}/verdict", body)
                judged[verdict] += 1
        return judged

    def _do_next(self, kind: str) -> str | None:
        """What became of the next image, or None where nothing is left."""
        task = self.client.take(kind)
        if task is None:
            return None
        self.client.fetch_image(task)
        if kind == "annotate":
            return self._annotate_one(task)
        if kind == "check":
            return self._check_one(task)
        if kind == "segment":
            segments = draw_segments(task, partial(self.client.propose, task), self.rng)
            secs, inputs = (
                sum(segment[name] for segment in segments) for name in ("drawn_secs", "inputs")
            )
            self.client.save_drawing(task, segments, inputs=inputs + 1, active_secs=round(secs, 1))
            return "segmented"
        self.client.accept_drawing(task, active_secs=draw_secs(self.rng), inputs=2)
        return "drawing accepted"

    def _look(self, task: Json) -> tuple[KnownObject, ...]:
        photo = self.known[find_photo_id(task)]
        self.truths[task["image_id"]] = photo.objects_at(task["width"], task["height"])
        return self.truths[task["image_id"]]

    def _annotate_one(self, task: Json) -> str:
        truth = self._look(task)
        if not truth:
            reason = self.known[find_photo_id(task)].discard_reason or "no_object"
            self.client.save(task, [], discard_reason=reason, active_secs=draw_secs(self.rng))
            return "discarded"
        suggestions = task.get("suggestions", [])
        if self.habits.accepts_all and suggestions:
            objects = accept_all(suggestions)
        else:
            objects = self._draw(task, truth)
        active_secs = sum(item["drawn_secs"] for item in objects) + draw_secs(self.rng)
        if self.habits.is_hurried:
            active_secs = HURRIED_SECS
        inputs = 1 + len(objects)
        noted = {"inputs": inputs, "suggestions_shown": len(suggestions)}
        self.client.save(task, objects, active_secs=round(active_secs, 1), **noted)
        return "annotated"

    def _draw(self, task: Json, truth: tuple[KnownObject, ...]) -> list[Json]:
        """Work that was returned is done again with care; it keeps the names of its objects."""
        if task["review"] is not None and self.habits.is_stubborn:
            return [strip_difficult(item) for item in task["annotation"]["objects"]]
        habits = self.habits if task["review"] is None else CAREFUL
        size_wh = task["width"], task["height"]
        drawn = draw_objects(truth, habits, size_wh, self.rng)
        again = draw_again(drawn, habits, size_wh, self.rng)
        return [
            make_object(item, f"sim-{task['image_id']}-{place + 1}{ending}", draw_secs(self.rng))
            for ending, items in (("", drawn), ("-again", again))
            for place, item in items.items()
        ]

    def _check_one(self, task: Json) -> str:
        truth = self._look(task)
        drawn = [strip_difficult(item) for item in task["annotation"]["objects"]]
        judgement = judge(truth, drawn)
        fixed = {"objects": list(judgement.fixed), "active_secs": draw_secs(self.rng)}
        self.client.review(
            task,
            judgement.verdict.value,
            complete=judgement.verdict is not Verdict.RETURNED,
            comment=judgement.comment,
            active_secs=draw_secs(self.rng),
            fixed=fixed if judgement.verdict is Verdict.FIXED else None,
        )
        return judgement.verdict.value


@dataclass(frozen=True)
class SimulatedOrganiser:
    """One signed-in organiser, who judges difficulty by the sizes that the pass lists."""

    client: PartyClient

    @contextmanager
    def sharing(self, *, gold: float, after: QaSettings) -> Iterator[None]:
        """While the block runs, new images are gold by this share and never doubled."""
        self._set_shares(double=0.0, gold=gold)
        try:
            yield
        finally:
            self._set_shares(double=after.double_share, gold=after.gold_share)

    def judge_difficulty(self) -> Counter[str]:
        """How many objects were judged difficult or not, of every class where some wait."""
        judged: Counter[str] = Counter()
        for counts in self.client.send("GET", "/api/v1/difficult")["classes"]:
            if counts["waiting"]:
                path = f"/api/v1/difficult/{counts['id']}"
                taken = self.client.send("POST", f"{path}/take", {})["objects"]
                said = [
                    {name: item[name] for name in ("image_id", "annotation_id", "key")}
                    | {"difficult": min(item["size"]) < DIFFICULT_SIDE_PX}
                    for item in taken
                ]
                self.client.send("POST", f"{path}/judgements", {"objects": said})
                self.client.send("POST", f"{path}/give-back", {})
                judged.update("difficult" if item["difficult"] else "plain" for item in said)
        return judged

    def _set_shares(self, *, double: float, gold: float) -> None:
        shares = self.client.send("GET", "/api/v1/gold")["shares"]
        body = {name: value for name, value in shares.items() if name != "number"}
        body |= {"base": shares["number"], "double_share": double, "gold_share": gold}
        self.client.send("PUT", "/api/v1/board/shares", body)


def take_turns(items: Iterable[Json], kind_of: Callable[[Json], str]) -> list[Json]:
    """The first of each kind, then the second of each, and so on, each round as they came."""
    seen: Counter[str] = Counter()

    def count(item: Json) -> int:
        seen[kind_of(item)] += 1
        return seen[kind_of(item)]

    return sorted(items, key=count)


def find_photo_id(task: Json) -> str:
    """Flickr's id of a task's photo, read off the page's address as a person could."""
    return str(task["photo"]["page_url"]).rstrip("/").rpartition("/")[2]


def make_object(item: KnownObject, key: str, drawn_secs: float) -> Json:
    """An object as the interface takes it."""
    xmin, ymin, xmax, ymax = item.box.xyxy
    return {
        "key": key,
        "class": item.name,
        "box": list(item.box.xyxy),
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "unsure": False,
        "actions": list(item.actions),
        "point": [(xmin + xmax) // 2, (ymin + ymax) // 2] if item.actions else None,
        "parts": [{"part": part.name, "box": list(part.box.xyxy)} for part in item.parts],
        "drawn_secs": drawn_secs,
    }


def strip_difficult(item: Json) -> Json:
    """The object without `difficult`, which only organisers judge and no save may name."""
    return {key: value for key, value in item.items() if key != "difficult"}
