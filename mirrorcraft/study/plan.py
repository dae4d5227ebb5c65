"""A study file, and the episodes it stands for in a fixed order."""

import json
import re
import tomllib
from collections.abc import Collection
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from mirrorcraft.agents import CONFIGURATIONS
from mirrorcraft.agents.model import ModelSettings
from mirrorcraft.core.data import named_file, names_in
from mirrorcraft.core.episode import VANILLA, EpisodeSpec
from mirrorcraft.core.errors import StudyError, did_you_mean
from mirrorcraft.core.manifest import RuleManifest
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.validated import validated
from mirrorcraft.core.world import World
from mirrorcraft.datapack.pack import Datapack

BUILT_IN = "quick"
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AgentRow(ModelSettings):
    """One agent of a study: the settings of its model, if it has one, and what it plays.

    Attributes:
        name: a name of ``mirrorcraft.agents.AGENTS``, or ``module:Class`` of a configuration of
            one's own; a study file may call it ``configuration``.
        disclosure: ``disclosed`` when the agent is told the rules.
        repetitions: episodes a cell; more than one makes sense for an agent that draws.
        suites: those of the study that this agent plays; all of them when None.
    """

    name: str = Field(validation_alias=AliasChoices("name", "configuration"))
    disclosure: Literal["hidden", "disclosed"] = "hidden"
    repetitions: int = Field(default=1, ge=1, le=1000)
    suites: Names | None = None


class StudyConfig(_Strict):
    """The content of a study file, the ``models`` of its agents spread into rows.

    Attributes:
        schema_version: ``1.0``.
        name: what the run folder is called when none is given.
        worlds: names in ``rules/worlds``.
        mirror_worlds: those of ``worlds`` that have Mirror copies; all of them when None.
        suites: names in ``rules/suites``, ``vanilla``, and paths of datapacks.
        tasks: names in ``rules/tasks``.
        agents: the agents, each played in every cell.
        budgets: semantic actions allowed in a task, where they differ from the task's own budget.
        checkpoints: numbers of actions at which the report tells SR along the same trajectories.
        backend: what the episodes are played on: the ``simulator``, or servers of the kind ``squid``
            or ``vanilla``.
        executor: ``processes`` of this machine, ``threads`` of one process for agents that mostly
            wait for a model, or ``ray`` for a cluster.
        record: ``full`` keeps outcomes and observation digests; ``compact`` only what metrics need.
        prices: a file of prices that go before the table of known ones, see ``agents.prices``.
        max_cost_usd: what the models may cost in all, checked before every call.
    """

    schema_version: Literal["1.0"]
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")
    worlds: Names
    mirror_worlds: Names | None = None
    suites: Names
    tasks: Names
    agents: Annotated[tuple[AgentRow, ...], Field(min_length=1)]
    budgets: dict[str, Annotated[int, Field(ge=1, le=100_000)]] = Field(default_factory=dict)
    checkpoints: tuple[Annotated[int, Field(ge=1, le=100_000)], ...] = ()
    backend: Literal["simulator", "squid", "vanilla"] = "simulator"
    executor: Literal["processes", "threads", "ray"] = "processes"
    record: Literal["full", "compact"] = "full"
    prices: str | None = None
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None

    def identity(self) -> dict[str, Any]:
        """Return the fields that decide what is played: not where, and not when to stop."""
        return self.model_dump(mode="json", exclude={"executor", "max_cost_usd"})

    def differences(self, other: "StudyConfig") -> dict[str, tuple[Any, Any]]:
        """Return the fields of ``identity`` in which two studies differ: this value, the other's."""
        old, new = self.identity(), other.identity()
        return {field: (old[field], new[field]) for field in old if old[field] != new[field]}


def study_names() -> tuple[str, ...]:
    """Return the names of the built-in studies."""
    return names_in("studies", ".toml")


def study_text(study: str | Path) -> tuple[str, str]:
    """Return the text of a study and where it came from; ``study`` is a path or a built-in name.

    Raises:
        StudyError: there is no such file.
    """
    path = Path(study)
    if path.suffix != ".toml" and str(study) in study_names():
        path = named_file("studies", str(study), ".toml")
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, UnicodeDecodeError) as e:
        known = ", ".join(study_names())
        given = getattr(e, "strerror", None) or "text that is not UTF-8"
        raise StudyError(path, "", given, f"a study file, or a built-in study: {known}") from None


def parse_study(text: str, source: object, agents: Collection[str]) -> StudyConfig:
    """Return the study that ``text`` describes, every name in it checked.

    Args:
        text: TOML.
        source: where the text came from, for messages.
        agents: the names of the agents that exist.

    Raises:
        StudyError: it is not TOML, a value is wrong, or a name does not exist.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise StudyError(source, "", "broken TOML", f"valid TOML ({e})") from None
    config = validated(StudyConfig, _tuples(_spread(data, source)), source, StudyError)
    _check_names(config, source, agents)
    return config


def _spread(data: dict[str, Any], source: object) -> dict[str, Any]:
    """Return a study in which each agent row that names entries of ``[models.*]`` is one row each.

    So the models of a study stand in one place, and another study is a change of that place.
    """
    models = data.pop("models", {})
    rows: list[Any] = []
    for i, row in enumerate(data.get("agents", ())):
        names = row.pop("models", None) if isinstance(row, dict) else None
        if names is None:
            rows.append(row)
            continue
        for j, name in enumerate(names):
            _check_name(name, models, source, f"agents[{i}].models[{j}]")
            rows.append(models[name] | row)
    return data | ({"agents": rows} if rows else {})


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(v) for v in value)
    return {k: _tuples(v) for k, v in value.items()} if isinstance(value, dict) else value


def _check_names(config: StudyConfig, source: object, agents: Collection[str]) -> None:
    lists = {
        "worlds": (config.worlds, _worlds(config.worlds)),
        "mirror_worlds": (config.mirror_worlds or (), config.worlds),
        "suites": (config.suites, (VANILLA, *names_in("suites"), *filter(is_pack, config.suites))),
        "tasks": (config.tasks, Task.names()),
        "budgets": (tuple(config.budgets), config.tasks),
    } | {
        f"agents[{i}].suites": (row.suites or (), config.suites)
        for i, row in enumerate(config.agents)
    }
    for place, (names, known) in lists.items():
        for i, name in enumerate(names):
            _check_name(name, known, source, f"{place}[{i}]")
            if name in names[:i]:
                raise StudyError(source, f"{place}[{i}]", name, "each name once")
    rows = [(row.name, row.model, row.disclosure) for row in config.agents]
    for i, row in enumerate(rows):
        if ":" not in row[0]:
            _check_name(row[0], agents, source, f"agents[{i}].name")
        _check_model(config.agents[i], source, f"agents[{i}]")
        if row in rows[:i]:
            expected = "each pair of agent and model once in each disclosure; see repetitions"
            raise StudyError(source, f"agents[{i}]", row[0], expected)


def _worlds(names: Collection[str]) -> tuple[str, ...]:
    """Return the worlds there are, and those of the folders that ``names`` speak of."""
    folders = dict.fromkeys(name.rpartition("/")[0] for name in names if "/" in name)
    extra = (f"{f}/{name}" for f in folders for name in names_in(f"worlds/{f}"))
    return (*World.names(), *extra)


def _check_model(row: AgentRow, source: object, place: str) -> None:
    """Refuse a configuration without a model and its endpoint."""
    if row.name in CONFIGURATIONS or ":" in row.name:
        for field in ("model", "base_url"):
            if getattr(row, field) is None:
                raise StudyError(
                    source, f"{place}.{field}", None, f"the {field} that {row.name} plays with"
                )


def _check_name(name: str, known: Collection[str], source: object, place: str) -> None:
    if name not in known:
        raise StudyError(source, place, name, f"a known name{did_you_mean(name, known)}")


def plan(config: StudyConfig) -> list[EpisodeSpec]:
    """Return the episodes of a study: world by world, then suite, task, agent, repetition."""
    return [
        EpisodeSpec(
            world=world,
            suite=suite,
            task=task,
            agent=row.name,
            model=row.model,
            budget=config.budgets.get(task, Task.load(task).budget),
            disclosure=row.disclosure,
            repetition=repetition,
        )
        for world, suite, task, row in product(
            config.worlds, config.suites, config.tasks, config.agents
        )
        if (row.suites is None or suite in row.suites)
        and (suite == VANILLA or config.mirror_worlds is None or world in config.mirror_worlds)
        for repetition in range(row.repetitions)
    ]


@cache
def rules_for(suite: str) -> Rulebook:
    """Return the rules of a suite, a manifest file, a datapack (zip or folder) or ``vanilla``.

    Raises:
        UnknownNameError: there is no such suite; the message lists those there are.
        ManifestError: the manifest cannot be used.
        PackError: the pack cannot be used, or holds what lies outside of the rules.
    """
    vanilla = Rulebook.vanilla("1.19")
    if suite == VANILLA:
        return vanilla
    if is_pack(suite):
        pack = Datapack.load(suite)
        return vanilla.overlay(pack).replace(name=pack.name)
    return vanilla.apply(RuleManifest.load(suite))


def is_pack(suite: str) -> bool:
    """Return whether a suite is named by the path of a datapack."""
    return suite.endswith(".zip") or ("/" in suite and Path(suite).is_dir())


def with_backend(text: str, backend: str) -> str:
    """Return the text of a study that is played on another backend."""
    line = f"backend = {json.dumps(backend)}"
    replaced, n = re.subn(r"(?m)^backend\s*=.*$", line, text, count=1)
    return replaced if n else f"{line}\n{text}"  # before the first table


def with_packs(text: str, source: object, packs: Collection[str]) -> str:
    """Return the text of a study that plays vanilla rules and datapacks in place of its suites.

    Raises:
        StudyError: there is no list of suites to replace.
    """
    listed = ", ".join(json.dumps(pack) for pack in (VANILLA, *packs))
    replaced, n = re.subn(
        r"(?ms)^suites\s*=\s*\[.*?\]", lambda _: f"suites = [{listed}]", text, count=1
    )
    if n == 0:
        raise StudyError(source, "suites", None, "a list of suites, which --pack replaces")
    return replaced
