"""The claims that ``prove`` holds a suite to: each looks at one property and yields what speaks against it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from mirrorcraft.core import cooking_counts, difference, routes
from mirrorcraft.core.errors import InputError, PackError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.static_report import relevant
from mirrorcraft.core.task import Task
from mirrorcraft.datapack import Datapack, build, overlay
from mirrorcraft.testing.gains import gains
from mirrorcraft.testing.outcomes import Difference, Target, differences
from mirrorcraft.testing.promises import broken_promises
from mirrorcraft.testing.search import mixed_grid
from mirrorcraft.testing.walks import met, stumble


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that speaks against a claim.

    Attributes:
        claim: name of the claim.
        about: what it is about (a task, a recipe, the items of a loop), the same however many changes are in force.
        text: the counterexample in plain words.
        fault: the suite should not be used as it is; else a note for its author.
        changes: rule ids of the fewest changes that show it together; empty where that was not looked for.
    """

    claim: str
    about: str
    text: str
    fault: bool = True
    changes: tuple[str, ...] = ()

    def blaming(self, changes: tuple[str, ...]) -> "Finding":
        """Return the finding with the changes that it takes."""
        return replace(self, changes=changes)

    def __str__(self) -> str:
        return f"{self.text} (it takes {' and '.join(self.changes)})" if self.changes else self.text


@dataclass(frozen=True, eq=False)
class Subject:
    """What claims are held against.

    Attributes:
        name: what it is called.
        rules: the rules as declared, with their changes.
        played: the rules that are played: those of the given pack, else ``rules``.
        tasks: the tasks that must be possible.
        manifest: what the rules come from, if it is a manifest.
        pack: a pack that was given.
    """

    name: str
    rules: Rulebook
    played: Rulebook
    tasks: tuple[Task, ...]
    manifest: RuleManifest | None = None
    pack: Datapack | None = None

    @property
    def vanilla(self) -> Rulebook:
        """The rules without the changes."""
        return Rulebook.vanilla(self.rules.version)

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Every event that comes out otherwise than in vanilla."""
        return tuple(differences(self.vanilla, self.played))

    @classmethod
    def of(
        cls,
        name: str,
        rules: Rulebook,
        tasks: tuple[Task, ...],
        manifest: RuleManifest | None = None,
        pack: Datapack | None = None,
    ) -> "Subject":
        """Return the subject of some rules, played as a pack says if one is given."""
        if pack is None:
            return cls(name, rules, rules, tasks, manifest)
        played = overlay(Rulebook.vanilla(rules.version), [pack], "report").rulebook
        return cls(name, rules, played.replace(changes=rules.changes), tasks, manifest, pack)

    @classmethod
    def of_pack(cls, pack: Datapack, tasks: tuple[Task, ...]) -> "Subject":
        """Return the subject of a pack alone: what it changes is what it declares."""
        rules = overlay(Rulebook.vanilla(), [pack], "report").rulebook
        return cls(pack.name, rules, rules, tasks, None, pack)


class Claim(NamedTuple):
    """A claim: what it says in plain words, and the function that looks for what speaks against it."""

    says: str
    look: Callable[[Subject], Iterator[Finding]]


def _untouched(subject: Subject) -> Iterator[Finding]:
    owned = _owned(subject.rules)
    seen: set[Target] = set()
    for found in subject.differences:
        if owned.isdisjoint(found.targets) and seen.isdisjoint(found.targets):
            seen.update(found.targets)  # one example of each recipe, input, block, entity
            yield Finding(
                "untouched", " ".join(found.targets[0]), f"{found}; no change declares it"
            )
    mixed = None if seen else mixed_grid(subject.vanilla, subject.played, owned)
    if mixed:
        yield Finding("untouched", " ".join(mixed.targets[0]), f"{mixed}; no change declares it")


def _owned(rules: Rulebook) -> set[Target]:
    """Return everything that some change declares."""
    owned = {target for change in rules.changes for target in change.targets()}
    files = {("file", change.id.removeprefix("pack.")) for change in rules.changes}
    if any(file.startswith("tags/items/") for _, file in files):
        owned |= {("file", f"fuels/{item}") for item in rules.items}  # fuels follow the item tags
    return owned | files


def _declared(subject: Subject) -> Iterator[Finding]:
    if subject.manifest:
        for broken in broken_promises(subject.manifest, subject.rules.changes, subject.played):
            yield Finding("declared", f"{broken.rule} {broken.event}", str(broken))
    happened = {t for d in subject.differences for t in d.targets}
    for change in subject.rules.changes:
        for target in change.targets():
            if target not in happened:
                what = " ".join(target)
                text = f"{change.id} declares {what}, and nothing comes out differently"
                yield Finding("declared", f"{change.id} {what}", text)
        if not any(change.targets()) and ("file", change.id.removeprefix("pack.")) not in happened:
            text = f"{change.id} makes no difference of its own"
            yield Finding("declared", change.id, text, fault=False)


def _conserved(subject: Subject) -> Iterator[Finding]:
    for gain in gains(subject.played):
        items = {item for conversion, _ in gain.runs for item in conversion.takes}
        # A block that drops a byproduct is how suites are meant to work; that it can be placed again, a note.
        fault = gain.multiplies or not gain.placing
        yield Finding("conserved", " ".join(sorted(items)), str(gain), fault)


def _reachable(subject: Subject) -> Iterator[Finding]:
    for task in subject.tasks:
        route = routes.check(subject.played, task)
        if not route.ok:
            yield Finding(
                "reachable", task.id, f"{task.id} has no route: {' <- '.join(route.missing)}"
            )
        elif route.actions > task.budget:
            text = f"{task.id} takes {route.actions} actions, and its budget is {task.budget}"
            yield Finding("reachable", task.id, text)


def _executable(subject: Subject) -> Iterator[Finding]:
    for task in subject.tasks:
        route = routes.check(subject.played, task)
        problem = stumble(route, subject.played, task) if route.ok else None
        if problem:
            text = f"the route to {task.id} cannot be walked: {problem}"
            yield Finding("executable", task.id, text)


def _encountered(subject: Subject) -> Iterator[Finding]:
    rules, vanilla = subject.played, subject.vanilla
    seen: set[str] | None = None
    for change in subject.rules.changes:
        if not any(change.targets()):
            continue  # ``declared`` has it
        if not any(relevant(change, task, vanilla, rules) for task in subject.tasks):
            text = f"{change.id} lies on no route to any of the tasks: no agent has to meet it"
            yield Finding("encountered", change.id, text)
            continue
        if seen is None:
            seen = {rule for task in subject.tasks for rule in met(rules, task)}
        if change.id not in seen:
            text = f"{change.id} can be met, and neither planner nor learner meets it"
            yield Finding("encountered", change.id, text, fault=False)


def _milestones(subject: Subject) -> Iterator[Finding]:
    ids = dict.fromkeys(m.id for task in subject.tasks for m in task.milestones)
    for ident in ids:
        was, now = (r.advancements.get(ident) for r in (subject.vanilla, subject.played))
        if now is None or was is None:
            yield Finding("milestones", ident, f"{ident} does not exist under these rules")
        elif was[2:] != now[2:]:
            text = (
                f"{ident} is completed by {dict(now.criteria)}, in vanilla by {dict(was.criteria)}"
            )
            yield Finding("milestones", ident, text)
        else:
            was_by, now_by = (
                {i for i in r.items if ident in r.triggered_by(i)}
                for r in (subject.vanilla, subject.played)
            )
            if was_by != now_by:
                odd = ", ".join(sorted(was_by ^ now_by))
                text = f"{ident} is completed by other items than in vanilla: {odd}"
                yield Finding("milestones", ident, text)


def _pack(subject: Subject) -> Iterator[Finding]:
    from mirrorcraft.sim.tables import compile_tables  # late: it brings numba along

    try:
        pack = subject.pack or build(subject.rules)
        back, reports = overlay(subject.vanilla, [pack], "report")
    except PackError as e:
        yield Finding("pack", e.place, f"these rules cannot be written as a pack: {e}")
        return
    for file, reason in reports:
        text = f"{file}: the game plays it, the simulator does not ({reason})"
        yield Finding("pack", file, text)
    for change in difference.differences(subject.rules, back):
        text = f"{change.id.removeprefix('pack.')} is not what was declared: {change.text}"
        yield Finding("pack", change.id, text)
    functions = cooking_counts.files(cooking_counts.counted(back.recipes), back)
    for file in (file for file, content in functions.items() if pack.get(file) != content):
        text = (
            f"{file} is missing or other than it must be: stations of the game would make one item"
        )
        yield Finding("pack", file, text)
    try:
        # Compiled afresh: the cache holds equal rulebooks for the same.
        tables = [compile_tables.__wrapped__(rules).tobytes() for rules in (subject.rules, back)]
    except InputError as e:
        yield Finding("pack", e.place, f"these rules do not fit the simulator: {e}")
        return
    if back == subject.rules and tables[0] != tables[1]:
        yield Finding("pack", "tables", "the simulator compiles the pack to other tables")


CLAIMS: dict[str, Claim] = {
    "untouched": Claim("what no change declares is as in vanilla", _untouched),
    "declared": Claim("every change happens as declared", _declared),
    "conserved": Claim("no loop of crafting, cooking or placing creates items", _conserved),
    "reachable": Claim("every task can be finished within its budget", _reachable),
    "executable": Claim("the routes found can be walked step by step", _executable),
    "encountered": Claim("every change can be met before a task is done", _encountered),
    "milestones": Claim("milestones are completed by what completes them in vanilla", _milestones),
    "pack": Claim("the written pack gives the simulator the same rules", _pack),
}


def fewest(finding: Finding, subject: Subject, manifest: RuleManifest) -> tuple[str, ...]:
    """Return the rule ids of a smallest set of a manifest's changes that shows a finding.

    Changes are left out one by one, as long as the same claim still finds the same thing.
    """
    kept = list(manifest.changes)
    for change in manifest.changes:
        fewer = manifest.model_copy(update={"changes": tuple(c for c in kept if c is not change)})
        rules = subject.vanilla.apply(fewer)
        again = Subject.of(subject.name, rules, subject.tasks, fewer)
        if any(f.about == finding.about and f.fault for f in CLAIMS[finding.claim].look(again)):
            kept.remove(change)
    return tuple(f"{manifest.id}.{change.id}" for change in kept)
