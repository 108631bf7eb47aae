"""The people of the demo: the simulated ones who work, and links for real ones."""

from __future__ import annotations

import math
import random
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.stats import load_party_counts
from catalog.tables import Person
from vockit.format.threads import ThreadPool
from vockit.report.progress import progress
from work.people import add_person, renew_link
from work.segment.choices import ChoiceError, choose_images

from .habits import CAREFUL, HASTY, HURRIED, NEW, STUBBORN
from .party_client import PartyClient
from .people import SimulatedOrganiser, SimulatedPerson
from .photographs.known import KnownPhoto

SHARE_ANNOTATED = 0.95  # of as many images as are in the pool; those that come twice count twice
SHARE_CHECKED = 0.85
LEFT_UNCHECKED = 3
"""Annotated images that wait for real people: one in dispute, and some for who checks."""
ROUNDS_AFTER_RETURN = 2
SEGMENTED = 10
SEGMENTED_TWICE = 0.5
SEGMENTED_BY_OTHERS = 3
FINDINGS_JUDGED = 6  # the others are left for real people


CAST = (
    ("Ada", Role.ANNOTATOR, HASTY),
    ("Ben", Role.ANNOTATOR, CAREFUL),
    ("Cleo", Role.ANNOTATOR, HASTY),
    ("Dora", Role.CHECKER, CAREFUL),
    ("Orla", Role.ORGANISER, CAREFUL),
)
"""The simulated people; their numbers are their seeds."""


def make_link(party: Party, name: str, role: Role, *, is_simulated: bool = False) -> str:
    """The path of a new personal link for a person, who is added where there is none."""
    token = secrets.token_urlsafe(32)
    with party.catalogue.writing() as session:
        if session.scalar(select(Person.id).where(Person.name == name)) is None:
            at = datetime.now(UTC)
            add_person(session, name, role, token=token, at=at, is_simulated=is_simulated)
        else:
            renew_link(session, name, token=token)
    return f"/enter/{token}"


def run_simulated_party(
    party: Party, base_url: str, known: Mapping[str, KnownPhoto]
) -> Counter[str]:
    """What the simulated people did, by outcome; they leave some work for real people."""
    with _signed_in(party, base_url, known) as people:
        annotators = [person for role, person in people if role is Role.ANNOTATOR]
        checkers = [person for role, person in people if role is Role.CHECKER]
        organiser = SimulatedOrganiser(people[-1][1].client)  # the last of CAST
        done = _begin(party, annotators, checkers, organiser)
        pool = count_images(party, ImageState.POOL)
        done += _all_at_once(annotators, "annotate", pool, SHARE_ANNOTATED)
        drawn = count_images(party, ImageState.ANNOTATED)
        done += _check(party, checkers, math.ceil(drawn * SHARE_CHECKED))
        for _ in range(ROUNDS_AFTER_RETURN):
            returned = count_images(party, ImageState.RETURNED)
            # it comes first in its author's queue; no one takes a new image
            done += sum(
                (annotator.redo_returned(returned) for annotator in annotators), Counter[str]()
            )
            done += _check(party, checkers, returned)
        done += sum(
            (checker.judge_findings(FINDINGS_JUDGED) for checker in checkers), Counter[str]()
        )
        done += organiser.judge_difficulty()
        done += _segment(party, annotators, checkers)
    return done


def count_images(party: Party, state: ImageState) -> int:
    """How many images are in a state."""
    with party.catalogue.reading() as session:
        return load_party_counts(session).images[state]


@contextmanager
def _signed_in(
    party: Party, base_url: str, known: Mapping[str, KnownPhoto]
) -> Iterator[list[tuple[Role, SimulatedPerson]]]:
    with ExitStack() as stack:
        people = []
        for seed, (name, role, habits) in enumerate(CAST, start=1):
            client = PartyClient(base_url)
            stack.callback(client.close)
            client.sign_in(make_link(party, name, role, is_simulated=True))
            rng = random.Random(seed)  # noqa: S311  nothing secret
            people.append((role, SimulatedPerson(client, known, habits, rng)))
        yield people


def _begin(
    party: Party,
    annotators: list[SimulatedPerson],
    checkers: list[SimulatedPerson],
    organiser: SimulatedOrganiser,
) -> Counter[str]:
    """The outcomes of the first images, which show each kind of slip in every demo.

    A careful person's image becomes gold for the two others. Then the new person forgets views and
    flags, the hurried one clicks through, and the stubborn one returns an image unchanged until it
    goes to an organiser. Without any objects left, nothing happens.
    """
    new, careful, hurried = annotators
    done = careful.work("annotate", 1, counts="annotated")
    drawn = [image_id for image_id, truth in careful.truths.items() if truth]
    if not drawn:
        return done
    path = f"/api/v1/gold/{drawn[-1]}"
    page = organiser.client.send("GET", path)
    seen = {name: page[name] for name in ("annotation_id", "version")}
    note = {"is_training": False, "note": "Drawn with care; the reference for others."}
    organiser.client.send("PUT", path, seen | note)
    with organiser.sharing(gold=1.0, after=party.settings.qa):
        for person in (new, hurried):
            done += person.work("annotate", 1, counts="annotated")
    stubborn = replace(careful, habits=STUBBORN)
    with organiser.sharing(gold=0.0, after=party.settings.qa):
        for person in (replace(new, habits=NEW), replace(hurried, habits=HURRIED), stubborn):
            done += person.work("annotate", 1, counts="annotated")
    for _ in range(max(2, party.settings.qa.return_rounds)):
        for checker in checkers:
            done += checker.work("check", 2 * len(annotators) + 2)
        done += new.redo_returned(1) + stubborn.redo_returned(1)
    return done


def _check(party: Party, checkers: list[SimulatedPerson], images: int) -> Counter[str]:
    """The outcomes of so many images that are checked, fewer where too few would be left."""
    waiting = count_images(party, ImageState.ANNOTATED)
    return _all_at_once(checkers, "check", min(images, max(waiting - LEFT_UNCHECKED, 0)), 1.0)


def _segment(
    party: Party, annotators: list[SimulatedPerson], checkers: list[SimulatedPerson]
) -> Counter[str]:
    """The outcomes of images whose pixels were drawn and checked; a few more wait for others."""
    _choose(party, SEGMENTED, twice_share=SEGMENTED_TWICE)
    done: Counter[str] = Counter()
    share = math.ceil(SEGMENTED / len(annotators))
    for most in (share, SEGMENTED):  # the second time what is to be drawn twice
        done += sum((annotator.work("segment", most) for annotator in annotators), Counter[str]())
    done += sum((checker.work("check-segment", SEGMENTED) for checker in checkers), Counter[str]())
    _choose(party, SEGMENTED_BY_OTHERS, twice_share=0.0)
    return done


def _choose(party: Party, count: int, *, twice_share: float) -> None:
    with party.catalogue.writing() as session, suppress(ChoiceError):  # a small demo has too few
        at = datetime.now(UTC)
        choose_images(session, count, (), seed=count, twice_share=twice_share, at=at)


def _all_at_once(
    people: list[SimulatedPerson], kind: str, images: int, share: float
) -> Counter[str]:
    """The outcomes of a share of the images, which all people work on side by side."""
    if not images:
        return Counter()
    most = math.ceil(images * share / len(people))
    with (
        progress(f"Simulated people {kind}", images, "images") as advance,
        ThreadPool(len(people)) as pool,
    ):
        done = pool.map(lambda person: person.work(kind, most, lambda _outcome: advance(1)), people)
        return sum(done, Counter())
