"""Which faults in the program the random machine of the tests finds, and after how many runs.

    python -m benchmarks.machine_faults
    python -m benchmarks.machine_faults --runs 8 --fault "own work can be checked"

Each fault is put into a copy of the checkout, where the runs of 80 steps with the seeds 0, 1, 2 and
so on go on until one fails. Prints a line for each fault: its name, the number of the run that
found it or `not found`, and the last line of what that run said.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

RUN = """
import sys, tempfile
from pathlib import Path
import tests.conftest
from catalog.party import make_party
from tests.annotate_ui.test_work_machine import copy_party, run_seed
from tests.once import compile_once

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    compile_once(folder)
    make_party(folder / "party", name="Zoo", preset="voc2012")
    for seed in range(int(sys.argv[1])):
        print(seed + 1, flush=True)
        run_seed(lambda: copy_party(folder / "party"), seed)
"""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "node_modules", "docs", "__pycache__")


@dataclass(frozen=True)
class Fault:
    """A fault: in one file, one text in place of another."""

    name: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault("none", "work/undo.py", "", ""),
    Fault(
        "what a page showed is not compared",
        "annotate_ui/api/schemas.py",
        "if getattr(body, self.field) == now.version:",
        "if True:",
    ),
    Fault(
        "a discard can be restored as a checker's correction",
        "work/restoring.py",
        "    if revision.discard_reason is None:",
        "    if True:",
    ),
    Fault(
        "an undo forgets that an organiser reopened the image",
        "work/undo.py",
        "    rest = [revision for",
        "    without |= {row.id for row in decisions if row.kind.value == 'reopened'}\n"
        "    rest = [revision for",
    ),
    Fault(
        "difficult does not follow the object into a new revision",
        "work/revision_rows.py",
        "difficult = load_difficult_keys(visit.session, image.id)",
        "difficult = set[str]()",
    ),
    Fault(
        "difficult does not follow the object after an undo",
        "work/undo.py",
        "        follow_difficulty(session, way.image_id)",
        "        pass",
    ),
    Fault(
        "gold stays in use when its reference is undone",
        "work/undo.py",
        "(GoldImage.annotation_id, {",
        "(GoldImage.annotation_id, {'note': GoldImage.note} or {",
    ),
    Fault(
        "the end of a campaign sets nothing aside",
        "work/campaigns.py",
        "decision.set_aside_at = decision.set_aside_at or at",
        "pass",
    ),
    Fault(
        "a save from an older revision becomes the newest",
        "catalog/transitions.py",
        "moved = moved.where(*_OF_PARENT)",
        "moved = moved.where(_OF_PARENT[0])",
    ),
    Fault(
        "a verdict on an older revision counts",
        "work/reviews.py",
        "else image.annotation_id == body.annotation_id",
        "else True",
    ),
    Fault(
        "own work can be checked",
        "work/reviews.py",
        "        Annotation.person_id == person_id,",
        "        Annotation.person_id == -1,",
    ),
    Fault(
        "an undo leaves leases",
        "work/undo.py",
        "release_leases(session, Lease.image_id.in_(some) & IS_OF_BOXES,",
        "release_leases(session, Lease.image_id.in_(some) & (Lease.id == -1),",
    ),
    Fault(
        "an undo does not compare what its page showed",
        "annotate_ui/api/people.py",
        "if version_of_undo(undo) != body.version:",
        "if False:",
    ),
    Fault(
        "an action on many images does not compare what its page showed",
        "work/image_actions.py",
        "if version_of_image(image) != version:",
        "if False:",
    ),
    Fault(
        "a merge forgets the words merged before",
        "operate/words.py",
        "Word.key.in_(party.words[kind].members(key))",
        "Word.key == key",
    ),
    Fault(
        "a rename finds the word by its name alone",
        "operate/words.py",
        "    word = session.get_one(Word, (kind, key))\n    in_file",
        "    by_name = select(Word).where(Word.kind == kind, Word.name == old)\n"
        "    word = session.scalars(by_name.order_by(Word.key)).first()\n    in_file",
    ),
    Fault(
        "numbers given out after a backup are given out again after its restore",
        "operate/rows.py",
        "_set_last_number(session, name, number + distance)",
        "pass",
    ),
    Fault(
        "the role of a reviewer is that of today",
        "qa/checks.py",
        "review.role == Role.ORGANISER",
        "review.person_id.in_(select(Review.metadata.tables['person'].c.id)"
        ".where(Review.metadata.tables['person'].c.role == Role.ORGANISER))",
    ),
)


@click.command(help=__doc__)
@click.option("--runs", default=4, show_default=True, help="The most runs for each fault.")
@click.option("names", "--fault", multiple=True, help="Only the fault of this name.")
def main(runs: int, names: tuple[str, ...]) -> None:
    """Try each fault, and print what became of it."""
    for fault in FAULTS:
        if not names or fault.name in names:
            click.echo(try_fault(fault, runs))


def try_fault(fault: Fault, runs: int) -> str:
    """A line on the fault; raises ClickException where the file has not the text to replace."""
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name) / "tree"
        shutil.copytree(Path.cwd(), tree, ignore=LEFT_OUT)
        text = (tree / fault.file).read_text()
        if fault.right not in text:
            raise click.ClickException(f"{fault.file} has no text {fault.right!r}.")
        wrong = text.replace(fault.right, fault.wrong, 1)
        compile(wrong, fault.file, "exec")  # a syntax error would count as found
        (tree / fault.file).write_text(wrong)
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(runs)],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == 0:
        return f"{fault.name}: not found in {runs} runs"
    last = done.stderr.strip().splitlines()[-1]
    return f"{fault.name}: found in run {done.stdout.split()[-1]}: {last[:120]}"


if __name__ == "__main__":
    main()
