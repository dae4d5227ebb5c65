"""The static report of a manifest: what its changes do to the routes of the selected tasks, without playing."""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

from mirrorcraft.core import routes
from mirrorcraft.core.encounters import Encounters, Event
from mirrorcraft.core.manifest import Change, RuleManifest
from mirrorcraft.core.routes.methods import Method
from mirrorcraft.core.routes.problem import problem
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on the report flags an effect.

    Attributes:
        shortcut: a plan at most this many times as long as vanilla's is a shortcut.
        detour: a plan at least this many times as long as vanilla's is a detour.
        scarcity: a yield at most this many times vanilla's is extreme scarcity.
        glut: a yield at least this many times vanilla's is extreme plenty.
    """

    shortcut: float = 0.5
    detour: float = 2.0
    scarcity: float = 0.25
    glut: float = 4.0


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Whether and how a task can be done.

    Attributes:
        task: name of the task.
        reachable: there is a plan under the manifest.
        vanilla_actions: length of vanilla's plan, in semantic actions.
        mirror_actions: length of the manifest's plan; None when there is none.
        within_budget: the plan fits the task's budget.
        sure: the plan counts on no yield that is only likely.
        missing: from the goal down to what has no source, when unreachable.
    """

    task: str
    reachable: bool
    vanilla_actions: int
    mirror_actions: int | None
    within_budget: bool
    sure: bool
    missing: tuple[str, ...]

    @property
    def ratio(self) -> float | None:
        """The plan's length against vanilla's."""
        if self.mirror_actions is None:
            return None
        return round(self.mirror_actions / self.vanilla_actions, 3)


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What a change does.

    Attributes:
        rule: its rule id.
        text: the change in words.
        relevant_to: tasks that have a target of it on some sensible route, in vanilla or Mirror.
        met_by_plan: tasks whose plan under the manifest triggers it before the task is done.
        met_by_learner: tasks in which an agent triggers it that believes vanilla, walks a plan until
            a changed rule surprises it, and plans again with the rules it has met.
        shadowed_by: changes without which plan or learner would trigger it, where neither does now.
        yields: item on a vanilla route to its mean yield against vanilla's, where that changed.
    """

    rule: str
    text: str
    relevant_to: tuple[str, ...]
    met_by_plan: tuple[str, ...]
    met_by_learner: tuple[str, ...]
    shadowed_by: tuple[str, ...]
    yields: dict[str, float]

    @property
    def encounterable(self) -> bool:
        """Some plan triggers it before its task is done."""
        return bool(self.met_by_plan or self.met_by_learner)


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two changes that meet: what the first gives, or no longer gives, is what the second takes."""

    first: str
    second: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StaticReport:
    """The report of a manifest.

    Attributes:
        manifest: its id.
        tasks: for each selected task, in the order given.
        changes: for each change, in the manifest's order.
        interactions: pairs of changes.
        flags: what a designer should look at, in plain words; hard failures first.
    """

    manifest: str
    tasks: tuple[TaskReport, ...]
    changes: tuple[ChangeReport, ...]
    interactions: tuple[Interaction, ...]
    flags: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Every task is reachable, and every change is relevant to one."""
        return all(t.reachable for t in self.tasks) and all(c.relevant_to for c in self.changes)

    def to_json(self) -> Json:
        """Return the report as JSON."""
        data = asdict(self)
        for row, task in zip(data["tasks"], self.tasks, strict=True):
            row["ratio"] = task.ratio
        for row, change in zip(data["changes"], self.changes, strict=True):
            row["encounterable"] = change.encounterable
        return {**data, "ok": self.ok}

    def task_rows(self) -> list[tuple[str, ...]]:
        """Return the table of tasks, its heading first."""
        rows: list[tuple[str, ...]] = [("task", "vanilla", "mirror", "ratio", "in budget")]
        for t in self.tasks:
            mirror = "no route" if t.mirror_actions is None else str(t.mirror_actions)
            ratio = "" if t.ratio is None else f"{t.ratio:.2f}"
            budget = "yes" if t.within_budget else "no"
            rows.append((t.task, str(t.vanilla_actions), mirror, ratio, budget))
        return rows

    def change_rows(self) -> list[tuple[str, ...]]:
        """Return the table of changes, its heading first."""
        head = ("rule", "relevant to", "met by plan", "met by learner", "shadowed by")
        rows: list[tuple[str, ...]] = [head]
        for c in self.changes:
            cells = (c.relevant_to, c.met_by_plan, c.met_by_learner, c.shadowed_by)
            rows.append((c.rule, *(", ".join(cell) or "-" for cell in cells)))
        return rows

    def lines(self) -> list[str]:
        """Return the report as lines of plain text."""
        text = [f"{self.manifest}: {'sound' if self.ok else 'not sound'}"]
        for rows in (self.task_rows(), self.change_rows()):
            text += ["", *_table(rows)]
        for pair in self.interactions:
            text.append(f"{pair.first} meets {pair.second} in {', '.join(pair.items)}")
        return [*text, "", *self.flags] if self.flags else text


def audit_manifest(
    manifest: RuleManifest, tasks: Collection[str] | None = None, limits: Limits = Limits()
) -> StaticReport:
    """Return the static report of a manifest for some tasks (None is all of them).

    Raises:
        UnknownNameError: there is no such task.
        ManifestError: the manifest cannot be applied.
    """
    names = Task.names() if tasks is None else tuple(dict.fromkeys(tasks))
    return _Survey(manifest, [Task.load(name) for name in names], limits).report()


def relevant(change: Change, task: Task, vanilla: Rulebook, mirror: Rulebook) -> bool:
    """Return whether a target of a change lies on a sensible route to a task's goal, in either world."""
    targets = set(change.targets())
    for rules in (vanilla, mirror):
        known = problem(routes.catalog(rules), task.goal.id, routes.NATURAL.names)
        if any(_target(method) in targets for method in known.methods):
            return True
    return False


class _Survey:
    """A manifest beside vanilla, and the tasks that it is looked at for."""

    def __init__(self, manifest: RuleManifest, tasks: list[Task], limits: Limits):
        self.manifest, self.tasks, self.limits = manifest, tasks, limits
        self.vanilla = Rulebook.vanilla(manifest.game_version)
        self.mirror = self.vanilla.apply(manifest)
        book = routes.catalog(self.vanilla)
        usual = [problem(book, task.goal.id, routes.NATURAL.names) for task in tasks]
        self._wanted = {item for p in usual for item in p.makers}

    def report(self) -> StaticReport:
        tasks = tuple(self._task(task) for task in self.tasks)
        met = {task.id: _met(self.manifest, task) for task in self.tasks}
        changes = tuple(self._change(change, met) for change in self.mirror.changes)
        flags = (*_task_flags(tasks, self.limits), *_change_flags(changes, self.limits))
        pairs = tuple(self._interactions())
        return StaticReport(self.manifest.id, tasks, changes, pairs, flags)

    def _task(self, task: Task) -> TaskReport:
        usual, route = routes.check(self.vanilla, task), routes.check(self.mirror, task)
        return TaskReport(
            task=task.id,
            reachable=route.ok,
            vanilla_actions=usual.actions,
            mirror_actions=route.actions if route.ok else None,
            within_budget=route.ok and route.actions <= task.budget,
            sure=route.sure,
            missing=route.missing,
        )

    def _change(self, change: Change, met: dict[str, "_Met"]) -> ChangeReport:
        by_plan = tuple(task for task, m in met.items() if change.id in m.plan)
        by_learner = tuple(task for task, m in met.items() if change.id in m.learner)
        shadows = () if by_plan or by_learner else tuple(self._shadows(change))
        return ChangeReport(
            rule=change.id,
            text=change.text,
            relevant_to=tuple(
                t.id for t in self.tasks if relevant(change, t, self.vanilla, self.mirror)
            ),
            met_by_plan=by_plan,
            met_by_learner=by_learner,
            shadowed_by=shadows,
            yields=_yields(*self._methods(change), self._wanted),
        )

    def _shadows(self, change: Change) -> Iterator[str]:
        """Yield the changes that keep this one from being met: without any one of them it is."""
        for other in self.mirror.changes:
            rest = _only(self.manifest, {c.id for c in self.mirror.changes} - {other.id})
            if other is not change and any(_met(rest, t).has(change.id) for t in self.tasks):
                yield other.id

    def _methods(self, change: Change) -> tuple[list[Method | None], list[Method | None]]:
        """Return the methods that a change governs, in vanilla and in Mirror, one beside the other."""
        targets = list(change.targets())
        return (
            [_method(self.vanilla, target) for target in targets],
            [_method(self.mirror, target) for target in targets],
        )

    def _interactions(self) -> Iterator[Interaction]:
        for first, second in permutations(self.mirror.changes, 2):
            given = {i for ms in self._methods(first) for m in ms if m for i in m.gives}
            taken = [p for ms in self._methods(second) for m in ms if m for p in m.needs]
            items = tuple(sorted(i for i in given if any(i in pool for pool in taken)))
            if items:
                yield Interaction(first.id, second.id, items)


@dataclass(frozen=True, slots=True)
class _Met:
    """Rule ids met in one task: by the plan that knows all rules, and by a learner."""

    plan: frozenset[str]
    learner: frozenset[str]

    def has(self, rule: str) -> bool:
        """Return whether one of the two meets a rule."""
        return rule in self.plan or rule in self.learner


def _met(manifest: RuleManifest, task: Task) -> _Met:
    vanilla = Rulebook.vanilla(manifest.game_version)
    mirror = vanilla.apply(manifest)
    encounters = Encounters(vanilla, mirror)

    def along(rules: Rulebook) -> Iterator[str]:
        for step in routes.check(rules, task).plan:
            yield from _rules(encounters, mirror, step)

    learnt: set[str] = set()
    surprise: str | None = ""
    while surprise is not None:
        believed = vanilla.apply(_only(manifest, learnt))
        surprise = next((rule for rule in along(believed) if rule not in learnt), None)
        learnt |= {surprise} if surprise else set()
    return _Met(frozenset(along(mirror)), frozenset(learnt))


def _only(manifest: RuleManifest, rules: Collection[str]) -> RuleManifest:
    """Return the manifest with no other changes than those of the rule ids given."""
    kept = tuple(c for c in manifest.changes if f"{manifest.id}.{c.id}" in rules)
    return manifest.model_copy(update={"changes": kept})


def _rules(encounters: Encounters, rules: Rulebook, step: routes.PlanStep) -> tuple[str, ...]:
    """Return the ids of the changed rules that a step of a plan meets."""
    args = step.args
    match step.skill:
        case "craft_grid":
            return encounters.of(Event("craft", tuple(map(tuple, args["grid"]))))
        case "smelt":
            return encounters.of(Event("cook", args["station"], args["input"]))
        case "mine":
            method = routes.catalog(rules).mine(args["block"])
            tool = method.tools[0] if method and method.tools else None
            return encounters.of(Event("break", args["block"], tool, ()))
        case "attack":
            return encounters.of(Event("kill", args["target"], None, 0))
    return ()


def _method(rules: Rulebook, target: tuple[str, ...]) -> Method | None:
    """Return the method that a change's target governs, or None where it gives nothing."""
    book = routes.catalog(rules)
    match target:
        case ("recipe", recipe):
            return book.recipes.get(("craft_grid", recipe, None))
        case ("cooking", station, item):
            return book.recipes.get(("smelt", item, station))
        case ("block", block):
            return book.mine(block)
        case _:
            return book.attack(target[1])


def _target(method: Method) -> tuple[str, ...]:
    """Return the target that governs a method, in the form of ``Change.targets``."""
    if method.skill == "smelt":
        return ("cooking", method.station or "", method.target)
    kinds = {"craft_grid": "recipe", "mine": "block", "attack": "entity"}
    return (kinds.get(method.skill, method.skill), method.target)


def _yields(
    before: list[Method | None], after: list[Method | None], wanted: Collection[str]
) -> dict[str, float]:
    """Return item to its mean yield against vanilla's where that changed; 0 for what is gone."""
    ratios: dict[str, float] = {}
    for old, new in zip(before, after, strict=True):
        for item, was in old.gives.items() if old else ():
            now = new.gives[item].mean if new and item in new.gives else 0.0
            if item in wanted and now != was.mean:
                ratios[item] = round(now / was.mean, 3)
    return dict(sorted(ratios.items()))


def _task_flags(tasks: tuple[TaskReport, ...], limits: Limits) -> Iterator[str]:
    for t in tasks:
        if not t.reachable:
            yield f"{t.task} is unreachable: {' <- '.join(t.missing)}"
    for t in tasks:
        if t.ratio is None:
            continue
        length = f"{t.mirror_actions} actions where vanilla takes {t.vanilla_actions}"
        if not t.within_budget:
            yield f"{t.task} does not fit its budget: {length}"
        if t.ratio <= limits.shortcut:
            yield f"{t.task} has a shortcut: {length}"
        if t.ratio >= limits.detour:
            yield f"{t.task} is a long detour: {length}"


def _change_flags(changes: tuple[ChangeReport, ...], limits: Limits) -> Iterator[str]:
    for c in changes:
        if not c.relevant_to:
            yield f"{c.rule} lies on no route of a selected task"
        elif c.shadowed_by:
            yield f"{c.rule} is met by no plan; it is shadowed by {', '.join(c.shadowed_by)}"
        elif not c.encounterable:
            yield f"{c.rule} is met by no plan"
        for ratio in sorted(set(c.yields.values())):
            items = ", ".join(item for item, r in c.yields.items() if r == ratio)
            if ratio == 0:
                yield f"{c.rule} gives no {items} where vanilla does"
            elif ratio <= limits.scarcity:
                yield f"{c.rule} gives {ratio:g} times vanilla's {items}: extreme scarcity"
            elif ratio >= limits.glut:
                yield f"{c.rule} gives {ratio:g} times vanilla's {items}: extreme plenty"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    cells = ([c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in rows)
    return ["  ".join(row).rstrip() for row in cells]
