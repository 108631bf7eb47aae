"""The OpenAPI document, and the application tested with generated requests."""

from __future__ import annotations  # examples are drawn by the test's signature

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from annotate_ui.api.openapi import make_document
from catalog.party import open_party
from catalog.states import Role

from .house import API, House

if TYPE_CHECKING:
    from schemathesis.specs.openapi.schemas import OpenApiSchema

EXAMPLES = 3
"""For each route; a run finds little with more, and all routes take 20 s."""


@pytest.fixture(scope="module")
def served(party_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("openapi") / "party"
    shutil.copytree(party_template, folder)
    with open_party(folder) as party:
        house = House(party)
        house.add_images(3)
        yield house


@pytest.fixture(scope="module")
def signed_in(served: House) -> dict[str, dict[str, str]]:
    """Cookie and token of an organiser, who may call every route."""
    browser = served.enter(served.add_person("olga", Role.ORGANISER))
    cookie = browser.http.get_cookie("vocparty")
    assert cookie is not None
    return {"cookies": {"vocparty": cookie.value}, "headers": {"X-CSRFToken": browser.csrf_token}}


@pytest.fixture(scope="module")
def document(served: House) -> OpenApiSchema:
    """The document without its parts on signing in, which every request does anyway."""
    import schemathesis  # it takes seconds, and each process of tests imports this module

    raw = make_document(served.app)
    for path in raw["paths"].values():
        for operation in path.values():
            operation.pop("security", None)
    schema = schemathesis.openapi.from_dict(raw)
    schema.app = served.app
    return schema


def has_right_body(document: OpenApiSchema, case: Any) -> bool:
    """Whether nothing but the body was to be wrong, and the document allows it after all."""
    import jsonschema_rs
    from schemathesis import GenerationMode

    places = case.meta.components.items()
    wrong = [place.value for place, info in places if info.mode is GenerationMode.NEGATIVE]
    operation = document.raw_schema["paths"][case.operation.path][case.operation.method.lower()]
    if wrong != ["body"] or "requestBody" not in operation:
        return False
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": document.raw_schema["components"]}
    try:
        return bool(jsonschema_rs.validator_for(whole).is_valid(case.body))
    except (TypeError, ValueError):  # no value of JSON
        return False


@pytest.mark.parametrize("data", ["positive", "negative"])
def test_every_route_answers_as_the_openapi_document_says(
    document: OpenApiSchema, signed_in: dict[str, dict[str, str]], data: str
) -> None:
    import schemathesis
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi import checks

    mode = schemathesis.GenerationMode(data)
    asked = [
        schemathesis.checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
    ]
    faults = []
    for result in document.get_all_operations():
        operation = result.ok()  # type: ignore[union-attr]

        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def attack(case: Any) -> None:
            if data == "negative" and has_right_body(document, case):
                return  # what was changed at random left it right
            case.validate_response(case.call(**signed_in), checks=asked)

        try:
            attack()
        except Unsatisfiable:
            assert data == "negative"  # nothing of it can be wrong
        except (Exception, FailureGroup) as fault:
            failures = fault.exceptions if isinstance(fault, FailureGroup) else [fault]
            faults += [f"{operation.label}: {failure}" for failure in failures]
    assert not faults, "\n".join(faults)


def test_the_openapi_document_names_every_route_body_and_role(house: House) -> None:
    openapi = house.ann().get(f"{API}/openapi.json").get_json()
    save = openapi["paths"][f"{API}/images/{{image_id}}/revisions"]["post"]
    body = save["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/RevisionBody"}
    assert openapi["components"]["schemas"]["RevisionBody"]["additionalProperties"] is False
    assert save["x-roles"] == ["annotator", "checker", "organiser"]
    assert openapi["paths"][f"{API}/wall"]["get"]["x-roles"] == ["organiser"]
    rules = {rule.rule for rule in house.app.url_map.iter_rules() if rule.rule.startswith(API)}
    assert len(openapi["paths"]) == len(rules)
