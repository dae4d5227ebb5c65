"""XENON's dependency graph: what is needed for what, as guessed at first and as seen since."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from mirrorcraft.agents.history import Transition
from mirrorcraft.core.ids import strip
from mirrorcraft.core.outcome import Reason

NODES = 32
_ACTIONS_SHOWN = 3
_EMPTY = (Reason.NO_RESULT, Reason.NO_OUTPUT)  # the action was possible, and nothing came of it


@dataclass
class Node:
    """One item, station or advancement.

    Attributes:
        requirements: id to the number needed.
        hint: how it might be had.
        verified: it was seen to come about; its requirements are what was used up then.
        revision_needed: what was supposed to bring it about did something else.
        inadmissible: left after repeated failure, until something new is gained.
        observed: the operations that were seen to bring it about, the latest last.
    """

    requirements: dict[str, int] = field(default_factory=dict)
    hint: str = ""
    verified: bool = False
    revision_needed: bool = False
    inadmissible: bool = False
    observed: list[str] = field(default_factory=list)


class DependencyGraph:
    """At most 32 nodes; what does not fit, or would close a circle, is left out.

    Args:
        root: the final advancement.
        given: the nodes of an initializer's answer; malformed parts are skipped.
    """

    def __init__(self, root: str, given: Iterable[Any] = ()):
        self.root = root
        self.nodes: dict[str, Node] = {root: Node()}
        for row in given:
            if not isinstance(row, dict) or not isinstance(row.get("item"), str):
                continue
            node = self._node(strip(row["item"]))
            if node is None:
                break
            node.hint = str(row.get("action_hint", ""))[:120]
            needs = row.get("requirements")
            for need in needs if isinstance(needs, list) else ():
                if isinstance(need, dict) and isinstance(need.get("item"), str):
                    count = need.get("count")
                    number = count if isinstance(count, int) and 0 < count <= 64 else 1
                    self._require(strip(row["item"]), strip(need["item"]), number)

    def observe(self, aim: str, reached: bool, step: Transition) -> bool:
        """Take in an outcome; return whether it contradicted the graph and corrected it."""
        delta = step.last["delta"]
        used = {i: -n for i, n in delta.items() if n < 0}
        made = [i for i, n in delta.items() if n > 0]
        new = step.after.progress["score"] > step.before.progress["score"]
        if new or any(i not in step.before.inventory for i in made):
            for node in self.nodes.values():
                node.inadmissible = False
        corrected = False
        if step.last["ok"] and step.last["skill"] in ("craft_grid", "smelt", "mine", "attack"):
            for item in made:
                corrected |= self._verify(item, used, step)
        contrary = bool(made) or step.last["reason"] in _EMPTY
        if not reached and contrary and aim in self.nodes and aim not in made:
            node = self.nodes[aim]
            corrected |= not node.revision_needed
            node.revision_needed = True
        return corrected

    def _verify(self, item: str, used: dict[str, int], step: Transition) -> bool:
        """Note how an item came about; return whether the guess was wrong about what it takes."""
        node = self._node(item)
        if node is None:
            return False
        guessed, before = node.requirements, step.before
        # Tools and stations are there and not used up; what was not even there is not needed.
        present = {*before.inventory, *before.facilities, *before.progress["done"]}
        kept = {i: n for i, n in guessed.items() if i not in used and i in present}
        wrong = bool(guessed) and guessed.keys() != {*used, *kept}
        node.requirements = {}
        for need, count in {**used, **kept}.items():
            self._require(item, need, count)
        node.verified, node.revision_needed = True, False
        if step.operation not in node.observed:
            node.observed = [*node.observed, step.operation][-_ACTIONS_SHOWN:]
        return wrong

    def leave(self, aim: str) -> None:
        """Take a node off the frontier until something new is gained."""
        node = self._node(aim)
        if node is not None and aim != self.root:
            node.inadmissible = True

    def frontier(self, holds: Callable[[str, int], bool], most: int = 6) -> list[str]:
        """Return the open nodes nearest to the root's requirements whose own requirements all hold.

        Args:
            holds: whether so many of an id are at hand.
            most: ids to return.
        """
        found: dict[str, None] = {}
        seen: set[str] = set()

        def visit(item: str) -> None:
            if item in seen or len(found) >= most:
                return
            seen.add(item)
            node = self.nodes.get(item, Node())
            open_needs = [i for i, n in node.requirements.items() if not holds(i, n)]
            for need in open_needs:
                visit(need)
            if not open_needs and item != self.root and not node.inadmissible:
                found[item] = None

        visit(self.root)
        return list(found)

    def shown(self) -> dict[str, Any]:
        """Return the graph as prompts show it."""
        rows = {}
        for item, node in self.nodes.items():
            row: dict[str, Any] = {"requires": node.requirements}
            row |= {"hint": node.hint} if node.hint and not node.verified else {}
            row |= {"verified": True, "observedActions": node.observed} if node.verified else {}
            row |= {"revisionNeeded": True} if node.revision_needed else {}
            row |= {"inadmissible": True} if node.inadmissible else {}
            rows[item] = row
        return {"root": self.root, "nodes": rows}

    def _node(self, item: str) -> Node | None:
        """Return the node of an id, a new one if there is room."""
        if item not in self.nodes and len(self.nodes) < NODES:
            self.nodes[item] = Node()
        return self.nodes.get(item)

    def _require(self, item: str, need: str, count: int) -> None:
        if need != item and not self._leads_to(need, item):
            self.nodes[item].requirements[need] = count

    def _leads_to(self, start: str, goal: str) -> bool:
        """Return whether ``start`` needs ``goal``, directly or not: the other direction would be a circle."""
        ahead, seen = [start], set()
        while ahead:
            item = ahead.pop()
            if item == goal:
                return True
            if item not in seen and item in self.nodes:
                seen.add(item)
                ahead += self.nodes[item].requirements
        return False
