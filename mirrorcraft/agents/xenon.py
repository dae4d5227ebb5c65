"""XENON: a dependency graph and an action memory, corrected by outcomes (paper v2, appendix E)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from mirrorcraft.agents.aims import brought_about, holds, words
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.dependencies import NODES, DependencyGraph
from mirrorcraft.agents.history import Transition, as_json, operation
from mirrorcraft.agents.replies import Chosen
from mirrorcraft.agents.view import result_of
from mirrorcraft.core.ids import strip
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.rulebook import Rulebook

MEMORY, RETRIEVED = 32, 3
FAILURES = 2  # at one subgoal, for its node to be left and the frontier drawn anew
REJECTIONS = 2  # proposals of one turn that are sent back; the next one is run, whatever it is


class XenonAgent(ModelAgent):
    """Follows the frontier of a graph that starts as a guess and is corrected by what happens."""

    prompt = "xenon"

    def begin(self, rules: Rulebook | None) -> None:
        self.graph: DependencyGraph | None = None
        self.memory: list[dict[str, Any]] = []
        self.failures: Counter[str] = Counter()  # in a row, by subgoal
        self.subgoal = self.task.goal.id
        self.counts = dict.fromkeys(("corrections", "replans", "rejections"), 0)
        self._rejected: dict[str, Any] | None = None

    def notice(self, step: Transition) -> None:
        aim, graph = self.subgoal, self.graph
        if graph is None:
            return
        reached = brought_about(aim, step)
        self._remember(aim, reached, step)
        self.counts["corrections"] += graph.observe(aim, reached, step)
        if reached:
            self.failures.pop(aim, None)
        elif not step.last["ok"] or step.last["delta"]:
            self.failures[aim] += 1
        if self.failures[aim] >= FAILURES:
            self.failures.pop(aim)
            self.counts["replans"] += 1
            graph.leave(aim)

    def decide(self, now: Observation) -> Chosen:
        if self.graph is None:
            self.graph = self._initial(now)
        chosen = self._propose(now, self.graph)
        for _ in range(REJECTIONS):
            self._rejected = self._objection(chosen)
            if self._rejected is None:
                break
            self.counts["rejections"] += 1
            chosen = self._propose(now, self.graph)
        self._rejected = None
        return chosen

    def _propose(self, now: Observation, graph: DependencyGraph) -> Chosen:
        chosen = self.session.action("action", self.request(now))
        self.subgoal = strip(str(chosen.fields.get("subgoal") or graph.root))
        return chosen

    def extra(self, now: Observation) -> Mapping[str, Any]:
        frontier = self._frontier(now)
        return {
            "frontier": frontier,
            "graph": self.graph.shown() if self.graph else {},
            "memory": self._retrieve(frontier),
            "rejected": self._rejected,
        }

    def mechanisms(self) -> dict[str, Any]:
        return {**self.counts, "nodes": len(self.graph.nodes) if self.graph else 0}

    def _initial(self, now: Observation) -> DependencyGraph:
        prompt = "xenon_initializer"
        answer = self.ask_object("initialize", now, _is_graph, prompt, max_nodes=NODES)
        return DependencyGraph(self.task.goal.id, (answer or {}).get("nodes", []))

    def _frontier(self, now: Observation) -> list[str]:
        if self.graph is None:
            return [self.task.goal.id]
        return self.graph.frontier(lambda aim, n: holds(aim, now, n)) or [self.graph.root]

    def _objection(self, chosen: Chosen) -> dict[str, Any] | None:
        """Return why a proposal is sent back: it failed for this subgoal, and nothing that matters changed since."""
        action = chosen.action
        if action is None or not self.history.is_blocked(action.skill, action.args):
            return None
        key = operation(action.skill, action.args)
        if not any(
            m["invalid"] and m["subgoal"] == self.subgoal and m["action"] == key
            for m in self.memory
        ):
            return None
        return {
            "subgoal": self.subgoal,
            "skill": action.skill,
            "args": dict(action.args),
            "reason": "failed for this subgoal, and its prerequisite is unchanged",
        }

    def _remember(self, aim: str, reached: bool, step: Transition) -> None:
        entry = {
            "subgoal": aim,
            "action": step.operation,
            "reached": reached,
            "invalid": not reached and (not step.last["ok"] or bool(step.last["delta"])),
            **result_of(step.last),
            "step": step.number,
        }
        same = [m for m in self.memory if (m["subgoal"], m["action"]) == (aim, step.operation)]
        for old in same:
            self.memory.remove(old)
        self.memory = [*self.memory, entry][-MEMORY:]

    def _retrieve(self, frontier: list[str]) -> list[dict[str, Any]]:
        wanted = words(as_json(frontier))
        latest_first = reversed(self.memory)
        return sorted(latest_first, key=lambda m: -len(wanted & words(as_json(m["subgoal"]))))[
            :RETRIEVED
        ]


def _is_graph(answer: dict[str, Any]) -> bool:
    return isinstance(answer.get("nodes"), list) and bool(answer["nodes"])
