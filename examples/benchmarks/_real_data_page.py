"""Write the page of `real_data_table.py` from its results."""

from _real_data_format import (
    FIXED_SIZE,
    METHODS,
    at,
    fixed_size,
    number,
    percent,
    table,
)
from _real_data_reading import explained, reading, worth_explaining

# Short names of the documented warnings, by what their messages begin with.
WARNINGS = {
    "ConvergenceWarning: The calibration stopped": "not converged",
    "UserWarning: An estimated prior is at its bound": "prior at its bound",
    "UserWarning: An estimated prior did not settle": "prior not settled",
}
INTRODUCTION = """# skirt on real response matrices

What `TwoPLEstimator` and the selectors do on {n} public response matrices with at
least 20 models: LLM benchmarks of capability and of safety, and classical tests, where
the "models" are people. Defaults everywhere. Written by
`examples/benchmarks/real_data_table.py`; to make it again, run

    python examples/benchmarks/real_data_table.py --data FOLDER

on a folder of `NAME.csv.gz` tables (rows are models, first column their names, then
one column an item, 1, 0 or empty). Every number below is computed by the script; the
data are not part of the package.

In the safety sets 1 is not always the desired answer (`refusalbench_bio`: 1 = refused,
also where refusing is wrong). Ability is then the tendency to answer 1, no merit.
"""

CALIBRATION = """
## Calibration

* **models**: rows; in brackets the number of groups where rows are variants of one
  model (named `model|variant`, or checkpoints `model_1`, `model_best`).
* **CV**: SD / mean of the discriminations. **corrected**: sqrt(exp(s_a^2) - 1) from the
  estimated prior, free of shrinkage (`discrimination_cv`); where that prior is at its
  bound, what the bound gives.
* **steps**: of the calibration. **warnings**: what it gave; nothing else was given.
* **rho**: Spearman's correlation of ability and observed mean score.
* **mean, SD**: of the population at the final parameters, integrated anew on a fine
  grid that follows each model's posterior (not the package's); SD = sqrt(variance of
  the posterior means + mean posterior variance). The scale is right if they are 0, 1.
* **residual**: largest eigenvalue of what the model leaves unexplained, in units of
  what data drawn from the fitted model leave. About 1 where one dimension suffices.
"""

SUBSETS = """
## Smallest subset that ranks held-out models

**k\\*** is the smallest size tested at which the mean held-out agreement (Spearman's
rho with the full-benchmark score) reaches .90 and stays there at every larger size
tested. Protocol: 20 random half splits of the models, seed 0, the default of
`agreement_curve`; items are chosen on one half and agreement is measured on the other;
groups stay whole. Rows that are related without such names (agents on one LLM,
fine-tunes) count as models of their own. The full-benchmark score is the observed
mean, or, with gaps, the mean over all items of observed and expected responses. Sizes
tested: every one to 10, then each at most 1.2 times the one before up to {largest}, and
the whole benchmark; anchor points, which must be clustered anew for each size, only up
to {anchors} (`> {anchors}`: not reached by then). "-": not reached even with every
item. **saving**: 1 - k\\* / items, of Fisher (marginal) and of random items.
"""

FIXED = """
## Agreement at one small size

Mean held-out agreement with k = {k} items (half of the items where there are fewer than
{twice}), with 95 % intervals from resampling the models (groups). **won**: splits of 20
in which Fisher (marginal) ranked the held-out models better than random items, ties as
half; splits share models, so 15 of 20 is no significance level.
"""

CEILING = """
## At the ceiling

Models with an observed mean above .95; the range of their abilities; how many of their
pairs, and of the pairs that are neighbours by ability, differ by more than
1.96 sqrt(SE1^2 + SE2^2), total standard errors. Sets without such models are left out.
"""

GAPS = """
## Gaps

Filling gaps from the model is right only if being missing does not depend on the unseen
answer. **rate and score**: correlation over models of missing rate and full-benchmark
score. **gaps as 0**, **left out**: Spearman's rho of the full-benchmark score with the
mean that counts gaps as wrong, and with the observed mean. **rho, full**: of ability
and full-benchmark score, beside **rho** with the observed mean. **rho, complete rows**:
with the observed mean, over the models that answered everything (in brackets how many).
"""


VARIANTS = """
## If variants of one model are split

Rows of one model (trials, temperatures, attacks, checkpoints) resemble one another. If
they may stand on both sides of a split, the held-out models are no new ones. Mean
agreement at k = {k}, groups whole as above and split; sets with groups, without the
largest:
"""

BY_ABILITY = """
Sets with more than 5 % missing, mean agreement at k = {sizes}. The mean of the
observed answers to random items compares models on different items, so random items
are scored by ability too: what then remains is due to the choice. The full-benchmark
score is partly filled in from the model itself, which favours scores by ability; on the
models that answered everything (**complete**; at most 1,000) it is a plain mean.
"""


def write_page(path, results, failed):
    """Write the page; `results` as `real_data_table.measure` returns them."""
    text = [
        INTRODUCTION.format(n=len(results)),
        _calibration(results),
        _subsets(results),
        _fixed(results),
        _ceiling(results),
        _gaps(results),
        _by_ability(results),
        _variants(results),
        "\n## Where ability and mean score disagree\n",
        *(explained(result) for result in results if worth_explaining(result)),
        reading(results),
    ]
    if failed:
        text.append(f"\nFailed and left out: {', '.join(failed)}.\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(text))


def _warned(result):
    told = []
    for message in result["warnings"]:
        short = [s for start, s in WARNINGS.items() if message.startswith(start)]
        told.append(short[0] if short else message)
    return "; ".join(told) or "none"


def _calibration(results):
    head = ["data set", "models", "items", "missing", "CV", "corrected"]
    head += ["steps", "warnings", "rho", "mean", "SD", "residual"]
    rows = []
    for r in results:
        groups = f" ({r['groups']})" if r["groups"] else ""
        mean, sd = r["population"]
        rows.append(
            [
                f"`{r['name']}`",
                f"{r['models']:,}{groups}",
                f"{r['items']:,}",
                percent(r["missing"]) if r["missing"] else "0",
                number(r["cv"]),
                number(r["cv_corrected"]),
                r["steps"],
                _warned(r),
                number(r["rho"], 3),
                number(mean, 3),
                number(sd, 3),
                number(r["evidence"]["eigenvalue_ratio"], 1),
            ]
        )
    return CALIBRATION + table(head, rows)


def _size(result, method):
    size = result["curve"]["smallest"][method]
    if size is not None:
        return f"{size:,}"
    most = result["curve"]["most_anchors"]
    return f"> {most}" if method == "anchor" and most < result["items"] else "-"


def _saving(result, method):
    size = result["curve"]["smallest"][method]
    return None if size is None else 1 - size / result["items"]


def _subsets(results):
    sizes = [r["curve"]["sizes"] for r in results]
    # The last size of each is the whole benchmark.
    text = SUBSETS.format(
        largest=max(size for tested in sizes for size in tested[:-1]),
        anchors=max(r["curve"]["most_anchors"] for r in results),
    )
    text += _sampled(results)
    head = ["data set", "items", *METHODS.values(), "saving", "saving, random"]
    rows = [
        [
            f"`{r['name']}`",
            f"{r['items']:,}",
            *(_size(r, method) for method in METHODS),
            percent(_saving(r, "fisher marginal")),
            percent(_saving(r, "random")),
        ]
        for r in results
    ]
    return text + table(head, rows)


def _sampled(results):
    """Say of which sets the curve saw not all."""
    told = [
        f"{r['curve'].get('models', r['models']):,} models of `{r['name']}`, drawn at "
        f"random (seed 0) from its {r['models']:,}"
        for r in results
        if r["curve"].get("models", r["models"]) < r["models"]
    ]
    if not told:
        return "\nAll models, items and splits are used for every set.\n"
    return (
        f"\n**Sampled**, in this and the next table: {'; '.join(told)}. Everything "
        "else uses all models, items and splits.\n"
    )


def _fixed(results):
    head = ["data set", "k", *METHODS.values(), "won"]
    rows = []
    for r in results:
        k = fixed_size(r)
        cells = []
        for method in METHODS:
            row = at(r, method, k)
            cell = number(row["mean"])
            if method in ("fisher marginal", "random") and row["low"] is not None:
                cell += f" ({number(row['low'])} to {number(row['high'])})"
            cells.append(cell)
        won = r["curve"]["won"][str(k)]
        rows.append([f"`{r['name']}`", k, *cells, f"{won:g}"])
    text = FIXED.format(k=FIXED_SIZE, twice=2 * FIXED_SIZE)
    return text + table(head, rows)


def _ceiling(results):
    head = ["data set", "models above .95", "abilities"]
    head += ["pairs that differ", "neighbours that differ"]
    rows = []
    for r in results:
        top = r["ceiling"]
        if not top["models"]:
            continue
        low, high = (number(value) for value in top["range"])
        neighbours = top["models"] - 1
        rows.append(
            [
                f"`{r['name']}`",
                top["models"],
                f"{low} to {high}",
                f"{top['apart']:,} of {top['pairs']:,}" if neighbours else "-",
                f"{top['neighbours_apart']} of {neighbours}" if neighbours else "-",
            ]
        )
    return CEILING + table(head, rows)


def _gaps(results):
    head = ["data set", "missing", "rate and score", "gaps as 0", "left out"]
    head += ["rho", "rho, full", "rho, complete rows"]
    rows = []
    for r in results:
        report = r["evidence"].get("missingness")
        if report is None:
            continue
        complete = number(r["evidence"].get("rho_complete"), 3)
        rows.append(
            [
                f"`{r['name']}`",
                percent(r["missing"]),
                number(report["rate_score_correlation"]),
                number(report["agreement_gaps_wrong"], 3),
                number(report["agreement_gaps_left_out"], 3),
                number(r["rho"], 3),
                number(r["evidence"]["rho_full"], 3),
                f"{complete} ({r['evidence']['complete']:,})",
            ]
        )
    return GAPS + table(head, rows)


def _by_ability(results, sizes=(20, 80)):
    rows = []
    for r in results:
        found = r["with_gaps"]
        if not found:
            continue
        means = [
            {str(k): at(r, method, k)["mean"] for k in sizes}
            for method in ("random", "fisher marginal")
        ]
        means.insert(1, found["random ability"])
        complete = found.get("complete", {})
        means += [complete.get("random", {}), complete.get("fisher marginal", {})]
        cells = [" / ".join(number(own.get(str(k))) for k in sizes) for own in means]
        rows.append([f"`{r['name']}`", *cells])
    if not rows:
        return ""
    head = ["data set", "random, mean", "random, ability", "Fisher"]
    head += ["complete: random, mean", "complete: Fisher"]
    told = " / ".join(map(str, sizes))
    return BY_ABILITY.format(sizes=told) + table(head, rows)


def _variants(results, k=10):
    rows = []
    for r in results:
        if not r["variants_split"]:
            continue
        row = [f"`{r['name']}`"]
        for method in ("fisher marginal", "random"):
            row.append(number(at(r, method, k)["mean"]))
            row.append(number(r["variants_split"][method][str(k)]))
        rows.append(row)
    if not rows:
        return ""
    head = ["data set", "Fisher, whole", "Fisher, split"]
    head += ["random, whole", "random, split"]
    return VARIANTS.format(k=k) + table(head, rows)
