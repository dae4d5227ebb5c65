"""Minecraft ids: namespaced at the edges, written without ``minecraft:`` everywhere inside."""

NAMESPACE = "minecraft:"


def strip(name: str) -> str:
    """Return the id without the ``minecraft:`` namespace; other namespaces stay."""
    return name.removeprefix(NAMESPACE)


def full(name: str) -> str:
    """Return the id with its namespace."""
    return name if ":" in name else NAMESPACE + name
