"""What tests of several parts share: parties on both databases."""

import gc
import logging
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from catalog.migrate import upgrade_catalogue
from catalog.party import Party, format_toml, make_party, open_party
from catalog.session import open_catalogue
from catalog.settings import FILE_NAME
from catalog.store_owner import begin_store
from catalog.words import register_words

from .browser import chromium
from .once import compile_once, read_once
from .postgres import Server, running_server

__all__ = ["chromium"]

# What is loaded stays; garbage is looked for among what the tests make.
gc.disable()
read_once()

# A slow moment of a busy machine fails no property. Each run draws the same examples and remembers
# none, so that a new example fails no unrelated change; `--hypothesis-profile search` draws others.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("house"), max_examples=20)
settings.register_profile("search", settings.get_profile("house"), derandomize=False)
settings.load_profile("house")

# Shells start background jobs with Ctrl-C ignored, which children inherit; tests that interrupt a
# command need the default handler, as on a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


JOURNEYS = Path(__file__).parent / "journey"
SLOW_MODULES = {
    Path(__file__).parent / folder / f"test_{name}.py"
    for folder, names in {
        ".": "files_of_the_user imports names nothing_compared packing preset_words",
        "annotate_ui": "attacks blind board boxes_by_class boxes_machine campaigns class_rules "
        "classes clusters corrections decisions gold groups history imported judging "
        "language leases live_settings lookup many_hands open_pages openapi "
        "opened_for pages pairs people presence presence_questions questions queue "
        "repeats reviews revisions roles rules security serving shown_versions signin "
        "stuck suggested_objects suggestion_tasks tasks tasters training undo wall "
        "words work_machine write_lock",
        "catalog": "session store_owner transitions writers",
        "challenge": "board limited organiser own_images people people_tasks scoring submissions",
        "challenge/pages": "curves journey organising privacy roles sending",
        "collect": "admission claims cli commons doubts draws forecast job kill mad_sources "
        "picture probe recheck recheck_doubts shortage takedown",
        "collect/imports": "doubts folder kill urls",
        "collect/report": "dates report",
        "collect/source_table": "adding batches collecting keeping stopped",
        "dedup": "cluster clusters events finder hostile incremental jobs kill labels light "
        "matching report review shortage",
        "dedup/folder": "against groups kept_hashes moving",
        "dedup/overlap": "cli comparison hash_file sameness",
        "vockit": "dependencies wheels",
        "vockit/baselines": "baselines",
        "vockit/evaluate": "checking cli comparing members report sections significance two_tests "
        "unasked",
        "export": "accompanying_files anywhere archives asked blind changed_classes cli counted "
        "editions goldens groups hostile labels masks metadata opening party_check "
        "people recounted release release_interrupted retired_words second_test_set "
        "suggestions tasks tasters told withdrawn_results",
        "vockit/foreign": "coco devkit formats manifest",
        "vockit/foreign/datasets": "coco",
        "export/importing": "blind_trees dataset_job every_reader job round_trip",
        "vockit/verify": "check",
        "operate": "backup damage doctor edited_presets full_disk integrity missing_files move "
        "read_only restored_work sbom store_folder",
        "vockit/report": "charts intervals",
        "vockit/browse": "browse",
        "qa": "agreement_report finding_rows lacking recapture simulated statistics "
        "statistics_files suggestion_effect suggestion_rows",
        "work/detectors": "child cli outlines_cli outlining trained",
        "work/questions": "answering asking boxes confirmed verifying waiting whole_images",
        "work/segment": "choices leases listing saving pointing proposals segmenting",
        "recounted": "agreement board commands statistics_page evaluate intervals report "
        "suggestions",
        "simulate": "suggestions",
        "simulate/photographs": "demo_photographs",
        "work/presence": "cli",
        "work/suggest": "judging loading photographs reading withdrawal",
        "vockit/viewers": "viewers",
        "dedup/signature": "origin",
    }.items()
    for name in names.split()
}
"""Modules that take seconds; `make check` skips them, like tests that are marked slow."""

LONG_MODULES = {
    Path(__file__).parent / f"{name}.py"
    for name in (
        "journey/test_demo",
        "journey/test_tutorial",
        "collect/test_kill",
        "collect/test_admission",
        "collect/imports/test_kill",
        "dedup/test_kill",
        "dedup/test_finder",
        "dedup/test_jobs",
        "dedup/overlap/test_comparison",
        "annotate_ui/test_openapi",
        "vockit/evaluate/test_report",
    )
}
"""Modules with tests of ten seconds and more, or with a fixture that takes a minute. They begin
first, so that at the end no process works on one of them while the others have nothing to do."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules whose tests are all deselected: importing them takes seconds."""
    if "not slow" not in config.option.markexpr:
        return None
    return collection_path in SLOW_MODULES or collection_path == JOURNEYS or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of the slow modules, and begin with the long ones."""
    for item in items:
        if item.path in SLOW_MODULES:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path not in LONG_MODULES)


def pytest_collection_finish() -> None:
    """Leave out of each search for garbage what was loaded."""
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _compile_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    compile_once(tmp_path_factory.mktemp("templates"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One server for the whole run."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_template(postgres_server: Server) -> str:
    """A database with all tables, to be copied for each test."""
    name = postgres_server.make_database()
    catalogue = open_catalogue(postgres_server.url(name))
    upgrade_catalogue(catalogue)
    catalogue.close()
    return name


@pytest.fixture
def postgres_url(postgres_server: Server, migrated_template: str) -> Iterator[str]:
    """A separate PostgreSQL database for the test, with all tables."""
    name = postgres_server.make_database(migrated_template)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def party_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a new party, to be copied for each test."""
    folder = tmp_path_factory.mktemp("template") / "party"
    make_party(folder, name="Test party", preset="voc2012")
    return folder


@pytest.fixture
def party(tmp_path: Path, party_template: Path) -> Iterator[Party]:
    """A new party on SQLite with the classes of VOC2012."""
    shutil.copytree(party_template, tmp_path / "party")
    with open_party(tmp_path / "party") as party:
        yield party


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_catalogue(request: pytest.FixtureRequest) -> dict[str, str]:
    """The catalogue for party.toml, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        return {}
    return {"catalogue": request.getfixturevalue("postgres_url")}


@pytest.fixture
def any_party(
    any_catalogue: dict[str, str], tmp_path: Path, party_template: Path
) -> Iterator[Party]:
    """A new party, once on SQLite and once on PostgreSQL."""
    folder = tmp_path / "party"
    shutil.copytree(party_template, folder)
    if any_catalogue:
        settings = folder / FILE_NAME
        settings.write_text(format_toml(any_catalogue) + settings.read_text())
        with open_party(folder, is_new=True) as party:
            begin_store(party.catalogue, party.store, party.folder)
            with party.catalogue.writing() as session:
                register_words(session, party.file_preset)
    with open_party(folder) as party:
        yield party


@pytest.fixture
def own_log() -> Iterator[None]:
    """The root logger as it was, also after a command that sets up a log."""
    handlers = logging.root.handlers[:]
    level = logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
