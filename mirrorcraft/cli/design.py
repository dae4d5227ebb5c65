"""The commands ``rules build``, ``rules audit`` and ``design sample``: specifications and what becomes of them."""

import json
from pathlib import Path

from mirrorcraft.cli.files import write_asked
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.study.plan import rules_for


def build(suite: str, out: str) -> int:
    """Write the datapack that makes a 1.19 server play by a suite."""
    from mirrorcraft.datapack import build as build_pack

    build_pack(rules_for(suite)).write_zip(out)
    print(out)
    return 0


def audit(manifest: str, tasks: list[str] | None, as_json: bool) -> int:
    """Print the static report of a manifest; 1 if it is not sound."""
    from mirrorcraft.core.static_report import audit_manifest

    found = audit_manifest(RuleManifest.load(manifest), tasks)
    print(json.dumps(found.to_json(), indent=1) if as_json else "\n".join(found.lines()))
    return 0 if found.ok else 1


def sample(kind: str, seed: int, tasks: list[str] | None, out: str | None) -> int:
    """Print, or write, a specification drawn from a seed: the same one every time."""
    from mirrorcraft.core.sample import sample_biome, sample_mirror

    if kind == "mirror":
        text = sample_mirror(seed, tasks).to_json()
    else:
        text = sample_biome(seed, tasks).model_dump_json(indent=2)
    if out is None:
        print(text)
    else:
        write_asked(Path(out), text.rstrip("\n") + "\n")
        print(out)
    return 0
