"""The order of a plan: trips of one kind joined, what the bare hand can do first, stations put down late."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mirrorcraft.core.routes.problem import Problem
from mirrorcraft.core.routes.walk import Op, added, apply, burn, less


def arranged(
    problem: Problem, ops: Sequence[Op], have: Mapping[str, int], placed: set[str]
) -> list[Op]:
    """Return the same work in an order that wastes no trip, or the given order if no other is found.

    Trees, plants and animals are found above ground, so they come first; what can be crafted at once is, so that the
    furnace does not burn it; ores are mined in one go once there is a tool for them.

    Args:
        problem: tells what burns, and what the goal is.
        ops: a possible plan.
        have: what is owned at the start.
        placed: stations that stand at the start.
    """
    given = _scheduled(problem, ops, have, placed, keep_order=True) or list(ops)
    for pooled in (_pooled(ops, ("mine", "attack", "smelt")), _pooled(ops, ("mine", "attack"))):
        done = _scheduled(problem, pooled, have, placed)
        if done is not None:
            return _without_spare_fuel(problem, done, have, placed)
    return given


def _without_spare_fuel(
    problem: Problem, ops: list[Op], have: Mapping[str, int], placed: set[str]
) -> list[Op]:
    """Leave out the crafting of what would only be burnt, where its makings burn as well."""
    goal = {i for group in problem.goal for pool in group for i in pool}
    spare = {
        id(op.method): op
        for op in ops
        if op.method.skill == "craft_grid"
        and goal.isdisjoint(op.makes)
        and any(i in problem.fuels for i in op.makes)
        and any(i in problem.fuels for i in op.uses)
    }
    if not any(op.method.fuel_ticks for op in ops):
        return ops
    for op in spare.values():
        shorter = _scheduled(problem, [o for o in ops if o is not op], have, placed)
        if shorter is not None:
            return shorter
    return ops


def _pooled(ops: Sequence[Op], skills: tuple[str, ...]) -> list[Op]:
    """Return ops with those of one method and one of these skills joined, in batches where a batch is the limit."""
    joined: dict[int, Op] = {}
    result: list[Op] = []
    for op in ops:
        if op.method.skill not in skills:
            result.append(op)
        elif id(op.method) in joined:
            first = joined[id(op.method)]
            both = replace(
                first,
                count=first.count + op.count,
                uses=added(first.uses, op.uses),
                makes=added(first.makes, op.makes),
            )
            result[next(i for i, o in enumerate(result) if o is first)] = both
            joined[id(op.method)] = both
        else:
            joined[id(op.method)] = op
            result.append(op)
    return [part for op in result for part in _split(op)]


def _split(op: Op) -> Iterator[Op]:
    """Yield cooking ops of at most one batch; what they use and make is the same for every item."""
    if not op.method.fuel_ticks or op.count <= op.method.batch:
        yield op
        return
    left = op.count
    while left > 0:
        n = min(left, op.method.batch)
        left -= n
        makes = {i: k * n // op.count for i, k in op.makes.items()}
        yield replace(op, count=n, uses={op.target: n}, makes=makes)


def _rank(op: Op) -> int:
    """Return how early an op should come, 0 first."""
    skill = op.method.skill
    if skill in ("mine", "attack"):
        return 3 if op.method.tools else 0
    return {"craft_grid": 2 if op.method.station else 1, "smelt": 4, "place": 5}.get(skill, 6)


def _scheduled(
    problem: Problem,
    ops: Sequence[Op],
    have: Mapping[str, int],
    placed: set[str],
    keep_order: bool = False,
) -> list[Op] | None:
    """Return the ops, each as soon as it is possible, those of lower rank first; None when some never are.

    Cooking ops get the fuel that the body would burn at that time.
    """
    have, placed, done = dict(have), set(placed), []
    left = list(ops) if keep_order else sorted(ops, key=_rank)
    while left:
        candidates = left[:1] if keep_order else left
        tried = (_ready(problem, op, have, placed) for op in candidates)
        i, ready = next(((i, op) for i, op in enumerate(tried) if op), (0, None))
        if ready is None:
            return None
        del left[i]
        if ready.method.fuel_ticks and not keep_order:
            # More of the same is cooked before one walks away from the fire.
            same = [op for op in left if op.method is ready.method]
            left = same + [op for op in left if op.method is not ready.method]
        apply(have, ready)
        if ready.method.skill == "place" and not ready.makes:
            placed.add(ready.target)
        done.append(ready)
    return done


def _ready(problem: Problem, op: Op, have: Mapping[str, int], placed: set[str]) -> Op | None:
    """Return the op as it would go now, or None when it cannot go."""
    method = op.method
    if method.station and method.station not in placed:
        return None
    if method.tools and not any(have.get(t) for t in method.tools):
        return None
    if method.fuel_ticks:
        if have.get(op.target, 0) < op.count:
            return None
        inputs = {op.target: op.count}
        fuel = burn(problem.fuels, less(have, inputs), op.count * method.fuel_ticks)
        return None if fuel is None else replace(op, uses=added(inputs, fuel))
    return op if all(have.get(i, 0) >= n for i, n in op.uses.items()) else None
