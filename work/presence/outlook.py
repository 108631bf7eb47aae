"""What the questions of a party are going to cost, and how far they are, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.group_limits import list_warnings
from catalog.party import Party
from catalog.tables import Presence

from .forecast import SECS_AN_ANSWER, Forecast, forecast
from .plans import Plan, load_newest, read_rules
from .rules import Rules
from .status import load_people, load_status

FIRST_QUESTIONS = 10
"""So many questions are listed, those that most images are asked."""
COMPARED = ((1, 0.0), (2, 0.0), (3, 0.0), (2, 0.98), (2, 0.995))
"""Numbers of people and confidences whose cost is told beside that of the party's own."""


def describe_outlook(session: Session, party: Party, plan: Plan) -> dict[str, Any]:
    """The plan's questions, what an image costs by it and by other settings, and warnings."""
    status = load_status(session)
    secs = _measure_secs(session)
    rules = read_rules(party)
    here = forecast(plan.outline, rules)
    asked = list(here.asked.items())[:FIRST_QUESTIONS]
    waiting = status.images - status.done
    return {
        "is_on": party.settings.questions.on,
        "classes": len(party.preset.classes),
        "groups": len(party.preset.groups),
        "images": waiting,
        "seconds_an_answer": secs or SECS_AN_ANSWER,
        "is_timed": secs is not None,
        "questions": [
            {"node": node.word, "words": plan.words[node], "answers_an_image": share}
            for node, share in asked
        ],
        "own": _describe_cost(rules, here, waiting, secs),
        "settings": [
            _describe_cost(others, forecast(plan.outline, others), waiting, secs)
            for agree, confidence in COMPARED
            for others in (replace(rules, agree_of={}, agree=agree, confidence=confidence),)
        ],
        "warnings": list_warnings(party.preset),
    }


def _describe_cost(rules: Rules, cost: Forecast, images: int, secs: float | None) -> dict[str, Any]:
    right = cost.classes - cost.missed
    return {
        "agree": rules.agree,
        "confidence": rules.confidence,
        "answers_an_image": round(cost.answers, 1),
        "seconds": round(cost.answers * images * (secs or SECS_AN_ANSWER)),
        "recall": round(right / cost.classes, 4) if cost.classes else None,
        "precision": round(right / (right + cost.wrong), 4) if right + cost.wrong else None,
    }


def _measure_secs(session: Session) -> float | None:
    """How many seconds an answer took so far; None where too few were timed."""
    timed = select(func.count(), func.sum(Presence.took_ms)).where(Presence.took_ms.is_not(None))
    count, total_ms = session.execute(timed).one()
    return round(total_ms / count / 1000, 2) if count >= 100 else None


def list_outlook_lines(outlook: Mapping[str, Any]) -> Iterator[str]:
    """The outlook in lines."""
    here = outlook["own"]
    yield (
        f"{outlook['classes']:,} classes in {outlook['groups']:,} groups. An image takes about "
        f"{here['answers_an_image']:g} answers ({_name_rules(here)})."
    )
    since = "as timed so far" if outlook["is_timed"] else "a guess until answers are timed"
    yield (
        f"{outlook['images']:,} images wait: about {here['seconds'] / 3600:,.1f} hours at "
        f"{outlook['seconds_an_answer']:g} s an answer ({since})."
    )
    yield "Asked most:"
    for question in outlook["questions"]:
        yield f"  {question['words']:<40}{question['answers_an_image']:>6.2f} answers an image"
    yield "By other settings (made images with these frequencies, answers as wrong as wrong_share):"
    for setting in outlook["settings"]:
        recall, precision = (
            "-" if setting[key] is None else f"{setting[key]:.3f}"
            for key in ("recall", "precision")
        )
        yield (
            f"  {_name_rules(setting):<40}{setting['answers_an_image']:>6.1f} answers, "
            f"recall {recall}, precision {precision}"
        )
    yield from outlook["warnings"]
    if not outlook["is_on"]:
        yield "Nobody is asked yet: set on = true under [questions] of party.toml."


def _name_rules(setting: Mapping[str, Any]) -> str:
    if setting["confidence"]:
        return f"confidence = {setting['confidence']:g}"
    return f"agree = {setting['agree']}"


def describe_status(session: Session, party: Party) -> dict[str, Any]:
    """How far the questions are, by class and by person."""
    status = load_status(session)
    plan = load_newest(session)
    return {
        "plan": plan.id if plan else None,
        "images": status.images,
        "done": status.done,
        "answers": status.answers,
        "answers_on_gold": status.gold,
        "answers_an_image": status.answers_an_image,
        "shown": {
            spec.name: status.shown[spec.key]
            for spec in party.preset.classes
            if spec.key in status.shown
        },
        "people": [
            {
                "name": row.name,
                "answers": person.answers,
                "seconds_an_answer": round(person.secs, 2),
                "wrong_yes": [person.passed.value, person.passed.count],
                "wrong_no": [person.refused.value, person.refused.count],
                "says_yes_too_often": person.is_suspect,
            }
            for row, person in load_people(session)
        ],
    }


def list_status_lines(status: Mapping[str, Any]) -> Iterator[str]:
    """The status in lines."""
    each = status["answers_an_image"]
    cost = f", {each:.1f} answers each" if each else ""
    yield (
        f"{status['done']:,} of {status['images']:,} images are settled{cost}; "
        f"{status['answers']:,} answers, and {status['answers_on_gold']:,} on gold images."
    )
    for name, count in status["shown"].items():
        yield f"  {name:<38}{count:>8,}"
    for person in status["people"]:
        suspect = "; says yes too often" if person["says_yes_too_often"] else ""
        wrong, count = person["wrong_yes"]
        of_gold = f", {wrong:.0%} of {count:,} gold pictures without it called yes" if count else ""
        yield f"{person['name']}: {person['answers']:,} answers{of_gold}{suspect}"
