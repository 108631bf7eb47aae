"""The pair of models that outlines what people click on: its set, and its files in the party."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of, write_whole
from catalog.party import OUTLINES_FOLDER, PartyData
from catalog.states import SuggestionKind
from catalog.tables import SuggestionSet
from work.suggest.values import SetInfo

from .limits import Limits

_FILES = ("encoder.onnx", "decoder.onnx")
_LIMITS = "limits.json"


@dataclass(frozen=True)
class KeptPair:
    """A pair of the party: its set, and where its files are, or would be, on this machine."""

    set_id: int
    name: str
    folder: Path

    @property
    def files(self) -> tuple[Path, Path]:
        """The encoder and the decoder."""
        encoder, decoder = (self.folder / name for name in _FILES)
        return encoder, decoder

    def read_limits(self) -> Limits | None:
        """What its processes may use; None where its files are not on this machine."""
        try:
            values = json.loads((self.folder / _LIMITS).read_text("utf-8"))
            limits = Limits(int(values["memory_bytes"]), float(values["secs"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return limits if all(path.is_file() for path in self.files) else None


def digest_pair(encoder: Path, decoder: Path) -> str:
    """One digest of both files; raises ModelError where one cannot be read."""
    from .opening import find_digest

    return digest_of(f"{find_digest(encoder)} {find_digest(decoder)}\n".encode())


def find_pair(session: Session, party: PartyData) -> KeptPair | None:
    """The newest pair that is switched on, or None."""
    shown = select(SuggestionSet).where(
        SuggestionSet.kind == SuggestionKind.OUTLINE, SuggestionSet.is_shown
    )
    row = session.scalar(shown.order_by(SuggestionSet.id.desc()).limit(1))
    if row is None:
        return None
    return KeptPair(row.id, f"{row.model} {row.version}", _find_folder(party, row.sha256))


def keep_pair(
    party: PartyData, files: tuple[Path, Path], info: SetInfo, limits: Limits, at: datetime
) -> int:
    """The number of the pair's set; its files are copied, and other pairs are switched off.

    A pair that the party has already is switched on.
    """
    folder = _find_folder(party, info.sha256)
    folder.mkdir(parents=True, exist_ok=True)
    for path, name in zip(files, _FILES, strict=True):
        if path.resolve() != (folder / name).resolve():
            write_whole(folder / name, path.read_bytes())
    write_whole(folder / _LIMITS, (json.dumps(asdict(limits)) + "\n").encode())
    with party.catalogue.writing() as session:
        pairs = select(SuggestionSet).where(SuggestionSet.kind == SuggestionKind.OUTLINE)
        rows = session.scalars(pairs).all()
        same = [row for row in rows if row.withdrawn_at is None and _is_of(row, info)]
        kept = same[0] if same else _make_set(info, at)
        session.add(kept)
        kept.switched_off_at = None
        others = [row for row in rows if row is not kept]
        for row in others:
            if row.withdrawn_at is None:
                row.switched_off_at = row.switched_off_at or at
        session.flush()
        set_id = kept.id
        digests = {row.sha256 for row in others} - {info.sha256}
    for sha256 in digests:
        shutil.rmtree(_find_folder(party, sha256), ignore_errors=True)
    return set_id


def _find_folder(party: PartyData, sha256: str) -> Path:
    return party.folder / OUTLINES_FOLDER / sha256[:12]


def _is_of(row: SuggestionSet, info: SetInfo) -> bool:
    said = (row.sha256, row.model, row.version, row.licence)
    return said == (info.sha256, info.model, info.version, info.licence)


def _make_set(info: SetInfo, at: datetime) -> SuggestionSet:
    return SuggestionSet(
        model=info.model,
        version=info.version,
        sha256=info.sha256,
        licence=info.licence,
        kind=SuggestionKind.OUTLINE,
        loaded_at=at,
    )
