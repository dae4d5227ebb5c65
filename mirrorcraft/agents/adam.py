"""ADAM: a causal graph, discovery from samples, and a few interventions (paper v2, appendix E)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mirrorcraft.agents.aims import brought_about, holds, words
from mirrorcraft.agents.causes import CausalGraph
from mirrorcraft.agents.configured import ModelAgent
from mirrorcraft.agents.history import Transition, operation
from mirrorcraft.agents.model import Messages
from mirrorcraft.agents.replies import Chosen
from mirrorcraft.agents.view import result_of, shortened
from mirrorcraft.core.action import Action
from mirrorcraft.core.data import body
from mirrorcraft.core.ids import strip
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Reason
from mirrorcraft.core.rulebook import Rulebook

MEMORY, SUBGOALS = 32, 8
PROBES, NO_PROBES_IN_LAST = 2, 12  # probes an episode; actions at its end without any
MEMORY_SHOWN, COMPACT_GROUPS = 8, 3
# The paper leaves open when a plan is made anew and when a dependency blocks; these are ours.
REPLAN_FAILURES, REPLAN_ACTIONS = 2, 16
BLOCKED_AFTER = 6  # actions without a new kind of item or Score
REJECTIONS = 2  # actions of one turn that are sent back; the next one is run, whatever it is


class Probe(NamedTuple):
    """An intervention: an action of the graph with one factor left out.

    Attributes:
        key: the action's sample key.
        factor: the item left out.
        action: what is run.
    """

    key: str
    factor: str
    action: Action


class AdamAgent(ModelAgent):
    """Plans over causes, learns edges from comparable samples, and tests uncertain ones."""

    prompt = "adam"

    def begin(self, rules: Rulebook | None) -> None:
        self.graph = CausalGraph()
        self.memory: list[dict[str, Any]] = []
        self.plan: list[dict[str, Any]] = []
        self.subgoal = ""
        self.probes: list[Probe] = []
        self.counts = dict.fromkeys(("plans", "discoveries", "edges", "rejections"), 0)
        self._probe: Probe | None = None  # under way
        self._probed: set[tuple[str, str]] = set()
        self._planned_at: int | None = None
        self._samples_due = False
        self._failures = 0  # in a row
        self._rejected: dict[str, Any] | None = None

    def notice(self, step: Transition) -> None:
        probe, self._probe = self._probe, None
        if probe is not None and (step.last["ok"] or step.last["reason"] == Reason.NO_RESULT):
            made = {i for i, n in step.last["delta"].items() if n > 0}
            effects = {n for t, n in self.graph.edges[probe.key].effects if t == "item"}
            self.graph.decide(probe.key, probe.factor, needed=not made & effects)
        self._samples_due |= self.graph.observe(step)
        self._failures = 0 if step.last["ok"] else self._failures + 1
        reached = bool(self.subgoal) and brought_about(self.subgoal, step)
        before = {i: step.before.inventory.get(i, 0) for i in step.last["delta"]}
        entry = {
            "step": step.number,
            "action": step.operation,
            "subgoal": self.subgoal,
            "before": before,
            **result_of(step.last),
            "reached": reached,
        }
        self.memory = [*self.memory, entry][-MEMORY:]

    def decide(self, now: Observation) -> Chosen:
        if self._samples_due:
            self._samples_due = False
            self._discover(now)
        self._tick_off(now)
        if self._plan_is_due():
            self._make_plan(now)
        probe = self._intervention(now)
        if probe is not None:
            self._probe = probe
            self.probes.append(probe)
            self._probed.add((probe.key, probe.factor))
            self.subgoal = ""
            return Chosen(probe.action, {"thought": f"probe without {probe.factor}"}, None, "")
        return self._act(now)

    def extra(self, now: Observation) -> Mapping[str, Any]:
        aims = words(" ".join(e["target"] for e in self.plan if not e["completed"]))
        near = [m for m in self.memory if aims & words(m["action"] + " " + m["subgoal"])]
        shown = [m for m in self.memory if m in near or m in self.memory[-MEMORY_SHOWN // 2 :]]
        return {
            "plan": self.plan,
            "graph": self.graph.shown(),
            "memory": shown[-MEMORY_SHOWN:],
            "rejected": self._rejected,
            "max_subgoals": SUBGOALS,
        }

    def mechanisms(self) -> dict[str, Any]:
        return {**self.counts, "probes": len(self.probes), "nodes": len(self.graph.nodes())}

    # ---- the causal module
    def _discover(self, now: Observation) -> None:
        def render(compact: bool, unusable: str | None) -> Messages:
            groups = self.graph.samples()
            short = None if unusable is None else shortened(unusable)
            fields = {
                "groups": groups[-COMPACT_GROUPS:] if compact else groups,
                "unreadable": short,
            }
            return self.request(now, "adam_discovery", **fields)(compact)

        answer = self.session.object("discovery", render, _has("edges"))
        self.counts["discoveries"] += 1
        self.counts["edges"] += self.graph.propose(answer["edges"]) if answer else 0

    def _intervention(self, now: Observation) -> Probe | None:
        """Return the probe to run now: an uncertain factor of an action that what is wanted depends on."""
        if len(self.probes) >= PROBES or now.budget["left"] <= NO_PROBES_IN_LAST:
            return None
        stuck = self.history.steps_without_gain() >= BLOCKED_AFTER
        if not stuck and self._failures < REPLAN_FAILURES:
            return None
        wanted = {e["target"] for e in self.plan if not e["completed"]}
        wanted |= {
            i for b in self.history.still_blocked() for i in b["prerequisite"].get("missing", {})
        }
        for key, edge in self.graph.edges.items():
            involved = {n for _, n in (*edge.effects, *edge.causes)}
            if self.graph.groups[key].skill != "craft_grid" or not involved & wanted:
                continue
            for (kind, factor), cause in edge.causes.items():
                uncertain = kind == "item" and cause["status"] == "hypothesized"
                if uncertain and (key, factor) not in self._probed:
                    action = self._without(self.graph.groups[key].args, factor, now)
                    if action is not None:
                        return Probe(key, factor, action)
        return None

    def _without(self, args: Mapping[str, Any], factor: str, now: Observation) -> Action | None:
        """Return a craft with one item left out and all else as it was, None if it cannot be run now."""
        grid = [[None if cell == factor else cell for cell in row] for row in args["grid"]]
        cells = [cell for row in grid for cell in row if cell]
        station = args["station"]
        owned = all(now.inventory.get(i, 0) >= cells.count(i) for i in cells)
        near = station == "inventory" or station in now.facilities
        if not cells or not owned or not near or grid == args["grid"]:
            return None
        return Action("craft_grid", {"station": station, "grid": grid})

    # ---- the planner
    def _plan_is_due(self) -> bool:
        number = len(self.history.transitions)
        if self._planned_at is None:
            return True
        if all(e["completed"] for e in self.plan):
            return number > self._planned_at
        failing = self._failures > 0 and self._failures % REPLAN_FAILURES == 0
        return (
            failing and number > self._planned_at
        ) or number - self._planned_at >= REPLAN_ACTIONS

    def _make_plan(self, now: Observation) -> None:
        self._planned_at = len(self.history.transitions)
        self.counts["plans"] += 1
        answer = self.ask_object("plan", now, _has("subgoals"), "adam_planner")
        rows = [
            g
            for g in (answer or {"subgoals": []})["subgoals"]
            if isinstance(g, dict) and isinstance(g.get("target"), str)
        ]
        self.plan = [
            {
                "target": strip(g["target"]),
                "reason": shortened(str(g.get("reason", ""))),
                "completed": holds(g["target"], now),
            }
            for g in rows[:SUBGOALS]
        ]

    def _tick_off(self, now: Observation) -> None:
        for entry in self.plan:
            entry["completed"] = entry["completed"] or holds(entry["target"], now)

    # ---- the actor
    def _act(self, now: Observation) -> Chosen:
        chosen = self._ask(now)
        for _ in range(REJECTIONS):
            action = chosen.action
            # What failed once may be worth one more try; what failed twice and did not change is not.
            if action is None or not self.history.is_blocked(action.skill, action.args, failures=2):
                break
            self.counts["rejections"] += 1
            rejected = operation(action.skill, action.args)
            chosen = self._ask(
                now, {"action": rejected, "reason": "failed before, and nothing changed since"}
            )
        self.subgoal = strip(str(chosen.fields.get("subgoal", "")))
        return chosen

    def _ask(self, now: Observation, rejected: dict[str, Any] | None = None) -> Chosen:
        """Return the actor's action: asked, asked again with what was wrong, asked in the fallback."""
        session = self.session
        for _ in range(body()["max_invalid_replies"]):
            self._rejected = rejected
            text, chosen = session.read("action", self.request(now))
            if chosen.action is None:
                self._rejected = {"reason": "invalid_action_json", "problem": chosen.problem, "reply": shortened(text)}  # fmt: skip
                _, chosen = session.read("action repair", self.request(now), again=True)
            if chosen.action is None:
                self._rejected = {"reason": "structured_actor_failed", "problem": chosen.problem}
                _, chosen = session.read("action fallback", self.request(now), again=True)
            self._rejected = None
            if chosen.action is not None:
                return chosen
            session.note_invalid()
        session.stop("unusable replies")


def _has(name: str) -> Callable[[dict[str, Any]], bool]:
    """Return whether an answer has a list of this name, as a function of the answer."""
    return lambda answer: isinstance(answer.get(name), list)
