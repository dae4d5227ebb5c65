"""Tables as text for a terminal."""

from rich.table import Table as Grid

from mirrorcraft.study.table import Table


def grid(table: Table) -> Grid:
    """Return a table laid out for a terminal."""
    found = Grid(
        title=table.title,
        title_justify="left",
        caption=table.note or None,
        caption_justify="left",
    )
    for i, name in enumerate(table.columns):
        if i < table.words:  # names that differ in their last letters must not be cut
            found.add_column(name, justify="left", overflow="fold")
        else:
            found.add_column(name, justify="right", no_wrap=True)
    for row in table.rows:
        found.add_row(*row)
    return found
