"""The page of `held_out_cells.py`."""

from pathlib import Path

from _held_out_measures import (
    AVERAGES,
    FEWEST_GROUPS,
    N_COMPONENTS,
    N_FOLDS,
    ONE_NORMAL,
    label,
)
from _held_out_sets import LEFT_OUT, MOST_ITEMS, RECIPES
from _real_data_format import listed, number, percent, table

OURS = [label(n) for n in N_COMPONENTS]
# With fewer, that there are few is why.
_FEW_MODELS = 15


def write_page(path, results, failed):
    """Write what was found, as it was found."""
    text = _head() + _sets(results)
    for average in AVERAGES:
        text += _differences(results, average)
    text += _where_not(results) + _numbers_of_components(results)
    text += _all_methods(results) + _warnings(results)
    if failed:
        text += f"\nFailed: {listed(failed)}.\n"
    Path(path).write_text(text)


def _head():
    return f"""\
# Held-out cells of real response matrices

Does `MultidimIRT` predict responses that it has not seen better than means and than
one-dimensional models do? Written by `examples/benchmarks/held_out_cells.py`; every
number below is computed by it, results as they came. To make it again, run

    python examples/benchmarks/held_out_cells.py --data FOLDER --page FILE

**Protocol.** `cross_val_responses` with {N_FOLDS} folds, seed 0: a random fifth of
every model's answers is held out at a time, each once; variants, trials and checkpoints
of one model are kept together (its answers to one item are held out at once).
`MultidimIRT` has 1 to 4 components and `discrimination_prior="auto"`; the table also
has one component under the normal prior that more components have ("1, normal"), as
"auto" takes a log-normal one there. All have `integration="variational"`, which "auto"
takes in all but the shortest sets too. Defaults otherwise. The baselines are those of
`cross_val_responses`: "1-D IRT" is the same as `MultidimIRT(1)`.

The log-loss is in nats, of probabilities within [.001, .999], for every method alike.
**Macro** averages are plain means over the parts of a set, **micro** ones over all
cells. Differences are `MultidimIRT` less the best baseline by that average (below 0 is
better), with 95 % intervals for other models like these (bootstrap over groups of
models, `CellScores.compare`). The best baseline is chosen by the very cells it is
judged by, which favours it a little. The number of components that is compared is not:
for each fold it is the one with the lowest macro log-loss on the *other* folds; where
these disagree, the majority's.
"""


def _sets(results):
    rows, notes = [], ""
    for r in results:
        models = f"{r['shape'][0]:,}"
        if r["groups"] < r["shape"][0]:
            models += f" ({r['groups']})"
        rows.append(
            [
                f"`{r['name']}`",
                models,
                f"{r['shape'][1]:,}",
                r["parts"],
                percent(r["missing"]),
                r["taken"],
            ]
        )
        notes += f"* `{r['name']}`: {r['note']}\n"
    absent = [name for name in RECIPES if name not in {r["name"] for r in results}]
    if absent:
        notes += f"\nNot in this run: {listed(absent)}.\n"
    return f"""
## The sets

In brackets the number of groups, where rows are variants of one model. Of sets with
more than {MOST_ITEMS:,} items as many are drawn at random from the parts, in proportion
("taken" has the size of the whole). {LEFT_OUT}
""" + (
        table(["set", "models", "items", "parts", "missing", "taken"], rows)
        + f"\n{notes}"
    )


def _differences(results, average):
    rows = []
    for r in results:
        baseline = r["baselines"][average]
        loss = r["summary"][average]
        found = r["differences"][average]
        rows.append(
            [
                f"`{r['name']}`",
                baseline,
                number(loss[baseline]["log_loss"], 4),
                *(_signed(found[m][0]) for m in [ONE_NORMAL, *OURS]),
                f"{r['chosen'].removeprefix('MultidimIRT')[1:-1]}: "
                f"{_interval(found[r['chosen']])}",
                _verdict(found[r["chosen"]]),
            ]
        )
    head = ["set", "best baseline", "log-loss", "1, normal", "1", "2", "3", "4"]
    return (
        f"\n## Log-loss, {average}: MultidimIRT less the best baseline\n"
        + table([*head, "components chosen: difference, interval", ""], rows)
        + f"\n{_counts(results, average)}\n"
    )


def _counts(results, average):
    kinds: dict = {}
    for r in results:
        verdict = _verdict(r["differences"][average][r["chosen"]])
        kinds.setdefault(verdict, []).append(r["name"])
    return "\n".join(
        f"* {kind}: {len(kinds[kind])} of {len(results)} ({listed(kinds[kind])})"
        for kind in ("better", "lower", "equal", "higher", "worse")
        if kind in kinds
    )


def _verdict(difference):
    """The interval is on one side of 0, or only the estimate is."""
    value, low, high = difference
    if high < 0:
        return "better"
    if low > 0:
        return "worse"
    if abs(value) < 5e-5:
        return "equal"
    return "lower" if value < 0 else "higher"


def _where_not(results):
    """The sets on which the baseline is ahead, and what tells why."""
    text = ""
    for r in results:
        behind = [a for a in AVERAGES if _verdict(_chosen(r, a)) in ("worse", "higher")]
        if behind:
            text += _explained(r, behind)
    title = "\n## Where MultidimIRT is not at least as good\n"
    return title + (text or "\nOn none of these sets.\n")


def _chosen(result, average):
    return result["differences"][average][result["chosen"]]


def _explained(result, behind):
    ours = result["chosen"]
    text = f"\n### {result['name']}\n"
    for average in behind:
        baseline = result["baselines"][average]
        here, there = (result["evidence"][m] for m in (ours, baseline))
        text += f"""
By the {average} average `{ours}` has {_interval(_chosen(result, average))}
on {baseline}. The factor on the logits that fits the held-out cells best (below 1:
predictions are too sure) is {number(here["slope"])}, that of the baseline
{number(there["slope"])}; with it the micro log-loss would be
{number(here["calibrated"], 4)} and {number(there["calibrated"], 4)}.
"""
    if result["groups"] < result["shape"][0]:
        text += f"""
Its {result["shape"][0]} rows are {result["groups"]} models, and their answers to an
item are held out together. The fit counts the rows as independent: on so few models
that makes items look better known than they are; a mean over rows does not mind.
"""
    elif result["groups"] < _FEW_MODELS:
        text += f"""
{result["groups"]} models tell little of more than one ability, and a baseline of each
part or category takes its parts for unrelated at no such cost. The interval above tells
whether other models like these might come out the other way.
"""
    parts = result["by part"]
    baseline = result["baselines"]["macro"]
    worst = sorted(parts, key=lambda p: parts[p][baseline] - parts[p][ours])
    lost = [p for p in worst if parts[p][ours] > parts[p][baseline]]
    text += f"\nIt is behind on {len(lost)} of {len(parts)} parts, most on:\n"
    rows = [
        [p, number(parts[p][ours], 4), number(parts[p][baseline], 4)] for p in worst[:5]
    ]
    return text + table(["part", ours, baseline], rows)


def _numbers_of_components(results):
    rows = []
    for r in results:
        grid = r["grid"]
        on_models = ["-"] * 6
        if grid is not None:
            best = max(grid["scores"])
            on_models = [
                grid["picked"],
                number(best, 4),
                *(_signed(score - best) for score in grid["scores"]),
            ]
        by_cells = [pick.removeprefix("MultidimIRT")[1:-1] for pick in r["picks"]]
        rows.append([f"`{r['name']}`", " ".join(by_cells), *on_models])
    head = ["set", "held-out cells, by fold left out", "held-out models"]
    return f"""
## How many components?

The number with the lowest macro log-loss on the cells of the other folds, for each
fold; and where there are at least {FEWEST_GROUPS} groups of models, what
`GridSearchCV(MultidimIRT(), {{"n_components": [1, 2, 3, 4]}})` picks on held-out models
({N_FOLDS} folds of groups, shuffled, seed 0): the best marginal log-likelihood per
response, and what each number of components has less.
""" + table([*head, "best score", "1", "2", "3", "4"], rows)


def _all_methods(results):
    text = "\n## All methods\n"
    for r in results:
        macro, micro = (r["summary"][average] for average in AVERAGES)
        rows = [
            [
                method,
                *(number(macro[method][m], 4) for m in ("log_loss", "mae", "auc")),
                *(number(micro[method][m], 4) for m in ("log_loss", "mae", "auc")),
            ]
            for method in macro
        ]
        head = ["macro log-loss", "MAE", "AUC", "micro log-loss", "MAE", "AUC"]
        text += f"\n### {r['name']}, all methods\n" + table(["method", *head], rows)
    return text


def _warnings(results):
    text = ""
    for r in results:
        grid = r["grid"] or {"warnings": []}
        told = [f"* `{r['name']}`, cells: {w}\n" for w in r["warnings"]]
        told += [f"* `{r['name']}`, held-out models: {w}\n" for w in grid["warnings"]]
        text += "".join(told)
    return "\n## Warnings\n\n" + (text or "None.\n")


def _signed(value):
    text = number(abs(value), 4)
    if float(text) == 0:
        return text
    return f"{'-' if value < 0 else '+'}{text}"


def _interval(difference):
    value, low, high = (_signed(v) for v in difference)
    return f"{value} [{low}, {high}]"
