"""Evidence for why ability and mean score may rank the models differently."""

import numpy as np
import pandas as pd

from skirt.metrics import agreement_score, missingness_report

# Models of this difference in their share of 1 give an item opposite answers.
OPPOSITE = 0.8


def evidence(folder, name, X, bank, full_score, groups):
    """What may explain that ability and mean score rank the models differently."""
    mean_score = X.mean(axis=1).to_numpy()
    complete = X.notna().all(axis=1).to_numpy()
    out = {
        "rho_full": agreement_score(full_score, bank.ability_),
        "complete": int(complete.sum()),
        "eigenvalue_ratio": residual_eigenvalue_ratio(X, bank),
    }
    if 2 < complete.sum() < len(X):
        out["rho_complete"] = agreement_score(
            mean_score[complete], bank.ability_[complete]
        )
    if X.isna().to_numpy().any():
        report = missingness_report(X, full_score)
        out["missingness"] = {key: plain(value) for key, value in report.items()}
    if groups is not None:
        rows = pd.DataFrame({"score": mean_score, "ability": bank.ability_})
        means = rows.groupby(groups).mean()
        within = rows.groupby(groups)[["score", "ability"]].corr("spearman")
        out["group_score"] = means["score"].to_dict()
        out["group_ability"] = means["ability"].to_dict()
        out["within_group_rho"] = {
            g: plain(within.loc[(g, "score"), "ability"]) for g in means.index
        }
        out["interaction_between"] = interaction_share(X, groups)
        by_group = X.groupby(groups).mean()
        spread = by_group.max() - by_group.min()
        out["varying_items"] = int((X.nunique() > 1).sum())
        out["opposite_items"] = int((spread > OPPOSITE).sum())
    parts = part_of_items(folder, name, X)
    if parts is not None:
        out["parts"] = part_table(X, parts, bank)
        if "missingness" in out:
            out["patterns"] = pattern_table(X, parts, bank, full_score)
    return out


def residual_eigenvalue_ratio(X, bank, n_draws=5):
    """Largest eigenvalue of the residuals, in units of what chance gives.

    Chance is the mean over seeded data sets drawn from the fitted one-dimensional
    model with the gaps of the real one: about 1 where one dimension suffices.
    """
    expected = bank.inverse_transform(bank.ability_)
    seen = X.notna().to_numpy()
    rng = np.random.default_rng(0)
    drawn = [
        _top_eigenvalue(np.where(seen, (rng.random(X.shape) < expected) - expected, 0))
        for _ in range(n_draws)
    ]
    observed = _top_eigenvalue(np.where(seen, X.to_numpy(float) - expected, 0))
    return float(observed / np.mean(drawn))


def _top_eigenvalue(residual):
    short = residual if residual.shape[0] < residual.shape[1] else residual.T
    return float(np.linalg.eigvalsh(short @ short.T)[-1])


def interaction_share(X, groups):
    """Share of what row and column means leave over that lies between the groups."""
    table = X - X.mean()
    table = table.sub(table.mean(axis=1), axis=0)
    between = table.groupby(groups).transform("mean")
    return float((between**2).sum().sum() / (table**2).sum().sum())


def part_of_items(folder, name, X):
    """Return the part of the benchmark each item belongs to, None without any."""
    path = folder / f"{name}.items.csv"
    if not path.exists():
        return None
    items = pd.read_csv(path, index_col=0)
    items.index = items.index.astype(str)
    for column in ("benchmark", "category"):
        if column in items and items[column].nunique() > 1:
            return items[column].reindex(X.columns).fillna("other").to_numpy()
    return None


def part_table(X, parts, bank):
    """Agreement of every part (10 items or more) with the rest of the items."""
    flagged = bank.item_flags_["reversed"].to_numpy()
    out = []
    for part in sorted(set(parts)):
        own = parts == part
        if own.sum() < 10:
            continue
        score, rest = X.loc[:, own].mean(axis=1), X.loc[:, ~own].mean(axis=1)
        both = (score.notna() & rest.notna()).to_numpy()
        varies = both.sum() > 2 and score[both].nunique() > 1
        out.append(
            {
                "part": str(part),
                "items": int(own.sum()),
                "models": int(both.sum()),
                "mean": plain(score.mean()),
                "sd": plain(score.std()),
                "rho_ability": (
                    agreement_score(score[both], bank.ability_[both])
                    if varies
                    else None
                ),
                "rho_ability_rest": (
                    agreement_score(rest[both], bank.ability_[both]) if varies else None
                ),
                "rho_rest": (
                    agreement_score(score[both], rest[both]) if varies else None
                ),
                "reversed": int(flagged[own].sum()),
                "discrimination": float(np.median(bank.discrimination_[own])),
            }
        )
    return out


def pattern_table(X, parts, bank, full_score, most=8):
    """Score and ability of the models by which parts they answered."""
    answered = X.notna().T.groupby(parts).mean().T > 0.5
    label = answered.apply(lambda row: ", ".join(row.index[row]) or "none", axis=1)
    label[answered.all(axis=1)] = "all"
    rows = pd.DataFrame(
        {
            "observed": X.mean(axis=1),
            "ability": bank.ability_,
            "expected": full_score,
        }
    )
    table = rows.groupby(label).mean()
    table.insert(0, "models", rows.groupby(label).size())
    table = table.sort_values("models", ascending=False).head(most)
    return [
        {"answered": str(name), **{key: plain(v) for key, v in row.items()}}
        for name, row in table.to_dict("index").items()
    ]


def plain(value):
    """Turn NumPy's numbers into JSON's; NaN into null."""
    if isinstance(value, str):
        return value
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not np.isfinite(value) else value
