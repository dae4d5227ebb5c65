"""``prove``: what holds of a suite, a pack or a rulebook, and what a counterexample looks like."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mirrorcraft.core.errors import UnknownNameError
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.overlay_files import MCMETA
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.datapack import Datapack
from mirrorcraft.testing.claims import CLAIMS, Finding, Subject, fewest

SHRINKABLE = ("conserved", "executable", "reachable")  # claims on a manifest alone


@dataclass(frozen=True, slots=True)
class Proof:
    """What was looked at, and what was found.

    Attributes:
        subject: name of what was proved.
        claims: claim to what it says, in the order in which they were looked at.
        findings: faults and notes, in the order of the claims.
    """

    subject: str
    claims: Mapping[str, str]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No finding is a fault; notes are for the author to weigh."""
        return not any(finding.fault for finding in self.findings)

    def of(self, claim: str) -> tuple[Finding, ...]:
        """Return the findings against one claim."""
        return tuple(finding for finding in self.findings if finding.claim == claim)

    def to_json(self) -> dict[str, Any]:
        """Return the proof as JSON."""
        claims = {
            name: {"says": says, "holds": not any(f.fault for f in self.of(name))}
            for name, says in self.claims.items()
        }
        findings = [asdict(finding) for finding in self.findings]
        return {"subject": self.subject, "ok": self.ok, "claims": claims, "findings": findings}

    def __str__(self) -> str:
        lines = [f"{self.subject}: {'proved' if self.ok else 'not as it should be'}"]
        for name, says in self.claims.items():
            found = self.of(name)
            state = "FAULT" if any(f.fault for f in found) else "holds"
            lines.append(f"  {state}  {says}")
            lines += [f"         {'' if f.fault else 'note: '}{f}" for f in found]
        return "\n".join(lines)


def prove(
    suite: RuleManifest | Datapack | Rulebook | str | Path,
    tasks: Collection[str] | None = None,
    pack: Datapack | None = None,
    claims: Collection[str] | None = None,
) -> Proof:
    """Hold a suite to the claims of ``CLAIMS``.

    Args:
        suite: a manifest, a pack, the rules of a Mirror world; or a suite's name, a manifest file, a pack's folder
            or zip.
        tasks: the tasks that must be possible; None is all of them.
        pack: the pack that a server plays for this manifest; None is the one that ``datapack.build`` writes.
        claims: the claims to look at; None is all of them.

    Raises:
        UnknownNameError: there is no such suite, task or claim.
        ManifestError, PackError: the file cannot be used at all, by the simulator or by the game.
    """
    chosen = tuple(CLAIMS) if claims is None else tuple(dict.fromkeys(claims))
    for claim in chosen:
        if claim not in CLAIMS:
            raise UnknownNameError("claim", claim, CLAIMS)
    subject = _subject(suite, Task.names() if tasks is None else tuple(tasks), pack)
    findings = [f for claim in chosen for f in _found(claim, subject)]
    return Proof(subject.name, {claim: CLAIMS[claim].says for claim in chosen}, tuple(findings))


def _subject(
    suite: RuleManifest | Datapack | Rulebook | str | Path,
    tasks: Collection[str],
    pack: Datapack | None,
) -> Subject:
    if isinstance(suite, str | Path):
        suite = _loaded(suite)
    wanted = tuple(Task.load(name) for name in tasks)
    if isinstance(suite, RuleManifest):
        rules = Rulebook.vanilla(suite.game_version).apply(suite)
        return Subject.of(suite.id, rules, wanted, suite, pack)
    if isinstance(suite, Datapack):
        return Subject.of_pack(suite, wanted)
    return Subject.of(suite.name, suite, wanted, None, pack)


def _loaded(place: str | Path) -> RuleManifest | Datapack:
    path = Path(place)
    if path.suffix == ".zip" or (path / MCMETA).is_file():
        return Datapack.load(path)
    return RuleManifest.load(place)


def _found(claim: str, subject: Subject) -> Iterator[Finding]:
    """Yield the findings of a claim, each with the fewest changes of the manifest that show it."""
    for finding in CLAIMS[claim].look(subject):
        if finding.fault and claim in SHRINKABLE and subject.manifest and subject.pack is None:
            yield finding.blaming(fewest(finding, subject, subject.manifest))
        else:
            yield finding
