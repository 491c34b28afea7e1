"""The parts of a page of HTML that needs nothing but a browser."""

from html import escape

__all__ = ["details", "escape", "figure", "page", "paragraphs", "points", "table"]

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: #222;
  background: #fff; max-width: 48rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid #ddd; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, li, dd, figcaption { overflow-wrap: anywhere; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem;
  padding: 0; }
a { color: #0b5394; }
.summary { background: #f4f6f8; border-left: 4px solid #0072B2; padding: .4rem 1rem; }
.summary ul, section > ul { padding-left: 1.2rem; }
.summary li { margin: .35rem 0; }
figure { margin: 1.4rem 0; }
.wide { overflow-x: auto; }
figure svg { display: block; width: 100%; height: auto; min-width: 22rem;
  max-width: 44rem; }
figure.dense svg { min-width: 34rem; }
figcaption, .note { color: #444; font-size: .92rem; }
figcaption { margin-top: .4rem; }
table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; }
caption { text-align: left; color: #444; font-size: .92rem; padding: .2rem 0; }
th, td { padding: .25rem .7rem .25rem 0; border-bottom: 1px solid #ddd;
  text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #888; vertical-align: bottom; }
th[scope=row] { font-weight: 400; }
td.n, th.n { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
tr.best td, tr.best th { font-weight: 600; }
details { margin: .8rem 0; } summary { cursor: pointer; color: #0b5394; }
dt { font-weight: 600; margin-top: .6rem; } dd { margin: 0 0 0 1.2rem; }
@media print {
  body { max-width: none; font-size: 10.5pt; padding: 0; }
  nav { display: none; } .wide { overflow: visible; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  figure svg, figure.dense svg { min-width: 0; max-width: 12.5cm; }
  figure.dense svg { max-width: 15cm; max-height: 21cm; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""


def page(title, body):
    """Return a whole page; `body` is HTML, the title text."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    )


def paragraphs(*sentences):
    """Return each text as a paragraph."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in sentences if text)


def points(sentences, css=""):
    """Return texts as a list."""
    items = "\n".join(f"<li>{escape(text)}</li>" for text in sentences)
    return f"<ul{f' class={css!r}' if css else ''}>\n{items}\n</ul>"


def figure(svg, how_to_read, *, dense=False):
    """Return a picture with a sentence on how to read it.

    A dense picture is not made as narrow as a small screen, where it is scrolled.
    """
    css = ' class="dense"' if dense else ""
    return (
        f'<figure{css}>\n<div class="wide" tabindex="0">{svg}</div>\n'
        f"<figcaption>{escape(how_to_read)}</figcaption>\n</figure>"
    )


def table(columns, caption="", *, numbers=(), best=()):
    """Return columns of texts as a table, the first of which names the rows.

    Parameters
    ----------
    columns : dict of str to list of str
    caption : str
    numbers : collection of str
        Columns that are aligned to the right.
    best : collection of int
        Rows that stand out.
    """
    names = list(columns)
    right = [' class="n"' if name in numbers else "" for name in names]
    head = "".join(
        f'<th scope="col"{css}>{escape(name)}</th>'
        for name, css in zip(names, right, strict=True)
    )
    rows = []
    for i, cells in enumerate(zip(*columns.values(), strict=True)):
        first = f'<th scope="row"{right[0]}>{escape(cells[0])}</th>'
        rest = "".join(
            f"<td{css}>{escape(cell)}</td>"
            for cell, css in zip(cells[1:], right[1:], strict=True)
        )
        css = ' class="best"' if i in best else ""
        rows.append(f"<tr{css}>{first}{rest}</tr>")
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide" tabindex="0"><table>{told}<thead><tr>{head}</tr></thead>\n'
        "<tbody>\n" + "\n".join(rows) + "\n</tbody></table></div>"
    )


def details(summary, content):
    """Return content that is shown on demand."""
    return f"<details><summary>{escape(summary)}</summary>\n{content}\n</details>"
