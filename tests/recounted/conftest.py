import pytest

from .parties import NAMES, AwkwardParty, make_parties


@pytest.fixture(scope="session")
def awkward_parties(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AwkwardParty]:
    return make_parties(tmp_path_factory.mktemp("awkward"))


@pytest.fixture(params=NAMES)
def awkward(
    awkward_parties: dict[str, AwkwardParty], request: pytest.FixtureRequest
) -> AwkwardParty:
    return awkward_parties[request.param]
