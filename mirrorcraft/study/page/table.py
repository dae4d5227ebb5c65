"""Tables as HTML."""

from mirrorcraft.study.page.markup import Markup, tag
from mirrorcraft.study.table import Table


def grid(table: Table) -> Markup | None:
    """Return a table laid out for a page, scrolling by itself if too wide; None if empty."""
    if not table.rows:
        return None
    heads = [
        tag("th", name, scope="col", class_=_class(i, table))
        for i, name in enumerate(table.columns)
    ]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            [tag("td", text, class_=_class(i, table)) for i, text in enumerate(row[1:], 1)],
        )
        for row in table.rows
    ]
    said = [table.title, tag("small", table.note)] if table.note else [table.title]
    whole = tag("table", tag("caption", *said), tag("thead", tag("tr", heads)), tag("tbody", body))
    return tag("div", whole, class_="wide", tabindex=0, role="region", aria_label=table.title)


def _class(column: int, table: Table) -> str | None:
    return "word" if column < table.words else None
