"""What wide and long tables share: whole rows, and cells that are no numbers."""

from skirt.io._sources import shorten


def full_rows(rows, n_columns):
    """Yield the rows with as many fields as the header; refuse others."""
    blank = 0
    for line, fields in rows.body:
        if len(fields) == n_columns:
            if fields == rows.header:
                raise ValueError(
                    f"{rows.source}, {rows.unit} {line} is the header again: were "
                    "files joined? Remove the line."
                )
            yield line, fields
        elif not fields:
            blank += 1
        else:
            less = "fewer" if len(fields) < n_columns else "more"
            raise ValueError(
                f"{rows.source}, {rows.unit} {line}: {len(fields)} fields, {less} than "
                f"the header's {n_columns}. Is the line cut off, or a separator or "
                "quotation mark missing?"
            )
    if blank:
        rows.notes.append(f"{blank} empty lines were ignored.")


def bad_cell(cells, cell, rows, line, model, item):
    """Return the value of a cell, or explain why it has none."""
    try:
        return cells[cell]
    except ValueError:
        raise ValueError(
            f"{rows.source}, {rows.unit} {line}, model {model!r}, item {item!r}: "
            f"{shorten(str(cell))} is not a response. Expected 0, 1 or, where there is "
            "none, an empty cell or NA; values={...} says what words mean; remove the "
            "column if it is not an item."
        ) from None
