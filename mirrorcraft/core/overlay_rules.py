"""Recipes, tags and advancements of a datapack: each file held to what the game accepts and a rulebook can say."""

from collections.abc import Iterator, Mapping
from typing import Any

from mirrorcraft.core.errors import InputError, OutsideError, PackError, did_you_mean
from mirrorcraft.core.facts import Advancement
from mirrorcraft.core.ids import strip
from mirrorcraft.core.recipes import (
    COOKING_TICKS,
    CookingRecipe,
    Ingredient,
    Recipe,
    ShapedRecipe,
    ShapelessRecipe,
    SmithingRecipe,
    recipe_from_json,
)
from mirrorcraft.core.rulebook import Rulebook

Tags = Mapping[str, tuple[str, ...]]

_SUPPORTED = ("crafting_shaped", "crafting_shapeless", *COOKING_TICKS, "smithing")


def read_recipe(content: Any, file: str, name: str, rules: Rulebook) -> Recipe:
    """Return a recipe file as a value.

    Args:
        content: the parsed file.
        file: its path, for errors.
        name: the recipe's id.
        rules: the rules with the pack's tags.

    Raises:
        PackError: the game would refuse the file.
        OutsideError: it is of a kind that no skill uses, or makes more than a slot holds.
    """
    kind = strip(str(content.get("type"))) if isinstance(content, dict) else ""
    if kind == "stonecutting" or kind.startswith("crafting_special_"):
        raise OutsideError(file, "type", kind, f"one of {', '.join(_SUPPORTED)}")
    if kind in COOKING_TICKS and not isinstance(content.get("result"), str):
        expected = "an item id: a 1.19 cooking recipe has no count"
        raise PackError(file, "result", content.get("result"), expected)
    try:
        recipe = recipe_from_json(name, content)
    except InputError as e:
        raise PackError(file, e.place, e.given, e.expected) from None
    for ingredient in ingredients(recipe):
        for option in ingredient:
            names = {f"#{tag}" for tag in rules.item_tags} if option[0] == "#" else rules.items
            _known(file, "ingredient", option, "an item or item tag", names, rules)
    _known(file, "result", recipe.result, "an item", rules.items, rules)
    _check_numbers(content, recipe, file, rules)
    return recipe


def ingredients(recipe: Recipe) -> Iterator[Ingredient]:
    """Yield what a recipe takes, equal ones of a pattern once."""
    if isinstance(recipe, ShapedRecipe):
        yield from recipe.key.values()
    elif isinstance(recipe, ShapelessRecipe):
        yield from recipe.ingredients
    elif isinstance(recipe, CookingRecipe):
        yield recipe.ingredient
    else:
        yield from (recipe.base, recipe.addition)


def _check_numbers(content: Any, recipe: Recipe, file: str, rules: Rulebook) -> None:
    if isinstance(recipe, CookingRecipe):
        if recipe.cookingtime < 1:
            raise OutsideError(file, "cookingtime", recipe.cookingtime, "at least one tick")
        if not 0 <= recipe.experience <= 1e6:
            raise OutsideError(file, "experience", recipe.experience, "0 to 1000000 points")
        return
    result = content["result"]
    if not isinstance(result, dict):
        raise PackError(file, "result", result, 'an object with "item"')
    count = result.get("count", 1)
    if type(count) is not int or count < 1:
        raise PackError(file, "result.count", count, "an integer above 0")
    most = 1 if isinstance(recipe, SmithingRecipe) else rules.items[recipe.result].stack
    if count > most:
        raise OutsideError(file, "result.count", count, f"at most {most} x {recipe.result}")


def _known(
    file: str,
    place: str,
    name: str,
    kind: str,
    names: Mapping[str, Any] | set[str],
    rules: Rulebook,
) -> None:
    if name not in names:
        raise PackError(file, place, name, f"{kind} of {rules.version}{did_you_mean(name, names)}")


def read_tag(content: Any, file: str, below: tuple[str, ...]) -> tuple[str, ...]:
    """Return the members of a tag under one more layer, names not yet checked.

    Args:
        content: the parsed file.
        file: its path, for errors.
        below: the members that the layers below give.

    Returns:
        Members in order, each once; an optional one has a ``?`` in front.

    Raises:
        PackError: the game would refuse the file.
    """
    match content:
        case {"values": list(values), **rest} if type(rest.get("replace", False)) is bool:
            names = [_tag_entry(v, file, f"values[{i}]") for i, v in enumerate(values)]
            return tuple(dict.fromkeys([*(() if rest.get("replace") else below), *names]))
    raise PackError(
        file, "", content, 'an object with the list "values" and "replace" true or false'
    )


def _tag_entry(value: Any, file: str, place: str) -> str:
    required = True
    if isinstance(value, dict) and value.keys() <= {"id", "required"}:
        value, required = value.get("id"), value.get("required", True)
    if not isinstance(value, str) or not value.strip("#") or type(required) is not bool:
        raise PackError(file, place, value, "an id, a #tag, or an object of id and required")
    name = "#" + strip(value[1:]) if value[0] == "#" else strip(value)
    return name if required else f"?{name}"


def check_tags(
    tags: Tags, known: Mapping[str, Any], files: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return tags without those optional members that do not exist.

    Args:
        tags: all tags of a kind, as ``read_tag`` gives their members.
        known: the items or blocks that there are.
        files: tag to the file that it came from, for the tags that a pack touched.

    Raises:
        PackError: a member that must exist does not, or a tag contains itself.
    """
    names = {*known, *(f"#{tag}" for tag in tags)}
    checked = dict(tags)
    for tag, file in files.items():
        for member in tags[tag]:
            if member[0] != "?" and member not in names:
                raise PackError(file, "values", member, f"a known id{did_you_mean(member, names)}")
        kept = [m.removeprefix("?") for m in tags[tag] if m.removeprefix("?") in names]
        checked[tag] = tuple(dict.fromkeys(kept))
    for tag, file in files.items():
        if f"#{tag}" in _below(tag, checked):
            raise PackError(file, "values", tag, "a tag that does not contain itself")
    return checked


def _below(tag: str, tags: Tags) -> set[str]:
    """Return every tag that a tag refers to, over any number of steps, as ``#name``."""
    seen: set[str] = set()
    todo = [tag]
    while todo:
        new = [m for m in tags[todo.pop()] if m[0] == "#" and m not in seen]
        seen.update(new)
        todo += [m[1:] for m in new]
    return seen


def read_advancement(content: Any, file: str, name: str, rules: Rulebook) -> Advancement | None:
    """Return an advancement, or None for one that only shows recipes in the recipe book.

    Args:
        content: the parsed file.
        file: its path, for errors.
        name: the advancement's id.
        rules: the rules with the pack's tags.

    Raises:
        PackError: the game would refuse the file.
        OutsideError: a criterion other than one item entering the inventory or one of the story's own;
            a reward with effects; several groups of requirements, which no single event completes.
    """
    criteria = content.get("criteria") if isinstance(content, dict) else None
    if not isinstance(criteria, dict) or not criteria:
        raise PackError(file, "criteria", criteria, "an object with at least one criterion")
    rewards = content.get("rewards", {})
    if not isinstance(rewards, dict):
        raise PackError(file, "rewards", rewards, "an object")
    if rewards.keys() == {"recipes"} and "display" not in content:
        return None
    if effects := sorted(rewards.keys() - {"recipes"}):
        raise OutsideError(file, "rewards", effects, "no rewards but recipes")
    requirements = _requirements(content, criteria, file)
    if len(requirements) > 1:
        expected = "one group: any one criterion completes it"
        raise OutsideError(file, "requirements", requirements, expected)
    for criterion, value in criteria.items():
        _check_criterion(value, file, f"criteria.{criterion}", rules)
    parent = content.get("parent")
    if parent is not None and not isinstance(parent, str):
        raise PackError(file, "parent", parent, "the id of an advancement")
    return Advancement(name, parent and strip(parent), criteria, requirements)


def _requirements(content: Any, criteria: Any, file: str) -> tuple[tuple[str, ...], ...]:
    given = content.get("requirements", [[name] for name in criteria])
    match given:
        case list() if all(isinstance(g, list) and g for g in given):
            named = [name for group in given for name in group]
            if all(isinstance(n, str) for n in named) and set(named) == set(criteria):
                return tuple(tuple(group) for group in given)
    raise PackError(file, "requirements", given, "lists that name every criterion")


def _check_criterion(value: Any, file: str, place: str, rules: Rulebook) -> None:
    story = [c for a in rules.advancements.values() for c in a.criteria.values()]
    if value in story:
        return
    match value:
        case {
            "trigger": "minecraft:inventory_changed" | "inventory_changed",
            "conditions": {"items": [{"items": list(items)} as wanted]} as conditions,
        } if len(wanted) == len(conditions) == 1:
            for item in items:
                _known(file, place, strip(str(item)), "an item", rules.items, rules)
        case {
            "trigger": "minecraft:inventory_changed" | "inventory_changed",
            "conditions": {"items": [{"tag": str(tag)} as wanted]} as conditions,
        } if len(wanted) == len(conditions) == 1:
            _known(file, place, strip(tag), "an item tag", rules.item_tags, rules)
        case {"trigger": str()}:
            expected = "inventory_changed with one item or tag, or a criterion of the story"
            raise OutsideError(file, place, value, expected)
        case _:
            raise PackError(file, place, value, "an object with a trigger")
