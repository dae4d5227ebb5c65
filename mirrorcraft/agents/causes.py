"""ADAM's causal graph: which factors an action's effects were proposed, verified or rejected to depend on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.agents.history import Transition

NODES = 48
COMPARABLE = 2  # runs of one action with one outcome that make evidence
RUNS_SHOWN, GROUPS_SHOWN = 3, 8
CAUSE_TYPES = ("item", "station", "tool", "environment")
EFFECT_TYPES = ("item", "advancement", "facility")


@dataclass
class Group:
    """All runs of one grounded action.

    Attributes:
        skill: of the action.
        args: of the action.
        runs: initial, consumed and added items of each run, and whether it went well.
    """

    skill: str
    args: Mapping[str, Any]
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def comparable(self) -> int:
        """The number of runs whose outcome is that of the latest."""
        outcome = [(r["consumedItems"].keys(), r["addedItems"].keys()) for r in self.runs]
        return outcome.count(outcome[-1]) if outcome else 0


@dataclass
class Edge:
    """The causes and effects of one grounded action.

    Attributes:
        causes: (type, name) to count and status: ``hypothesized``, ``verified`` or ``rejected``.
        effects: (type, name) pairs.
    """

    causes: dict[tuple[str, str], dict[str, Any]]
    effects: list[tuple[str, str]]


class CausalGraph:
    """At most 48 nodes: the names that occur as causes or effects. Edges that would need more are left out."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.edges: dict[str, Edge] = {}

    def observe(self, step: Transition) -> bool:
        """Take in an outcome; return whether its action now has two comparable runs for the first time."""
        last = step.last
        group = self.groups.setdefault(step.operation, Group(last["skill"], last["args"]))
        before = group.comparable
        delta = last["delta"]
        named = {i for row in _rows(last["args"]) for i in row}
        initial = {i: n for i, n in step.before.inventory.items() if i in delta or i in named}
        group.runs.append(
            {
                "ok": last["ok"],
                "initialItems": initial,
                "consumedItems": {i: -n for i, n in delta.items() if n < 0},
                "addedItems": {i: n for i, n in delta.items() if n > 0},
            }
        )
        return before < COMPARABLE <= group.comparable and bool(delta)

    def samples(self) -> list[dict[str, Any]]:
        """Return the groups with an effect as the discovery prompt shows them, the latest last."""
        rows = [(k, g) for k, g in self.groups.items() if any(r["addedItems"] for r in g.runs)]
        return [
            {"sample_key": k, "skill": g.skill, "args": g.args, "runs": g.runs[-RUNS_SHOWN:]}
            for k, g in rows[-GROUPS_SHOWN:]
        ]

    def propose(self, rows: Iterable[Any]) -> int:
        """Take in the edges of a discovery answer, as hypotheses; return how many could be used.

        An edge of an unknown sample, or with an effect that none of its runs had, is left out; what an
        intervention has decided stays decided.
        """
        used = 0
        for row in rows:
            group = self.groups.get(row["sample_key"]) if _is_edge(row) else None
            if group is None:
                continue
            causes = {(c["type"], c["name"]): c for c in row["causes"] if _is_term(c, CAUSE_TYPES)}
            added = {i for r in group.runs for i in r["addedItems"]}
            effects = [
                (e["type"], e["name"])
                for e in row["effects"]
                if _is_term(e, EFFECT_TYPES) and (e["type"] != "item" or e["name"] in added)
            ]
            if not causes or not effects or not self._fits([*causes, *effects]):
                continue
            old = self.edges.get(row["sample_key"])
            decided = (
                {k: c for k, c in old.causes.items() if c["status"] != "hypothesized"}
                if old
                else {}
            )
            fresh = {k: {"count": _count(c), "status": "hypothesized"} for k, c in causes.items()}
            self.edges[row["sample_key"]] = Edge({**fresh, **decided}, effects)
            used += 1
        return used

    def _fits(self, terms: Iterable[tuple[str, str]]) -> bool:
        return len({*self.nodes(), *(name for _, name in terms)}) <= NODES

    def nodes(self) -> set[str]:
        """Return the names that occur in edges."""
        terms = (t for e in self.edges.values() for t in (*e.causes, *e.effects))
        return {name for _, name in terms}

    def decide(self, key: str, factor: str, *, needed: bool) -> None:
        """Note what an intervention showed about a factor of an action."""
        cause = self.edges[key].causes["item", factor]
        cause["status"] = "verified" if needed else "rejected"

    def shown(self) -> list[dict[str, Any]]:
        """Return the edges as prompts show them."""
        return [
            {
                "sample_key": key,
                "samples": len(self.groups[key].runs),
                "causes": [{"type": t, "name": n, **c} for (t, n), c in edge.causes.items()],
                "effects": [{"type": t, "name": n} for t, n in edge.effects],
            }
            for key, edge in self.edges.items()
        ]


def _rows(args: Mapping[str, Any]) -> list[list[str]]:
    """Return the item names in an action's arguments, row by row."""
    grid = args.get("grid")
    rows = grid if isinstance(grid, (list, tuple)) else [list(args.values())]
    return [
        [c for c in row if isinstance(c, str)] for row in rows if isinstance(row, (list, tuple))
    ]


def _is_edge(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("sample_key"), str)
        and isinstance(row.get("causes"), list)
        and isinstance(row.get("effects"), list)
    )


def _is_term(value: Any, types: tuple[str, ...]) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in types
        and isinstance(value.get("name"), str)
    )


def _count(cause: Mapping[str, Any]) -> int:
    count = cause.get("count", 1)
    return count if isinstance(count, int) and 0 < count <= 64 else 1
