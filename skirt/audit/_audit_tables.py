"""The figures of an audit, laid out as tables."""

import numpy as np
import pandas as pd

from skirt.audit._verdicts import benchmark_verdict, subgroup_verdict


def benchmark_table(study):
    """One row a benchmark; the columns are described in `BenchmarkAudit`."""
    names = study.dimension_names
    table = study.table
    found = study.findings

    def named(places):
        return [None if k is None else names[k] for k in places]

    out = {
        "n_items": [len(own) for own in study.members],
        "n_varying": [int(study.varying[own].sum()) for own in study.members],
        "n_models": np.isfinite(study.scores).sum(axis=0),
        "mean_score": _means(study.scores),
        "target": table.target,
        "target_ability": named(study.targets),
        "dominant": named(f.dominant for f in found),
        "follows": named(f.follows for f in found),
    }
    correlation = np.array([links.correlation[0] for links in study.links])
    weight = np.array([links.weight[0] for links in study.links])
    recovered = np.array([left.recovered for left in study.left_out])
    for prefix, values in (
        ("correlation", np.clip(correlation, -1, 1)),
        ("weight", weight),
        ("recovered", recovered),
    ):
        out |= _by_dimension(prefix, values, names)
    out["reliability"] = [left.reliability for left in study.left_out]
    out |= {
        "compared": [
            None if f.first is None else f"{names[f.first]} - {names[f.second]}"
            for f in found
        ],
        **{
            key: [getattr(f, key) for f in found]
            for key in ("difference", "low", "high", "p", "p_adjusted")
        },
    }
    out |= _by_dimension("circular_correlation", study.circular, names)
    low, high = study.mean_discrimination + study.discrimination_reach
    for k, name in enumerate(names):
        out[f"discrimination_{name}"] = study.mean_discrimination[:, k]
        out[f"discrimination_{name}_low"] = low[:, k]
        out[f"discrimination_{name}_high"] = high[:, k]
    out |= _by_dimension("information_share", study.information_share, names)
    out |= {
        "purity": study.purity,
        "hidden_correlation": [h.latent_correlation for h in study.hidden],
        "hidden_p": [h.p for h in study.hidden],
        "hidden_p_adjusted": study.hidden_p_adjusted,
        "contradicts_target": [f.contradicts for f in found],
        "split": [
            bool(study.hidden_differs[b] or _differing(study, b))
            for b in range(len(found))
        ],
        "verdict": [
            benchmark_verdict(study, b, _differing(study, b)) for b in range(len(found))
        ],
    }
    frame = pd.DataFrame(out, index=pd.Index(table.names, name=table.by))
    for column in ("target", "target_ability", "dominant", "follows", "compared"):
        frame[column] = frame[column].astype(object)
    frame["contradicts_target"] = frame["contradicts_target"].astype("boolean")
    return frame


def subgroup_table(study):
    """One row for each sub-group of each benchmark."""
    names = study.dimension_names
    rows = study.subgroup_rows
    along, p, p_adjusted = study.subgroup_tests
    empty = np.full(study.size, np.nan)
    links = study.subgroup_links
    correlation = np.array(
        [empty if own is None else own.correlation[0] for own in links]
    ).reshape(len(rows), study.size)
    weight = np.array(
        [empty if own is None else own.weight[0] for own in links]
    ).reshape(len(rows), study.size)
    out = {
        study.table.by: [study.table.names[row.benchmark] for row in rows],
        "column": [row.column for row in rows],
        "subgroup": [row.name for row in rows],
        "n_items": [len(row.items) for row in rows],
        "n_varying": [int(study.varying[row.items].sum()) for row in rows],
        "mean_score": [_mean(study.responses[:, row.items]) for row in rows],
        "dominant": [
            names[int(r.argmax())] if np.isfinite(r).all() else None
            for r in correlation
        ],
    }
    out |= _by_dimension("correlation", np.clip(correlation, -1, 1), names)
    out |= _by_dimension("weight", weight, names)
    out |= {
        "latent_correlation": along,
        "p": p,
        "p_adjusted": p_adjusted,
        "differs": study.subgroup_differs,
        "verdict": [subgroup_verdict(study, row) for row in range(len(rows))],
    }
    frame = pd.DataFrame(out)
    for column in ("dominant", "verdict", "subgroup", "column", study.table.by):
        frame[column] = frame[column].astype(object)
    return frame


def item_parameters_table(study, item_names):
    """One row an item: what it belongs to, its parameters and flags."""
    bank, names = study.whole.bank, study.dimension_names
    a = study.whole.discrimination
    labels = np.asarray(study.table.names, dtype=object)
    frame = pd.DataFrame(
        {study.table.by: labels[study.table.code]},
        index=pd.Index([str(name) for name in item_names], name="item", dtype=object),
    )
    for column in study.table.subgroups:
        frame[column] = study.table.subgroups[column].to_numpy()
    for k, name in enumerate(names):
        frame[f"discrimination_{name}"] = a[:, k]
        frame[f"discrimination_{name}_se"] = study.discrimination_se[:, k]
    frame["intercept"] = bank.intercept_
    frame["mdisc"], frame["mdiff"] = bank.mdisc_, bank.mdiff_
    dominant = np.asarray([*names, None], dtype=object)
    frame["dominant"] = dominant[
        np.where(study.varying, np.abs(a).argmax(axis=1), len(names))
    ]
    flags = getattr(bank, "item_flags_", None)
    if flags is not None:
        frame = frame.join(flags.set_axis(frame.index))
    else:
        frame["constant"] = ~study.varying
    return frame


def model_table(study, model_names):
    """One row a model: abilities, their standard errors and benchmark means."""
    frame = pd.DataFrame(
        {"n_answers": (~np.isnan(study.responses)).sum(axis=1)},
        index=pd.Index(model_names, name="model", dtype=object),
    )
    se = np.sqrt(np.einsum("nkk->nk", study.whole.error))
    for k, name in enumerate(study.dimension_names):
        frame[name] = study.whole.ability[:, k]
        frame[f"{name}_se"] = se[:, k]
    means = {
        f"mean_{name}": study.scores[:, b] for b, name in enumerate(study.table.names)
    }
    return pd.concat([frame, pd.DataFrame(means, index=frame.index)], axis=1)


def dimension_table(study):
    """One row an ability: its label, who follows it, its correlations."""
    bank, names = study.whole.bank, study.dimension_names
    labels = [
        ", ".join(label for label, d in study.label_dimension.items() if d == k)
        for k in range(study.size)
    ]
    followers = [
        [
            name
            for name, found in zip(study.table.names, study.findings, strict=True)
            if found.follows == k
        ]
        for k in range(study.size)
    ]
    share = getattr(bank, "explained_share_", np.full(study.size, np.nan))
    frame = pd.DataFrame(
        {
            "targets": labels,
            "explained_share": share,
            "n_followers": [len(own) for own in followers],
            "followers": [", ".join(own) for own in followers],
        },
        index=pd.Index(names, name="ability", dtype=object),
    )
    phi = np.asarray(bank.ability_correlation_)
    for k, name in enumerate(names):
        frame[f"correlation_{name}"] = phi[:, k]
    return frame


def _by_dimension(prefix, values, names):
    return {f"{prefix}_{name}": values[:, k] for k, name in enumerate(names)}


def _differing(study, b):
    """The rows of the sub-groups of a benchmark that differ from its rest."""
    return [
        row
        for row in range(len(study.subgroup_rows))
        if study.subgroup_rows[row].benchmark == b and study.subgroup_differs[row]
    ]


def _means(scores):
    return [_mean(score) for score in scores.T]


def _mean(values):
    seen = values[~np.isnan(values)]
    return seen.mean() if seen.size else np.nan
