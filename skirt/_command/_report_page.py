"""The page of ``skirt report``: its beginning, its end, and the order between."""

from datetime import date

from skirt._command._data import data_sentences, missing_sentences
from skirt._command._page import escape, page, paragraphs, points
from skirt._command._report_audit import audit_section, audit_sentence
from skirt._command._report_items import items_section
from skirt._command._report_models import models_section
from skirt._command._report_sizing import enough_sentence, sizing_section
from skirt._command._words import count
from skirt._version import __version__

_WORDS = {
    "Model": "Whatever answered: a language model, a classifier, an agent.",
    "Item": "One question, prompt or task of the benchmark. An answer is 1 (right, "
    "safe, whatever is wanted) or 0.",
    "Ability": "A number for how good a model is, estimated from all its answers and "
    "from how hard the items are that it got right. 0 is the mean of these models; "
    "about two thirds of them lie between -1 and 1; higher is better.",
    "Standard error": "How far an estimate is typically off. The truth is within two "
    "standard errors about 19 times of 20.",
    "Difficulty": "The ability at which half of the answers to an item are 1.",
    "Discrimination": "How sharply an item parts better from worse models: with 0 it "
    "tells nothing, with 1 it tells something, with 2 and more a lot.",
    "Agreement": "How alike two rankings of the models are: 1 is the same order, 0 no "
    "relation (Spearman's rank correlation). Always on models that had no part in "
    "choosing the items.",
}


def report_page(report):
    """Return the page as a string of HTML.

    It holds no script and refers to nothing outside; every name in it is escaped.
    """
    pictures = iter(range(1, 100))
    sections = [
        ("data", "What was looked at", _data(report)),
        ("models", "How good the models are", models_section(report, pictures)),
        ("items", "What the items tell", items_section(report, pictures)),
        ("enough", "How few items would do", sizing_section(report, pictures)),
        ("benchmarks", "What each benchmark measures", audit_section(report, pictures)),
        ("words", "Words", _words()),
    ]
    links = "\n".join(
        f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title, _ in sections
    )
    body = "\n".join(
        f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{content}\n</section>'
        for name, title, content in sections
    )
    title = f"What the results tell: {report.panel.source}"
    return page(
        title,
        f"<header>\n<h1>What the results tell</h1>\n{paragraphs(_opening(report))}\n"
        f'<div class="summary">\n{points(_summary(report))}\n</div>\n'
        f'<nav aria-label="Sections"><ul>\n{links}\n</ul></nav>\n</header>\n'
        f"<main>\n{body}\n</main>\n<footer>{_footer(report)}</footer>",
    )


def _opening(report):
    n_models, n_items = report.panel.shape
    return (
        f"{count(n_models, 'model')} answered {count(n_items, 'item')}; the results "
        f"come from {report.panel.source}. A statistical model, item response theory, "
        "took their answers apart into how able each model is and how hard and how "
        "telling each item is. Words are explained at the end."
    )


def _summary(report):
    bank, panel = report.found.bank, report.panel
    table = bank.ability_table()
    best, error = table.index[0], table["se"].iloc[0]
    apart = (table["ability"].iloc[0] - table["ability"].iloc[1:]) > 2 * (
        error**2 + table["se"].iloc[1:] ** 2
    ) ** 0.5
    tied = int((~apart).sum())
    beside = "clearly ahead of all others"
    if tied:
        beside = f"but {count(tied, 'other')} cannot be told apart from it"
        beside += " by these items" if tied > 1 else ""
    sentences = [f"The ablest model is {best}, {beside}."]
    sentences.append(enough_sentence(report))
    flags = bank.item_flags_
    n_items = panel.shape[1]
    idle = int(flags["constant"].sum())
    if idle:
        sentences.append(
            f"{idle:,} of {count(n_items, 'item')} {'was' if idle == 1 else 'were'} "
            "answered alike by all models: nothing there tells who is better."
        )
    wrong = int(flags["reversed"].sum())
    if wrong:
        sentences.append(
            f"{count(wrong, 'item')} {'is' if wrong == 1 else 'are'} answered worse by "
            "better models: look for wrong keys."
        )
    if report.audit is not None:
        sentences.append(audit_sentence(report.audit))
    return sentences


def _data(report):
    panel = report.panel
    sentences = data_sentences(panel)[1:]
    if report.found.missingness is not None:
        sentences += missing_sentences(report.found.missingness)
    observed = panel.responses.to_numpy()
    right = float(observed[observed == observed].mean())
    sentences.insert(1, f"{100 * right:.1f} % of the answers are 1.")
    warned = ""
    if report.warnings:
        warned = "<h3>Warnings</h3>\n" + points(report.warnings)
    return points(sentences) + warned


def _words():
    terms = "\n".join(
        f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>"
        for word, text in _WORDS.items()
    )
    return f"<dl>\n{terms}\n</dl>"


def _footer(report):
    return (
        f'<p class="note">Written by skirt {escape(__version__)} on '
        f"{date.today().isoformat()}; seed {report.options.seed}.</p>"
    )
