"""The software that vocparty runs on, with licences, as a CycloneDX 1.6 document.

A release of the software carries it: `python -m operate.sbom > vocparty.cdx.json`, run where
requirements/run.lock is installed.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_CLASSIFIER = "License :: OSI Approved :: "


def make_sbom(name: str = "vocparty") -> dict[str, Any]:
    """The document of an installed distribution and of all that it needs and finds installed."""
    installed: dict[str, Distribution] = {}
    needs: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        key = _key(waiting.pop())
        if key in installed:
            continue
        try:
            installed[key] = distribution(key)
        except PackageNotFoundError:  # of another system, or an extra that is not installed
            continue
        words = (_NAME.match(requirement) for requirement in installed[key].requires or [])
        needs[key] = sorted({_key(word[0]) for word in words if word})
        waiting += needs[key]
    parts = {key: _describe(part) for key, part in sorted(installed.items())}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**parts.pop(_key(name)), "type": "application"}},
        "components": list(parts.values()),
        "dependencies": [
            {
                "ref": _ref(installed[key]),
                "dependsOn": [_ref(installed[part]) for part in needs[key] if part in installed],
            }
            for key in sorted(installed)
        ],
    }


def find_licence(package: Distribution) -> str:
    """The licence as the distribution says it, "" where it says none."""
    expressions = package.metadata.get_all("License-Expression") or []
    classifiers = package.metadata.get_all("Classifier") or []
    named = [text.removeprefix(_CLASSIFIER) for text in classifiers if text.startswith(_CLASSIFIER)]
    texts = package.metadata.get_all("License") or [""]
    return ", ".join(expressions or named) or texts[0].strip().partition("\n")[0]


def _describe(package: Distribution) -> dict[str, Any]:
    ref = _ref(package)
    plain = {"type": "library", "name": package.metadata["Name"], "version": package.version}
    licence = find_licence(package)
    licences = {"licenses": [{"license": {"name": licence}}]} if licence else {}
    return {**plain, "bom-ref": ref, "purl": ref, **licences}


def _ref(package: Distribution) -> str:
    return f"pkg:pypi/{_key(package.metadata['Name'])}@{package.version}"


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(make_sbom(), indent=2) + "\n")
