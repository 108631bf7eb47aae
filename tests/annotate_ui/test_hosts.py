"""A Host that can be no server's gets 400, on every route, and never an error of the server."""

import pytest

from tests.annotate_ui.house import House


@pytest.mark.parametrize(
    "host",
    [
        "a..b",
        f"{'x' * 64}.org",
        "a b",
        "ex\xe4mple.org",
        "[::1",
        "[abcd]:80",
        "[10.0.0.7]",
        "a:b:c",
        "-a.org",
        "a/b",
        "",
    ],
)
def test_a_malformed_host_is_refused_on_every_page(house: House, host: str) -> None:
    browser = house.stranger()
    for path in ("/healthz", "/join", "/", "/api/v1/session", "/nowhere"):
        answer = browser.http.get(path, headers={"Host": host})
        assert (answer.status_code, "Host" in answer.text) == (400, True), path
