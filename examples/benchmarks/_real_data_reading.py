"""What the results of `real_data_table.py` say, in words with their numbers."""

import statistics

from _real_data_format import (
    METHODS,
    at,
    fixed_size,
    listed,
    number,
    percent,
    table,
)

# Below this the ranking by ability is explained.
HIGH = 0.97


def worth_explaining(result):
    return result["rho"] < HIGH or _contrary_part(result) is not None


def _contrary_part(result):
    """The part of a benchmark that runs against the rest or apart from it, if any."""
    if result["groups"]:
        return None  # too few models for a correlation over them
    parts = [p for p in result["evidence"].get("parts", ()) if p["items"] >= 50]
    parts = [p for p in parts if p["rho_rest"] is not None and p["models"] >= 20]
    worst = min(parts, key=lambda part: part["rho_rest"], default=None)
    return worst if worst and worst["rho_rest"] < 0.1 else None


def explained(result):
    found = result["evidence"]
    ratio = number(found["eigenvalue_ratio"], 1)
    text = f"\n### {result['name']}: rho = {number(result['rho'], 3)}\n"
    if "group_score" in found:
        text += _on_groups(result, ratio)
    if "patterns" in found and result["missing"] > 0.05:
        text += _on_gaps(found)
    part = _contrary_part(result)
    if part is not None:
        text += (
            f"\nThe {part['items']} items of the part {part['part']} rank the models "
            f"apart from the rest (rho of its score with that of all other items: "
            f"{number(part['rho_rest'])}) and hold {part['reversed']} of the "
            f"{result['flags']['reversed']} items flagged as reversed; their median "
            f"discrimination is {number(part['discrimination'])}. Ability follows the "
            f"majority: its rho with the mean of all other items is "
            f"{number(part['rho_ability_rest'], 3)}, with that of this part "
            f"{number(part['rho_ability'])}. The observed mean mixes the two "
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
        f"models, and {percent(found['interaction_between'], 0)} of what row and item "
        "means leave over is how the models differ by item. Of "
        f"{found['varying_items']} items that vary, {found['opposite_items']} get "
        "opposite answers from two of the models (shares of 1 that differ by more "
        f"than .8). The residual eigenvalue is {ratio} times that of one dimension. "
        "One axis must then order the models by the contrast that explains most "
        f"items. Within a model, rho is {number(min(within))} to "
        f"{number(max(within))} (median {number(statistics.median(within))}).\n"
    )
    ordered = sorted(score, key=lambda group: -score[group])
    rows = [
        [group, number(score[group], 3), number(ability[group])] for group in ordered
    ]
    return text + table(["model", "mean score", "mean ability"], rows)


def _on_gaps(found):
    text = (
        "\nObserved means of models that answered different parts are not comparable; "
        f"with the full-benchmark score rho is {number(found['rho_full'], 3)}, on "
        f"the {found['complete']:,} complete rows {number(found['rho_complete'], 3)}. "
        "By parts answered (means over the models):\n"
    )
    rows = [
        [
            row["answered"],
            f"{row['models']:,.0f}",
            number(row["observed"], 3),
            number(row["expected"], 3),
            number(row["ability"]),
        ]
        for row in found["patterns"]
    ]
    head = ["answered", "models", "observed mean", "full-benchmark score", "ability"]
    return text + table(head, rows)


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
            number(part["sd"], 3),
            number(part["discrimination"]),
            number(part["rho_rest"]),
            number(part["rho_ability"]),
            part["reversed"],
        ]
        for part in parts
    ]
    head = ["part", "items", "SD of scores", "median discrimination"]
    head += ["rho with the rest", "rho with ability", "reversed"]
    return text + table(head, rows)


def reading(results):
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
        f"{len(better)} of {len(results)} sets: {listed(better, known) or 'none'} "
        "(random's k\\* over Fisher's).\n"
        f"* As many: {listed(equal) or 'none'}.\n"
        f"* More: {listed(worse, known) or 'none'}.\n"
    )
    for r in results:
        if ratios[r["name"]] is None:
            text += _on_missed_target(r)
    won = {r["name"]: r["curve"]["won"][str(fixed_size(r))] for r in results}
    clear = [name for name, n in won.items() if n >= 15]
    losing = [name for name, n in won.items() if n <= 10]
    text += (
        f"* At the one small size Fisher wins 15 splits of 20 or more on {len(clear)} "
        f"sets ({listed(clear) or 'none'}), 10 or fewer on "
        f"{listed(losing) or 'none'}.\n"
    )
    text += _on_variants(results) + _on_larger_sizes(results)
    return text + _on_total(results) + _on_rivals(results)


def _on_missed_target(result):
    """Say which of Fisher and random does not keep the target."""
    smallest = result["curve"]["smallest"]
    sides = (("fisher marginal", "Fisher"), ("random", "random items"))
    missed = [label for method, label in sides if smallest[method] is None]
    kept = [
        f"{label} from {smallest[method]} on"
        for method, label in sides
        if smallest[method] is not None
    ]
    also = f" (it is by {'; '.join(kept)})" if kept else ""
    return (
        f"* `{result['name']}`: .90 is not reached and kept by "
        f"{' and '.join(missed)}{also}. Even all items together, scored that way, miss "
        "it: they rank the models by another thing than the full-benchmark score "
        "(see above).\n"
    )


def _on_larger_sizes(results, k="80"):
    """Sets whose complete rows random items rank better at a larger size."""
    overtaken = []
    for r in results:
        complete = (r["with_gaps"] or {}).get("complete")
        if complete and complete["random"].get(k, 0) > complete["fisher marginal"][k]:
            overtaken.append(r["name"])
    if not overtaken:
        return ""
    return (
        f"* With more items random ones catch up: at k = {k}, for models that answered "
        f"everything, they rank better than Fisher on {listed(overtaken)}. Fisher's "
        "score is the ability on one dimension, and tends to that ranking; the mean of "
        "random items tends to the full-benchmark score.\n"
    )


def _on_total(results):
    """Sets on which the criterion "total" needs far more items than "marginal"."""
    names = []
    for r in results:
        smallest = r["curve"]["smallest"]
        ours = smallest["fisher marginal"]
        if ours and (smallest["fisher total"] or r["items"]) > 2 * ours:
            names.append(r["name"])
    if not names:
        return ""
    return (
        f'* The criterion "total" needs more than twice the items of "marginal" on '
        f"{listed(names)}: it may take all its items where the same few models are "
        "measured.\n"
    )


def _on_variants(results, k="10"):
    """Sets on which Fisher wins only where variants of one model are split."""
    names = []
    for r in results:
        split = r["variants_split"]
        if split and split["fisher marginal"][k] > split["random"][k]:
            whole = [at(r, m, int(k))["mean"] for m in ("fisher marginal", "random")]
            if whole[0] < whole[1]:
                names.append(r["name"])
    if not names:
        return ""
    return (
        f"* On {listed(names)} Fisher beats random at k = {k} only if variants of one "
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
