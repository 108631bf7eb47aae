"""Undoing a person's work, the limit of images per minute, and imitated names."""

from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Finding, FindingJudgement, ReleaseImage
from operate.party_rules import compare_images

from .house import API, House, error_of, revision, thing


def undo(house: House, *options: str) -> str:
    done = house.run("people", "undo", *options)
    assert done.exit_code == 0, done.output
    return done.output


def test_undoing_a_person_restores_all_images_and_keeps_the_rows(any_house: House) -> None:
    images = any_house.add_images(8)
    vandal = any_house.enter(any_house.add_person("vandal", is_simulated=True))  # has no pace limit
    for number in range(8):
        discarded = {"discard_reason": "poor_quality"} if number % 2 else {}
        vandal.save(vandal.take(), [] if discarded else None, **discarded)
    before = [len(any_house.revisions(image_id)) for image_id in images]
    said = undo(any_house, "vandal", "--dry-run")
    assert "Would undo: 8 revisions" in said
    assert "Images that return: 8 back to annotation." in said
    assert {any_house.state(image_id) for image_id in images} != {ImageState.POOL}
    assert "Undone: 8 revisions of vandal" in undo(any_house, "vandal")
    assert {any_house.state(image_id) for image_id in images} == {ImageState.POOL}
    assert {any_house.image(image_id).annotation_id for image_id in images} == {None}
    assert [len(any_house.revisions(image_id)) for image_id in images] == before
    assert "no work in this time" in undo(any_house, "vandal")
    assert any_house.ann().take()["annotation"] is None


def test_undoing_a_checker_restores_states_and_revisions(any_house: House) -> None:
    accepted, corrected, back = (any_house.add_image() for _ in range(3))
    ann = any_house.ann()
    chris = any_house.chris()
    for _ in range(3):
        ann.save(ann.take())
    for image_id, verdict in ((accepted, "accept"), (corrected, "fixed"), (back, "returned")):
        assert chris.review(chris.take("check", image_id=image_id), verdict).status_code == 201
    head = any_house.revisions(corrected)[0].id
    said = undo(any_house, "chris", "--since", "2026-01-31 11:00")
    assert "Undone: 1 revision and 3 reviews of chris" in said
    assert {any_house.state(image_id) for image_id in (accepted, corrected, back)} == {
        ImageState.ANNOTATED
    }
    assert any_house.image(corrected).annotation_id == head
    task = any_house.olga().take("check", image_id=back)
    assert (task["rounds"], task["review"]) == ([], None)
    assert "no work in this time" in undo(any_house, "chris")
    assert len(any_house.reviews()) == 3


def test_an_undo_keeps_work_that_others_built_on_or_that_is_released(any_house: House) -> None:
    built_on = any_house.add_image()
    frozen = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    for _ in range(2):
        ann.save(ann.take())
    chris.review(chris.take("check", image_id=built_on), "fixed")
    any_house.release(frozen)
    said = undo(any_house, "ann")
    assert f"others drew on them later: images {built_on}." in said
    assert f"a release contains them: images {frozen}." in said
    assert "To open an image: " in said
    states = (any_house.state(built_on), any_house.state(frozen))
    assert states == (ImageState.CHECKED, ImageState.RELEASED)


def test_undoing_a_person_at_work_ends_the_lease_and_keeps_the_draft(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    task = ann.take()
    draft = ann.save(task, finish=False).get_json()["annotation"]
    path = f"{API}/people/{any_house.person('ann').id}/undo"
    plan = olga.post(path, {"dry_run": True}).get_json()
    assert (plan["images"], any_house.state(image_id)) == ([image_id], ImageState.ANNOTATING)
    assert olga.undo(any_house.person("ann").id).status_code == 200
    assert any_house.state(image_id) is ImageState.POOL
    body = revision(draft["id"], [thing(), thing("b")])
    late = ann.post(f"{API}/images/{image_id}/revisions", body)
    assert (late.status_code, late.get_json()["error"]["code"]) == (409, "lease_lost")
    assert len(any_house.revisions(image_id)) == 2
    assert any_house.image(image_id).annotation_id is None


def test_only_an_organiser_undoes_and_only_work_since_a_time(any_house: House) -> None:
    early = any_house.add_image()
    ann = any_house.ann()
    ann.save(ann.take())
    any_house.clock.advance(3600)
    late = any_house.add_image()
    ann.save(ann.take())
    path = f"{API}/people/{any_house.person('ann').id}/undo"
    body = {"dry_run": False, "since": "2026-01-31T12:30:00Z"}
    assert any_house.chris().post(path, body).status_code == 403
    olga = any_house.olga()
    assert error_of(olga.post(path, body | {"since": "2026-01-31T12:30:00"}))[0] == 422
    assert error_of(olga.post(path, body)) == (409, "stale", None)  # nothing was shown
    since = {"since": "2026-01-31T12:30:00Z"}
    assert olga.undo(any_house.person("ann").id, **since).status_code == 200
    states = (any_house.state(early), any_house.state(late))
    assert states == (ImageState.ANNOTATED, ImageState.POOL)


def test_findings_judged_by_an_undone_checker_wait_again(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    ann.save(ann.take(), [thing(), thing("b", box=[49, 240, 195, 371])])
    findings = chris.get(f"{API}/findings").get_json()["findings"]
    for finding in findings:
        chris.post(f"{API}/findings/{finding['id']}/verdict", {"verdict": "wrong"})
    assert not chris.get(f"{API}/findings").get_json()["findings"]
    assert "verdict on a finding" in undo(any_house, "chris")
    assert len(chris.get(f"{API}/findings").get_json()["findings"]) == len(findings)
    with any_house.party.catalogue.reading() as session:
        assert {row.verdict for row in session.query(Finding)} == {None}
        assert session.query(ReleaseImage).count() == 0


def test_an_undone_verdict_on_a_finding_leaves_the_one_of_another_person(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    dana = any_house.enter(any_house.add_person("dana", Role.CHECKER))
    boxes = {"a": [48, 240, 195, 371], "b": [49, 240, 195, 371], "c": [50, 240, 195, 371]}
    ann.save(ann.take(), [thing(key, box=box, parts=[]) for key, box in boxes.items()])
    first, second, *_ = chris.get(f"{API}/findings").get_json()["findings"]
    for judge, finding, verdict in (
        (chris, first, "right"),
        (dana, first, "wrong"),
        (chris, second, "right"),
        (dana, second, None),
    ):
        path = f"{API}/findings/{finding['id']}/verdict"
        answer = judge.post(path, {"verdict": verdict, "version": finding["version"]})
        finding["version"] = answer.get_json()["version"]
    with any_house.party.catalogue.reading() as session:
        said = select(FindingJudgement.verdict, FindingJudgement.role)
        rows = session.execute(said.order_by(FindingJudgement.id)).tuples().all()
    assert [(verdict, role) for verdict, role in rows] == [
        ("right", Role.CHECKER),
        ("wrong", Role.CHECKER),
        ("right", Role.CHECKER),
        (None, Role.CHECKER),
    ]
    undo(any_house, "dana")
    with any_house.party.catalogue.reading() as session:
        judged = [session.get_one(Finding, finding["id"]) for finding in (first, second)]
        chris_id = any_house.person("chris").id
        assert [(row.verdict, row.person_id) for row in judged] == [("right", chris_id)] * 2


def test_more_images_a_minute_than_allowed_must_wait(party: Party) -> None:
    house = House(party, images_per_minute=3)
    house.add_images(6)
    ann = house.ann()
    olga = house.olga()
    for _ in range(3):
        assert ann.save(ann.take()).status_code == 201
    answer = ann.post(f"{API}/tasks/annotate").get_json()
    assert (answer["task"], answer["reason"]) == (None, "too_fast")
    people = {person["name"]: person for person in olga.get(f"{API}/board").get_json()["people"]}
    assert people["ann"]["slowed_at"] == "2026-01-31T12:00:00Z"
    assert people["olga"]["slowed_at"] is None
    house.clock.advance(61)
    assert ann.take() is not None


def test_a_name_that_imitates_another_by_its_letters_is_refused(any_house: House) -> None:
    olga = any_house.olga()
    any_house.add_person("ann")
    for name in ("аnn", "ann\u200b"):  # a Cyrillic a; a letter without width
        refused = olga.post(f"{API}/people", {"name": name, "role": "annotator"})
        assert error_of(refused) == (422, "invalid", "name")
    assert olga.post(f"{API}/people", {"name": "Аня", "role": Role.ANNOTATOR}).status_code == 201


def test_an_undo_is_of_the_work_that_was_shown(any_house: House) -> None:
    any_house.add_images(3)
    ann = any_house.ann()
    olga = any_house.olga()
    ann.save(ann.take())
    path = f"{API}/people/{any_house.person('ann').id}/undo"
    shown = olga.post(path, {"dry_run": True}).get_json()
    assert shown["lines"][0].startswith("Would undo: 1 revision of ann")
    ann.save(ann.take())  # goes on while the organiser reads
    confirmed = {"dry_run": False, "version": shown["version"]}
    refused = olga.post(path, confirmed)
    assert error_of(refused) == (409, "stale", None)
    assert "nothing was undone" in refused.text
    assert "Would undo: 2 revisions" in olga.post(path, {"dry_run": True}).get_json()["lines"][0]
    done = olga.undo(any_house.person("ann").id).get_json()
    assert done["lines"][0].startswith("Undone: 2 revisions of ann")


def test_what_was_made_from_undone_work_is_the_one_newest_revision(any_house: House) -> None:
    """The doctor finds nothing wrong where another person's revision has undone ones around it."""
    image_id, _, chris = any_house.draw_one()
    olga = any_house.olga()
    chris.review(chris.take("check", image_id=image_id), "fixed")
    for action, words in (("discard", "no_object"), ("reopen", "")):
        assert olga.act(action, words, ids=[image_id]).get_json()["changed"] == [image_id]
    assert chris.save(chris.take(image_id=image_id)).status_code == 201
    assert "Undone: 2 revisions and 1 review of chris" in undo(any_house, "chris")
    with any_house.party.catalogue.reading() as session:
        assert compare_images(session).different == ()
