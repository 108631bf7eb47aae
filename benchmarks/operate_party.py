"""Time and memory of keeping a large party: `python -m benchmarks.operate_party`.

Small files of random bytes stand for the images. Each command is its own process; its memory
is the largest that it had. A move goes to PostgreSQL on this machine, which does not sync.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert

from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import Role
from catalog.tables import Annotation, Image, Object, Person
from tests.postgres import running_server

FILE_BYTES = 2_000
NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def fill(party: Party, images: int) -> None:
    """Images with a file, a revision and two objects each; files are written without fsync."""
    assert party.store.folder is not None
    with party.catalogue.writing() as session:
        person = {"id": 1, "name": "ann", "role": Role.ANNOTATOR, "created_at": NOW}
        session.execute(insert(Person), [{**person, "credential_sha256": "0" * 64}])
    for begin in range(0, images, 5_000):
        numbers = range(begin + 1, min(begin + 5_000, images) + 1)
        with party.catalogue.writing() as session:
            session.execute(insert(Image), [_store(party, number) for number in numbers])
            of_each = {"person_id": 1, "is_finished": True, "saved_at": NOW}
            revisions = [
                {"id": number, "image_id": number, "save_key": f"save-{number:08}", **of_each}
                for number in numbers
            ]
            session.execute(insert(Annotation), revisions)
            box = {"class_id": "cat", "xmin": 1, "ymin": 1, "xmax": 90, "ymax": 90}
            objects = [
                {
                    "annotation_id": annotation_id,
                    "number": number,
                    "object_key": f"k{number}",
                    **box,
                }
                for annotation_id in numbers
                for number in (1, 2)
            ]
            session.execute(insert(Object), objects)


def _store(party: Party, number: int) -> dict[str, object]:
    data = os.urandom(FILE_BYTES)
    sha256 = digest_of(data)
    path = party.store.local_path(sha256)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    size = {"width": 500, "height": 375, "bytes": FILE_BYTES}
    return {"id": number, "sha256": sha256, "stored_at": NOW, "state_at": NOW, **size}


def measure(*arguments: str) -> dict[str, object]:
    """Seconds and megabytes of one command."""
    program = (
        "import resource, sys\n"
        "from vocparty import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    began = time.perf_counter()
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    secs = time.perf_counter() - began
    peak_mb = int(done.stderr.split()[-1]) / 1024
    return {"command": arguments[0], "secs": round(secs, 1), "peak_mb": round(peak_mb)}


def main() -> None:
    """Print one JSON line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    images = parser.parse_args().images
    with tempfile.TemporaryDirectory() as name, running_server() as server:
        folder = Path(name)
        zoo = str(folder / "zoo")
        backup = str(folder / "zoo.tar")
        make_party(Path(zoo), name="Zoo", preset="voc2012")
        with open_party(Path(zoo)) as party:
            fill(party, images)
        url = server.url(server.make_database())
        for words in (
            ("backup", backup, "--party", zoo),
            ("restore", backup, str(folder / "again")),
            ("move", "--to", url, "--folder", str(folder / "new"), "--party", zoo),
            ("doctor", "--party", zoo),
        ):
            print(json.dumps({**measure(*words), "images": images}), flush=True)


if __name__ == "__main__":
    main()
