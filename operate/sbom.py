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
    found: dict[str, Distribution] = {}
    needs: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        key = _key(waiting.pop())
        if key in found:
            continue
        try:
            found[key] = distribution(key)
        except PackageNotFoundError:  # of another system, or an extra that is not installed
            continue
        words = (_NAME.match(one) for one in found[key].requires or [])
        needs[key] = sorted({_key(word[0]) for word in words if word})
        waiting += needs[key]
    parts = {key: _describe(it) for key, it in sorted(found.items())}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**parts.pop(_key(name)), "type": "application"}},
        "components": list(parts.values()),
        "dependencies": [
            {
                "ref": _ref(found[key]),
                "dependsOn": [_ref(found[it]) for it in needs[key] if it in found],
            }
            for key in sorted(found)
        ],
    }


def find_licence(found: Distribution) -> str:
    """The licence as the distribution says it, "" where it says none."""
    expressions = found.metadata.get_all("License-Expression") or []
    classifiers = found.metadata.get_all("Classifier") or []
    named = [it.removeprefix(_CLASSIFIER) for it in classifiers if it.startswith(_CLASSIFIER)]
    texts = found.metadata.get_all("License") or [""]
    return ", ".join(expressions or named) or texts[0].strip().partition("\n")[0]


def _describe(found: Distribution) -> dict[str, Any]:
    ref = _ref(found)
    told = {"type": "library", "name": found.metadata["Name"], "version": found.version}
    licence = find_licence(found)
    licences = {"licenses": [{"license": {"name": licence}}]} if licence else {}
    return {**told, "bom-ref": ref, "purl": ref, **licences}


def _ref(found: Distribution) -> str:
    return f"pkg:pypi/{_key(found.metadata['Name'])}@{found.version}"


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(make_sbom(), indent=2) + "\n")
