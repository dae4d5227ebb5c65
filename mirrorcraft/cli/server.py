"""The verbs about real servers: fetch the jar, generate a world, compare with the simulator."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mirrorcraft.cli.files import write_asked

if TYPE_CHECKING:
    from mirrorcraft.server.wanted import Wanted


def fetch(jar: str | None) -> int:
    """Download Mojang's server jar of 1.19, checked; 0 when it is in place."""
    from mirrorcraft.server import vanilla

    target = Path(jar) if jar else vanilla.default_jar()
    vanilla.fetch(target)
    print(f"{target} has the sha1 {vanilla.SHA1}")
    return 0


def wanted(server: str, jar: str | None, accept_eula: bool, transport: str) -> "Wanted":
    """Return the server that the options of a command ask for."""
    from mirrorcraft.server.wanted import Wanted

    through = "process" if transport == "process" else "bridge"
    return Wanted(server, Path(jar) if jar else None, None, accept_eula, through)


def generate(biome: str, seed: int, out: str, jar: str | None, accept_eula: bool) -> int:
    """Have the real game generate a world, and write it as a save; 0 when it is there."""
    from mirrorcraft.core.biome import BiomeSpec
    from mirrorcraft.server.generate import generate

    spec = BiomeSpec.load(biome)
    generate(spec, seed, Path(out), jar=Path(jar) if jar else None, accept_eula=accept_eula)
    print(out)
    return 0


def conform(
    server: str,
    jar: str | None,
    accept_eula: bool,
    transport: str,
    quick: bool,
    json_file: str | None,
    worlds: list[str] | None,
    parts: list[str] | None,
    suites: list[str] | None,
    jobs: int,
) -> int:
    """Compare a server with the simulator and print what differs; 1 if anything does."""
    from mirrorcraft.server import conform as suite
    from mirrorcraft.server.squid import SquidServer
    from mirrorcraft.server.stage import FAST, ServerStage

    asked = wanted(server, jar, accept_eula, transport)
    fast = partial(SquidServer, ticks=FAST) if server == "squid" else asked.maker()
    servers = suite.Servers(
        server, lambda: ServerStage(fast, transport=asked.transport), asked.backend
    )
    result = suite.conform(
        servers,
        quick=quick,
        worlds=worlds or ["plains-a"],
        parts=parts or (("cases",) if quick else ("cases", "sequences", "episodes")),
        only=suites or (),
        jobs=jobs,
        told=lambda line: print(line, file=sys.stderr, flush=True),
    ).as_dict()
    if json_file:
        write_asked(json_file, json.dumps(result, indent=1) + "\n")
    for d in result["differences"]:
        print(f"DIFFERS {d.pop('rules')} {d.pop('case')}")
        for who, said in d.items():
            print(f"  {who:9} {said}")
    for s in result["skipped"]:
        print(f"SKIPPED {s['rules']} {s['case']}: {s['why']}")
    kinds = ", ".join(f"{n} {kind}" for kind, n in result["by_kind"].items())
    print(f"{server}: {result['agree']} of {result['cases']} agree ({kinds})")
    return 1 if result["differences"] or result["skipped"] else 0
