"""The command ``rules prove``: the property suite of ``mirrorcraft.testing`` on one suite or pack."""

import json


def prove(file: str, tasks: list[str] | None, pack: str | None, as_json: bool) -> int:
    """Print what holds of a suite and what a counterexample looks like; 1 if there is a fault."""
    from mirrorcraft.datapack import Datapack
    from mirrorcraft.testing import prove as prove_suite

    proof = prove_suite(file, tasks, Datapack.load(pack) if pack else None)
    print(json.dumps(proof.to_json(), indent=1) if as_json else proof)
    return 0 if proof.ok else 1
