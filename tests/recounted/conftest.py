import shutil
from dataclasses import replace
from functools import partial

import pytest

from tests.export.odd_releases import make_releases
from tests.once import make_once

from .parties import NAMES, AwkwardParty, make_parties


@pytest.fixture(scope="session")
def awkward_parties(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AwkwardParty]:
    releases = make_once(tmp_path_factory, "odd-releases", make_releases)
    made = make_once(tmp_path_factory, "awkward-parties", partial(make_parties, releases))
    folder = tmp_path_factory.mktemp("awkward")
    return {
        name: replace(party, folder=shutil.copytree(party.folder, folder / party.folder.name))
        for name, party in made.items()
    }


@pytest.fixture(params=NAMES)
def awkward(
    awkward_parties: dict[str, AwkwardParty], request: pytest.FixtureRequest
) -> AwkwardParty:
    return awkward_parties[request.param]
