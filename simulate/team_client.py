"""A team as far as a challenge's server can tell: forms of a browser, and uploads as by `curl`."""

from __future__ import annotations

import io
import re
import tarfile
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import IO, Any

import requests

from .party_client import Json, RefusedError, find_csrf_token

TIMEOUT_SECS = 120.0
_OPENED_FOR = re.compile(r'<meta name="opened-for" content="([^"]*)"')


@dataclass
class TeamClient:
    """A team with its personal link; each method is what a person of it does."""

    base_url: str
    token: str
    http: requests.Session = field(default_factory=requests.Session)

    def sign_in(self) -> None:
        """Press the button of the personal link."""
        path = f"/enter/{self.token}"
        form = {"csrf_token": find_csrf_token(self.open_page(path))}
        self._send("POST", path, data=form, allow_redirects=False)

    def open_page(self, path: str) -> str:
        """The text of a page."""
        return self._send("GET", path).text

    def submit(self, path: str, **fields: str) -> None:
        """Fill in and send the form of a page, as the browser that signed in."""
        page = self.open_page("/team")
        opened_for = _OPENED_FOR.search(page)
        assert opened_for is not None, "expected a page of a team"
        seals = {"csrf_token": find_csrf_token(page), "opened_for": unescape(opened_for[1])}
        self._send("POST", path, data=seals | fields, allow_redirects=False)

    def add_method(self, name: str, training: str = "given", training_data: str = "") -> None:
        """Say what a method is called, and what it was trained on."""
        fields = {"name": name, "training": training, "training_data": training_data}
        self.submit("/methods/new", **fields)

    def upload(self, method: str, archive: bytes | IO[bytes], name: str = "results.tar.gz") -> Json:
        """The verdict on an archive, of which `can_be_scored` and `id` say how to go on."""
        query = {"method": method, "name": name}
        answer = self._call("POST", "upload", params=query, data=archive)
        if answer.status_code != requests.codes.unprocessable_entity:
            _require(answer)
        verdict: Json = answer.json()
        return verdict

    def confirm(self, number: int) -> Json:
        """How far a submission is, which is queued by then."""
        return self._call_json("POST", f"submissions/{number}/confirm")

    def send_hashes(self, method: str, hashes: str) -> None:
        """Send what `vocparty hashes` says of the images that a method learned from."""
        _require(self._call("POST", "hashes", params={"method": method}, data=hashes.encode()))

    def cancel(self, number: int) -> Json:
        """How far a submission is, which is let go."""
        return self._call_json("POST", f"submissions/{number}/cancel")

    def follow(self, number: int) -> Json:
        """How far a submission is."""
        return self._call_json("GET", f"submissions/{number}")

    def publish(self, number: int) -> None:
        """Show a scored submission on the board."""
        self.submit(f"/submissions/{number}/publish")

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def _call_json(self, method: str, path: str) -> Json:
        answer = self._call(method, path)
        _require(answer)
        document: Json = answer.json()
        return document

    def _call(self, method: str, path: str, **more: Any) -> requests.Response:
        """The answer to a program that has the team's link."""
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.base_url}/api/v1/{path}"
        return self.http.request(method, url, headers=headers, timeout=TIMEOUT_SECS, **more)

    def _send(self, method: str, path: str, **more: Any) -> requests.Response:
        answer = self.http.request(method, self.base_url + path, timeout=TIMEOUT_SECS, **more)
        _require(answer)
        return answer


def _require(answer: requests.Response) -> None:
    """Raise RefusedError where the server refused."""
    if not answer.ok:
        raise RefusedError(answer.status_code, "refused", answer.text[:200])


def pack_folder(folder: Path) -> bytes:
    """A tar.gz of a folder of results, as `tar czf` writes it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(folder, arcname=folder.name)
    return packed.getvalue()
