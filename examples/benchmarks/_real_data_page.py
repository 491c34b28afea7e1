"""Write the page of `real_data_table.py` from its results."""

import statistics

METHODS = {
    "fisher marginal": "Fisher, marginal",
    "fisher total": "Fisher, total",
    "fisher stratified": "Fisher, stratified",
    "anchor": "anchor points",
    "disagreement": "disagreement",
    "random": "random",
}
# Short names of the documented warnings, by what their messages begin with.
WARNINGS = {
    "ConvergenceWarning: The calibration stopped": "not converged",
    "UserWarning: An estimated prior is at its bound": "prior at its bound",
    "UserWarning: The panel": "panel",
}
# Below this the ranking by ability is explained.
HIGH = 0.97
# The size at which agreement is compared directly, or half of a shorter benchmark.
FIXED_SIZE = 10

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
  estimated prior, free of shrinkage (`discrimination_cv`).
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
tested.
Protocol: 20 random half splits of the models, seed 0, the default of
`agreement_curve`; items are chosen on one half and agreement is measured on the other;
groups stay whole. The full-benchmark score is the observed mean, or, with gaps, the
mean over all items of observed and expected responses. Sizes tested: every one to 10,
then each at most 1.2 times the one before up to {largest}, and the whole benchmark;
anchor points, which must be clustered anew for each size, only up to {anchors}
(`> {anchors}`: not reached by then). "-": not reached even with every item. **saving**:
1 - k\\* / items, of Fisher (marginal) and of random items.
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
What choice and score contribute on sets with more than 5 % missing: the mean of the
observed answers to random items compares models on different items; mean agreement at
k = {k} of random items scored so, of random items scored by ability, and of Fisher's:
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
        *(_explained(result) for result in results if _worth_explaining(result)),
        _reading(results),
    ]
    if failed:
        text.append(f"\nFailed and left out: {', '.join(failed)}.\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(text))


def _table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n" + "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _number(value, digits=2):
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    text = text.replace("-0.", "-.") if text.startswith("-") else text
    text = text.removeprefix("0") if text.startswith("0.") else text
    return text.removeprefix("-") if float(text) == 0 else text


def _percent(share, digits=1):
    return "-" if share is None else f"{100 * share:.{digits}f} %"


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
                _percent(r["missing"]) if r["missing"] else "0",
                _number(r["cv"]),
                _number(r["cv_corrected"]),
                r["steps"],
                _warned(r),
                _number(r["rho"], 3),
                _number(mean, 3),
                _number(sd, 3),
                _number(r["evidence"]["eigenvalue_ratio"], 1),
            ]
        )
    return CALIBRATION + _table(head, rows)


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
            _percent(_saving(r, "fisher marginal")),
            _percent(_saving(r, "random")),
        ]
        for r in results
    ]
    return text + _table(head, rows)


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


def _fixed_size(result):
    return min(FIXED_SIZE, max(result["items"] // 2, 1))


def _at(result, method, k):
    table = result["curve"]["table"]
    return next(row for row in table if row["method"] == method and row["k"] == k)


def _fixed(results):
    head = ["data set", "k", *METHODS.values(), "won"]
    rows = []
    for r in results:
        k = _fixed_size(r)
        cells = []
        for method in METHODS:
            row = _at(r, method, k)
            cell = _number(row["mean"])
            if method in ("fisher marginal", "random") and row["low"] is not None:
                cell += f" ({_number(row['low'])} to {_number(row['high'])})"
            cells.append(cell)
        won = r["curve"]["won"][str(k)]
        rows.append([f"`{r['name']}`", k, *cells, f"{won:g}"])
    text = FIXED.format(k=FIXED_SIZE, twice=2 * FIXED_SIZE)
    return text + _table(head, rows)


def _ceiling(results):
    head = ["data set", "models above .95", "abilities"]
    head += ["pairs that differ", "neighbours that differ"]
    rows = []
    for r in results:
        top = r["ceiling"]
        if not top["models"]:
            continue
        low, high = (_number(value) for value in top["range"])
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
    return CEILING + _table(head, rows)


def _gaps(results):
    head = ["data set", "missing", "rate and score", "gaps as 0", "left out"]
    head += ["rho", "rho, full", "rho, complete rows"]
    rows = []
    for r in results:
        report = r["evidence"].get("missingness")
        if report is None:
            continue
        complete = _number(r["evidence"].get("rho_complete"), 3)
        rows.append(
            [
                f"`{r['name']}`",
                _percent(r["missing"]),
                _number(report["rate_score_correlation"]),
                _number(report["agreement_gaps_wrong"], 3),
                _number(report["agreement_gaps_left_out"], 3),
                _number(r["rho"], 3),
                _number(r["evidence"]["rho_full"], 3),
                f"{complete} ({r['evidence']['complete']:,})",
            ]
        )
    return GAPS + _table(head, rows)


def _by_ability(results, k=20):
    rows = [
        [
            f"`{r['name']}`",
            _number(_at(r, "random", k)["mean"]),
            _number(r["random_ability"][str(k)]),
            _number(_at(r, "fisher marginal", k)["mean"]),
        ]
        for r in results
        if r["random_ability"]
    ]
    if not rows:
        return ""
    head = ["data set", "random, mean", "random, ability", METHODS["fisher marginal"]]
    return BY_ABILITY.format(k=k) + _table(head, rows)


def _variants(results, k=10):
    rows = []
    for r in results:
        if not r["variants_split"]:
            continue
        row = [f"`{r['name']}`"]
        for method in ("fisher marginal", "random"):
            row.append(_number(_at(r, method, k)["mean"]))
            row.append(_number(r["variants_split"][method][str(k)]))
        rows.append(row)
    if not rows:
        return ""
    head = ["data set", "Fisher, whole", "Fisher, split"]
    head += ["random, whole", "random, split"]
    return VARIANTS.format(k=k) + _table(head, rows)


def _worth_explaining(result):
    return result["rho"] < HIGH or _contrary_part(result) is not None


def _contrary_part(result):
    """The part of a benchmark that runs against the rest or apart from it, if any."""
    if result["groups"]:
        return None  # too few models for a correlation over them
    parts = [p for p in result["evidence"].get("parts", ()) if p["items"] >= 50]
    parts = [p for p in parts if p["rho_rest"] is not None and p["models"] >= 20]
    worst = min(parts, key=lambda part: part["rho_rest"], default=None)
    return worst if worst and worst["rho_rest"] < 0.1 else None


def _explained(result):
    found = result["evidence"]
    ratio = _number(found["eigenvalue_ratio"], 1)
    text = f"\n### {result['name']}: rho = {_number(result['rho'], 3)}\n"
    if "group_score" in found:
        text += _on_groups(result, ratio)
    if "patterns" in found and result["missing"] > 0.05:
        text += _on_gaps(found)
    part = _contrary_part(result)
    if part is not None:
        text += (
            f"\nThe {part['items']} items of the part {part['part']} rank the models "
            f"apart from the rest (rho of its score with that of all other items: "
            f"{_number(part['rho_rest'])}) and hold {part['reversed']} of the "
            f"{result['flags']['reversed']} items flagged as reversed; their median "
            f"discrimination is {_number(part['discrimination'])}. Ability follows the "
            f"majority: its rho with the mean of all other items is "
            f"{_number(part['rho_ability_rest'], 3)}, with that of this part "
            f"{_number(part['rho_ability'])}. The observed mean mixes the two "
            "dimensions; score such a part by itself.\n"
        )
    elif "parts" in found and "group_score" not in found:
        text += _on_parts(result, ratio)
    return text


def _on_groups(result, ratio):
    found = result["evidence"]
    score, ability = found["group_score"], found["group_ability"]
    within = [rho for rho in found["within_group_rho"].values() if rho is not None]
    text = (
        f"\nNot one-dimensional: {result['models']} rows are only {result['groups']} "
        f"models, and {_percent(found['interaction_between'], 0)} of what row and item "
        "means leave over is how the models differ by item. Of "
        f"{found['varying_items']} items that vary, {found['opposite_items']} get "
        "opposite answers from two of the models (shares of 1 that differ by more "
        f"than .8). The residual eigenvalue is {ratio} times that of one dimension. "
        "One axis must then order the models by the contrast that explains most "
        f"items. Within a model, rho is {_number(min(within))} to "
        f"{_number(max(within))} (median {_number(statistics.median(within))}).\n"
    )
    ordered = sorted(score, key=lambda group: -score[group])
    rows = [
        [group, _number(score[group], 3), _number(ability[group])] for group in ordered
    ]
    return text + _table(["model", "mean score", "mean ability"], rows)


def _on_gaps(found):
    text = (
        "\nObserved means of models that answered different parts are not comparable; "
        f"with the full-benchmark score rho is {_number(found['rho_full'], 3)}, on "
        f"the {found['complete']:,} complete rows {_number(found['rho_complete'], 3)}. "
        "By parts answered (means over the models):\n"
    )
    rows = [
        [
            row["answered"],
            f"{row['models']:.0f}",
            _number(row["observed"], 3),
            _number(row["expected"], 3),
            _number(row["ability"]),
        ]
        for row in found["patterns"]
    ]
    head = ["answered", "models", "observed mean", "full-benchmark score", "ability"]
    return text + _table(head, rows)


def _on_parts(result, ratio):
    parts = [p for p in result["evidence"]["parts"] if p["rho_ability"] is not None]
    text = (
        "\nThe parts do not measure one thing either: the residual eigenvalue is "
        f"{ratio} times that of one dimension, and {result['flags']['reversed']} items "
        "are flagged as reversed. Ability weights parts by discrimination, the mean "
        "by the spread of their scores:\n"
    )
    rows = [
        [
            part["part"],
            part["items"],
            _number(part["sd"], 3),
            _number(part["discrimination"]),
            _number(part["rho_rest"]),
            _number(part["rho_ability"]),
            part["reversed"],
        ]
        for part in parts
    ]
    head = ["part", "items", "SD of scores", "median discrimination"]
    head += ["rho with the rest", "rho with ability", "reversed"]
    return text + _table(head, rows)


def _reading(results):
    """What the tables say of Fisher against random."""
    ratios = {r["name"]: _ratio(r) for r in results}
    known = {name: ratio for name, ratio in ratios.items() if ratio is not None}
    by_ratio = sorted(known, key=known.get, reverse=True)
    better = [name for name in by_ratio if known[name] > 1]
    equal = [name for name in by_ratio if known[name] == 1]
    worse = [name for name in by_ratio if known[name] < 1]
    text = "\n## Where choosing items pays, and where not\n"
    text += (
        f"\n* By k\\*, Fisher (marginal) needs fewer items than a random choice on "
        f"{len(better)} of {len(results)} sets: {_listed(better, known) or 'none'} "
        "(random's k\\* over Fisher's).\n"
        f"* As many: {_listed(equal) or 'none'}.\n"
        f"* More: {_listed(worse, known) or 'none'}.\n"
    )
    for r in results:
        if ratios[r["name"]] is None:
            text += _on_missed_target(r)
    won = {r["name"]: r["curve"]["won"][str(_fixed_size(r))] for r in results}
    clear = [name for name, n in won.items() if n >= 15]
    losing = [name for name, n in won.items() if n <= 10]
    text += (
        f"* At the one small size Fisher wins 15 splits of 20 or more on {len(clear)} "
        f"sets ({_listed(clear) or 'none'}), 10 or fewer on "
        f"{_listed(losing) or 'none'}.\n"
    )
    return text + _on_variants(results) + _on_rivals(results)


def _on_missed_target(result):
    """Say which of Fisher and random does not keep the target."""
    smallest = result["curve"]["smallest"]
    sides = (("fisher marginal", "Fisher"), ("random", "random items"))
    missed = [label for method, label in sides if smallest[method] is None]
    kept = [
        f"{label} keep it from {smallest[method]} on"
        for method, label in sides
        if smallest[method] is not None
    ]
    also = f" ({'; '.join(kept)})" if kept else ""
    return (
        f"* `{result['name']}`: .90 is not reached and kept by "
        f"{' and '.join(missed)}{also}. What all items together give by that score "
        "ranks the models by another thing than the full-benchmark score (see "
        "above); no choice of items mends that.\n"
    )


def _on_variants(results, k="10"):
    """Sets on which Fisher wins only where variants of one model are split."""
    names = []
    for r in results:
        split = r["variants_split"]
        if split and split["fisher marginal"][k] > split["random"][k]:
            whole = [_at(r, m, int(k))["mean"] for m in ("fisher marginal", "random")]
            if whole[0] < whole[1]:
                names.append(r["name"])
    if not names:
        return ""
    return (
        f"* On {_listed(names)} Fisher beats random at k = {k} only if variants of one "
        "model stand on both sides of a split: the items chosen fit the models that "
        "chose them, and do not carry over to new ones.\n"
    )


def _on_rivals(results):
    """Fisher beside the methods that need no calibration."""
    text = ""
    for rival in ("disagreement", "anchor"):
        fewer, same, more = 0, 0, 0
        for r in results:
            ours = r["curve"]["smallest"]["fisher marginal"] or float("inf")
            theirs = r["curve"]["smallest"][rival] or float("inf")
            fewer += ours < theirs
            same += ours == theirs
            more += ours > theirs
        text += (
            f"* Beside {METHODS[rival]}: Fisher needs fewer items on {fewer} sets, as "
            f"many on {same}, more on {more}.\n"
        )
    return text + (
        "* Where the whole benchmark has thousands of items and k\\* is some dozens, "
        "random items save nearly all of it too: the saving in percent hides the "
        "difference, the ratio of k\\* shows it.\n"
    )


def _ratio(result):
    smallest = result["curve"]["smallest"]
    ours, random = smallest["fisher marginal"], smallest["random"]
    return None if ours is None or random is None else random / ours


def _listed(names, ratios=None):
    if ratios is None:
        return ", ".join(f"`{name}`" for name in names)
    return ", ".join(f"`{name}` {_number(ratios[name], 1)}" for name in names)
