"""Whether a subgoal that a model named by id holds in a state, and whether an action brought it about."""

from mirrorcraft.agents.history import Transition
from mirrorcraft.core.ids import strip
from mirrorcraft.core.observation import Observation


def holds(aim: str, now: Observation, count: int = 1) -> bool:
    """Return whether ``count`` of an item are owned, a station stands near, or an advancement is done."""
    aim = strip(aim)
    owned = now.inventory.get(aim, 0) >= count
    return owned or aim in now.facilities or aim in now.progress["done"]


def brought_about(aim: str, step: Transition) -> bool:
    """Return whether an action gave the item, station, advancement or sight of the target that was aimed at."""
    aim, before, after = strip(aim), step.before, step.after
    if step.last["delta"].get(aim, 0) > 0:
        return True
    if aim in after.progress["done"] and aim not in before.progress["done"]:
        return True
    if aim in after.facilities and aim not in before.facilities:
        return True
    if step.last["skill"] in ("explore", "prepare_access"):
        return bool(step.last["ok"]) and (aim in after.targets or aim in after.entities)
    return aim in after.equipped.values() and aim not in before.equipped.values()


def words(text: str) -> set[str]:
    """Return the words and ids of a text, ids also by their parts: for ``oak_log`` also ``oak`` and ``log``."""
    plain = "".join(c if c.isalnum() or c == "_" else " " for c in text.lower()).split()
    return {part for word in plain for part in (word, *word.split("_")) if len(part) > 2}
