"""A real server behind the Backend contract: actions in, observations and audit out, as in the simulator."""

import shutil
import time
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

from mirrorcraft.core.action import SKILLS, Action, Checked, Refusal, check
from mirrorcraft.core.backend import Audit, Step
from mirrorcraft.core.data import body
from mirrorcraft.core.errors import EpisodeOver, Fault
from mirrorcraft.core.observation import Observation
from mirrorcraft.core.outcome import Outcome, Reason
from mirrorcraft.core.rulebook import Rulebook
from mirrorcraft.core.task import Task
from mirrorcraft.core.world import World
from mirrorcraft.server.audit import ServerAudit, holds
from mirrorcraft.server.bot import Bot, Transport
from mirrorcraft.server.process import ServerProcess
from mirrorcraft.server.rcon import Rcon
from mirrorcraft.server.squid import SquidServer
from mirrorcraft.server.starting import check_packs, made_with, settings
from mirrorcraft.server.worlds import lay_out, new_folder
from mirrorcraft.sim.layout import NONE, Code
from mirrorcraft.sim.observe import WORN_SLOTS, Names, Reading, detail_of, result_of

PLAYER = "Bot"
TICK_SECONDS = 0.05

MakeServer = Callable[[Path, int], ServerProcess]


class Report(Reading):
    """What a body says of an action, in the form in which the simulator's own reports are read.

    Args:
        said: the body's answer; see ``Self.run`` of the body.
        names: the numbers of items.
    """

    def __init__(self, said: dict[str, Any], names: Names):
        reason = said["reason"]
        self.died = reason == Reason.DIED
        self.late = reason == Reason.TIMEOUT
        self.code = Code.OK if reason is None or self.died or self.late else Code[reason.upper()]
        self.number, self.made_count = said["number"], said.get("madeCount", 0)
        self.made_item = names.item[said["made"]] if said.get("made") else NONE
        self.left, self.enchantments = said.get("left", 0), said.get("enchantments", {})
        self.broken, self.collected = said["broken"], said["collected"]
        detail = said.get("detail") or {}
        self.detail = names.item[detail["item"]] if "item" in detail else detail.get("level", NONE)

    @property
    def reason(self) -> Reason | None:
        """Why the action did not, or did only partly, do what was asked."""
        if self.died or self.late:
            return Reason.DIED if self.died else Reason.TIMEOUT
        return None if self.code == Code.OK else Reason(Code(self.code).name.lower())


class ServerBackend:
    """One world on a real server, with a body in it. Every reset starts a server of its own on a fresh copy of the world.

    Args:
        server: makes the server for a folder and a seed of luck, such as ``SquidServer``.
        transport: how the body is spoken to; see ``Bot``.
        runs: where the folders of servers go; the system's temporary folder when None.
        keep: leave the folders (world, logs) behind.

    Attributes:
        made_with: what records say of the server of the last episode; see ``study.provenance``.
    """

    def __init__(
        self,
        server: MakeServer = SquidServer,
        *,
        transport: Transport = "bridge",
        runs: Path | None = None,
        keep: bool = False,
    ):
        self._make_server, self._runs, self._keep = server, runs, keep
        self._transport: Transport = transport
        self._server: ServerProcess | None = None
        self._bot: Bot | None = None
        self._rcon: Rcon | None = None
        self._folder: Path | None = None
        self._over = True
        self.made_with: dict[str, str] = {}

    def reset(self, world: World, rules: Rulebook, task: Task, *, seed: int) -> Observation:
        self.close()
        self._rules, self._task, self._used = rules, task, 0
        self._names = Names(rules)
        try:
            self._start(world, rules, task, seed)
            self._seen = self._first_look()
        except BaseException:
            self.close()
            raise
        self._over = False
        return self._observe(None)

    def step(self, action: Action) -> Step:
        if self._over:
            raise EpisodeOver("the episode is over; call reset before the next step")
        try:
            return self._step(action)
        except BaseException:  # a fault leaves nothing behind; the next reset starts afresh
            self.close()
            raise

    def close(self) -> None:
        self._over = True
        for part in (self._rcon, self._bot):
            if part is not None:
                part.close()
        if self._server is not None:
            self._server.stop()
        if self._folder is not None and not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)  # what is left is the system's to clean
        self._rcon = self._bot = self._server = self._folder = None

    @property
    def bot(self) -> Bot:
        """The body of the episode. Fault if there is none."""
        if self._bot is None:
            raise Fault("no episode is running: there is no body")
        return self._bot

    @property
    def rcon(self) -> Rcon:
        """The connection for commands. Fault if no episode is running."""
        if self._rcon is None:
            raise Fault("no episode is running: there is no server")
        return self._rcon

    @property
    def server(self) -> ServerProcess:
        """The server of the episode. Fault if there is none."""
        if self._server is None:
            raise Fault("no episode is running: there is no server")
        return self._server

    # --- starting
    def _start(self, world: World, rules: Rulebook, task: Task, seed: int) -> None:
        self._folder = new_folder(self._runs)
        packs = lay_out(self._folder, world, rules)
        self._bot = Bot(PLAYER, self._folder, self._transport)  # it warms up beside the server
        self._server = self._make_server(self._folder, seed)
        self._server.start()
        self._rcon = self._server.rcon()
        check_packs(self._rcon, packs)
        self.made_with = made_with(self._server, packs)
        self._bot.join(self._server.port)
        for command in settings(PLAYER, world):
            self._rcon.command(command)
        for milestone in task.milestones:
            if not holds(self._rcon, PLAYER, milestone.id, False):
                raise Fault(f"the server has no advancement {milestone.id} to be completed")
        self._audit = ServerAudit(self._rcon, PLAYER, rules)
        self._server.check()

    def _first_look(self) -> dict[str, Any]:
        """Look once the settings have come to the body, the last of which is the level."""
        level = body()["experience_level"]
        seen = self.bot.look_until(lambda s: s["level"] == level and not s["inventory"])
        if seen is None:
            raise Fault(f"the body does not start with level {level} and nothing in its inventory")
        return seen

    # --- acting
    def _step(self, action: Action) -> Step:
        self._used += 1
        checked = check(action, self._rules)
        if isinstance(checked, Refusal):
            outcome = Outcome(False, checked.reason, {"detail": checked.detail}, {}, 0)
            skill = getattr(action, "skill", None)
            shown = skill if isinstance(skill, str) and skill in SKILLS else None
            self._seen = self.bot.look()
            return self._finish(shown, {}, outcome, Audit((), ()))
        before, started = self._seen["inventory"], self._game_time()
        said = self.bot.call(checked.skill, checked.args)
        ended = self._game_time()
        self._wait_for(ended + self.server.news_ticks)
        self._seen = self.bot.look()
        outcome = self._outcome(checked, Report(said, self._names), before, ended - started)
        gained = self._audit.gained(self._seen["advancements"])
        met = self._audit.met(checked, said["events"])
        self.server.check()
        return self._finish(checked.skill, checked.args, outcome, Audit(gained, met))

    def _outcome(
        self, action: Checked, report: Report, before: dict[str, int], ticks: int
    ) -> Outcome:
        result = result_of(action, report, self._names)
        if detail := detail_of(action, report, self._names, self._rules):
            result["detail"] = detail
        after = self._seen["inventory"]
        change = {i: after.get(i, 0) - before.get(i, 0) for i in sorted({*before, *after})}
        delta = {i: n for i, n in change.items() if n}
        reason = report.reason
        return Outcome(reason is None or report.number > 0, reason, result, delta, ticks)

    def _wait_for(self, tick: int) -> None:
        """Wait until the server has reached a tick; what happened before it is then known to the body."""
        while self._game_time() < tick:
            time.sleep(TICK_SECONDS / 2)

    def _game_time(self) -> int:
        reply = self.rcon.command("time query gametime")
        return int(reply.rsplit(" ", 1)[1])

    def _finish(
        self, skill: str | None, args: dict[str, Any], outcome: Outcome, audit: Audit
    ) -> Step:
        ending = self._task.ending(self._audit.done, alive=not self._seen["died"], used=self._used)
        observation = self._observe({"skill": skill, "args": args, **outcome.as_dict()})
        if ending is not None:
            self.close()
        return Step(observation, outcome, audit, ending)

    # --- seeing
    def _observe(self, last: dict[str, Any] | None) -> Observation:
        task, done, seen = self._task, self._audit.done, self._seen
        x, y, z = seen["cell"]
        return Observation(
            task=task.view(done),
            progress=task.progress(done),
            budget={"used": self._used, "left": task.budget - self._used},
            inventory=seen["inventory"],
            equipped={"hand": seen["hand"], **dict(zip(WORN_SLOTS, seen["worn"], strict=True))},
            experience={"level": seen["level"]},
            survival={
                "health": round(seen["health"]),
                "food": round(seen["food"]),
                "alive": not seen["died"],
            },
            position={"x": x + 0.5, "y": float(y), "z": z + 0.5},
            biome=seen["biome"],
            targets=_distances(seen["targets"]),
            drops=_distances(seen["drops"]),
            entities={
                kind: {"count": e["count"], "nearest": round(sqrt(e["nearest"]), 1)}
                for kind, e in seen["entities"].items()
            },
            facilities=_distances(seen["facilities"]),
            last=last,
            skills=SKILLS,
        )


def _distances(squared: dict[str, int]) -> dict[str, float]:
    return {name: round(sqrt(d), 1) for name, d in squared.items()}
