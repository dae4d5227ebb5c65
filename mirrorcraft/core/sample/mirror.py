"""The sampler of rule manifests: two to six changes on the routes of the selected tasks, all still solvable."""

from collections.abc import Callable, Collection
from typing import Any

from mirrorcraft.core import routes
from mirrorcraft.core.errors import MirrorcraftError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.operators import OPERATORS
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.sample.catalog import BLOCK_OF, NUGGET_OF, Catalog, Target, catalog
from mirrorcraft.core.sample.draws import Draws, selected
from mirrorcraft.core.static_report import relevant
from mirrorcraft.core.task import Task

Json = dict[str, Any]
FEWEST, MOST = 2, 6  # changes in a manifest (paper v1, appendix G)
# A plan's length against vanilla's: beyond these a change is a shortcut or a scarcity too far.
SHORTEST, LONGEST = 0.3, 3.0
ATTEMPTS = 200


def sample_mirror(seed: int, tasks: Collection[str] | None = None) -> RuleManifest:
    """Return a valid manifest; the same one for the same seed and tasks, in any process.

    Every change touches a route of a selected task, and every selected task can still be finished
    within its budget, by a plan from ``SHORTEST`` to ``LONGEST`` times as long as vanilla's. A
    draw that fails this is drawn again, by its number.

    Args:
        seed: 0 or more.
        tasks: tasks whose routes may change and must stay open; None is all of them.

    Raises:
        InputError: the seed is negative, or there are no tasks.
        UnknownNameError: there is no such task.
    """
    names = selected(seed, tasks)
    for attempt in range(ATTEMPTS):
        draws = Draws("mirror sample", seed, *names, attempt)
        changes = _changes(draws, catalog(names))
        manifest = {
            "schema_version": "1.0",
            "kind": "mirror",
            "id": f"S{seed}",
            "title": f"Sample {seed}",
            "game_version": "1.19",
            "changes": changes,
        }
        sampled = RuleManifest.model_validate(manifest)
        if _acceptable(sampled, [Task.load(name) for name in names]):
            return sampled
    raise MirrorcraftError(f"no acceptable manifest in {ATTEMPTS} draws of seed {seed} for {names}")


def _acceptable(manifest: RuleManifest, tasks: list[Task]) -> bool:
    """Return whether each task keeps a plan within the bounds, and each change is relevant to one."""
    vanilla = Rulebook.vanilla(manifest.game_version)
    mirror = vanilla.apply(manifest)
    for task in tasks:
        usual, route = routes.check(vanilla, task), routes.check(mirror, task)
        bounded = SHORTEST * usual.actions <= route.actions <= LONGEST * usual.actions
        if not (route.ok and bounded and route.actions <= task.budget):
            return False
    return all(any(relevant(c, task, vanilla, mirror) for task in tasks) for c in mirror.changes)


def _changes(draws: Draws, known: Catalog) -> list[Json]:
    wanted = draws.between(FEWEST, MOST)
    changes: list[Json] = []
    taken: set[tuple[str, str]] = set()
    while len(changes) < wanted:
        op = draws.pick(_BALLOT)
        targets = [t for t in known.targets(op) if (t.kind, t.key) not in taken]
        if not targets:
            continue
        target = draws.pick(targets)
        fields = _DRAWN[op](draws, known, target)
        if fields is None:
            continue
        taken.add((target.kind, target.key))
        ident = f"{op}_{len(changes) + 1}"
        changes.append({"id": ident, "op": op, **target.fields, **fields})
    return changes


def _recipe_count(draws: Draws, known: Catalog, target: Target) -> Json | None:
    most = min(known.stack(target.item), max(4, 2 * target.made))
    options = [n for n in range(1, most + 1) if n != target.made]
    return {"count": draws.pick(options)} if options else None


def _result(draws: Draws, known: Catalog, target: Target) -> Json | None:
    nugget = NUGGET_OF.get(target.item)
    if nugget and draws.percent(40):
        return {"result": nugget, "count": draws.between(2, 8)}
    later = known.later_than(target.item)
    return {"result": draws.pick(later)} if later else None


def _processing_count(draws: Draws, known: Catalog, target: Target) -> Json:
    return {"count": draws.between(2, 4)}


def _drops_replaced(draws: Draws, known: Catalog, target: Target) -> Json | None:
    later = known.later_than(target.item)
    if target.item in BLOCK_OF and draws.percent(30):
        drop: Json = {"item": BLOCK_OF[target.item]}
    elif _may_multiply(target) and draws.percent(50):
        more = "{wood}_planks" if target.key == "#logs" else target.item
        drop = {"item": more, "count": draws.between(2, 4)}
    elif later:
        drop = {"item": draws.pick(later)}
    else:
        return None
    return {"drops": [drop], **_silk_touch(target)}


def _may_multiply(target: Target) -> bool:
    """Return whether a larger yield makes no more of what can be placed and broken again."""
    return target.is_ore or target.kind == "entity" or target.key == "#logs"


def _drops_added(draws: Draws, known: Catalog, target: Target) -> Json:
    item = draws.pick(known.outputs)
    count = draws.between(1, min(3, known.stack(item)))
    return {"drops": [{"item": item, "count": count}], **_silk_touch(target)}


def _silk_touch(target: Target) -> Json:
    return {"silk_touch": "keeps_vanilla"} if target.is_ore else {}


def _nothing(draws: Draws, known: Catalog, target: Target) -> Json:
    return {}


# What each operator still needs once its target is drawn.
_DRAWN: dict[str, Callable[[Draws, Catalog, Target], Json | None]] = {
    "recipe_count": _recipe_count,
    "recipe_result": _result,
    "recipe_removed": _nothing,
    "processing_result": _result,
    "processing_count": _processing_count,
    "processing_added": _result,
    "processing_removed": _nothing,
    "block_drops_replaced": _drops_replaced,
    "block_drops_added": _drops_added,
    "block_drops_removed": _nothing,
    "entity_loot_replaced": _drops_replaced,
    "entity_loot_added": _drops_added,
    "entity_loot_removed": _nothing,
}
assert _DRAWN.keys() == OPERATORS.keys()
# Removals seldom leave a route open, and few kinds of animals lie on one.
_BALLOT = tuple(
    op
    for op in _DRAWN
    for _ in range(1 if op.endswith("_removed") or op.startswith("entity") else 3)
)
