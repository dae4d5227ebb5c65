"""The verbs about rules, worlds and their specifications."""

from mirrorcraft.cli.arguments import Verbs, as_json, natural, new_group, new_verb


def add_rules(verbs: Verbs) -> None:
    """Add ``rules``, ``world`` and ``design``."""
    _add_rules(verbs)
    _add_worlds(verbs)
    _add_design(verbs)


def _add_rules(verbs: Verbs) -> None:
    asks = new_group(verbs, "rules", "the rulebook at one's fingertips", "QUESTION")
    for name, does in (
        ("check", "check manifests, and that every task can still be finished"),
        ("show", "list what each suite changes, by rule id"),
        ("describe", "print the rule sheet in plain English"),
    ):
        run = "check_suites" if name == "check" else name
        verb = new_verb(asks, name, f"rules:{run}", does)
        verb.add_argument(
            "suites",
            nargs="*",
            metavar="SUITE",
            help="a suite or a manifest file (default: all suites)",
        )
        as_json(verb)
    craft = new_verb(asks, "craft", "rules:craft", "say what a grid crafts")
    craft.add_argument(
        "grid",
        metavar="GRID",
        help='rows as JSON, or as text: "oak_planks,/oak_planks," (an empty cell is empty)',
    )
    drops = new_verb(
        asks, "drops", "rules:drops", "say what a broken block drops, as an exact distribution"
    )
    drops.add_argument("block", metavar="BLOCK")
    drops.add_argument(
        "--tool", metavar="ITEM", help="what it is broken with (default: the bare hand)"
    )
    drops.add_argument("--silk-touch", action="store_true")
    drops.add_argument(
        "--fortune", type=natural, default=0, metavar="N", help="level of Fortune (default: 0)"
    )
    smelt = new_verb(asks, "smelt", "rules:smelt", "say what a station makes of an item")
    smelt.add_argument("item", metavar="ITEM")
    smelt.add_argument(
        "--station", default="furnace", help="furnace, blast_furnace or smoker (default: furnace)"
    )
    route = new_verb(asks, "route", "rules:route", "print a plan that finishes a task")
    route.add_argument("task", metavar="TASK")
    build = new_verb(asks, "build", "design:build", "write a suite's datapack for the 1.19 game")
    build.add_argument("suite", metavar="SUITE", help="a suite or a manifest file")
    build.add_argument("--out", required=True, metavar="PACK.zip")
    audit = new_verb(asks, "audit", "design:audit", "print the static report of a manifest")
    audit.add_argument("manifest", metavar="MANIFEST", help="a suite or a manifest file")
    audit.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    as_json(audit)
    prove = new_verb(
        asks, "prove", "prove:prove", "say what holds of a suite, with counterexamples"
    )
    prove.add_argument("file", metavar="FILE", help="a suite, a manifest file, or a pack")
    prove.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    prove.add_argument("--pack", metavar="PACK", help="what a server plays for this manifest")
    as_json(prove)
    for verb in (craft, drops, smelt, route):
        verb.add_argument(
            "--suite", default="vanilla", help="vanilla (default), a suite or a manifest file"
        )
        as_json(verb)


def _add_worlds(verbs: Verbs) -> None:
    asks = new_group(verbs, "world", "worlds, saves and biome packs", "VERB")
    build = new_verb(asks, "build", "world:build", "make worlds ready in the cache")
    build.add_argument("worlds", nargs="*", metavar="WORLD", help="default: all")
    as_json(build)
    show = new_verb(asks, "show", "world:show", "draw a world, or a save, as an SVG")
    show.add_argument("world", metavar="WORLD", help="a world's name, or the folder of a save")
    show.add_argument("--section", type=int, metavar="Z", help="cut along z instead of from above")
    show.add_argument("--out", metavar="FILE", help="where to (default: WORLD-map.svg)")
    export = new_verb(asks, "export", "world:export", "write a world as a save of the 1.19 game")
    export.add_argument("world", metavar="WORLD")
    export.add_argument("--out", required=True, metavar="DIR", help="the new save's folder")
    export.add_argument(
        "--pack", action="append", default=[], dest="packs", metavar="PACK",
        help="a datapack to enable in it; the last one is the strongest",
    )  # fmt: skip
    import_ = new_verb(asks, "import", "world:import_", "read a save, and say what is in it")
    import_.add_argument("save", metavar="DIR", help="the folder of a save")
    import_.add_argument("--out", metavar="FILE", help="write the world's record here")
    as_json(import_)
    pack = new_verb(asks, "pack", "world:pack", "write the datapack that generates a biome")
    pack.add_argument("biome", metavar="BIOME", help="a biome's name, or a spec file (.json)")
    pack.add_argument("--out", required=True, metavar="PACK.zip")


def _add_design(verbs: Verbs) -> None:
    asks = new_group(verbs, "design", "draw specifications", "VERB")
    sample = new_verb(asks, "sample", "design:sample", "draw a valid specification from a seed")
    sample.add_argument("--kind", required=True, choices=("biome", "mirror"))
    sample.add_argument("--seed", required=True, type=natural, metavar="N")
    sample.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    sample.add_argument("--out", metavar="FILE", help="default: the terminal")
