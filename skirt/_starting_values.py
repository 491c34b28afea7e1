"""Where the calibration starts."""

import numpy as np


def starting_values(data, common_slope):
    """Return rough slopes and intercepts from raw scores.

    Abilities are the models' standardised mean residuals, slopes the linear
    discriminant's, kept away from zero so that high ability is the better model.
    """
    weights = data.weights
    asked = data.answers_per_item()
    right = weights @ data.responses
    # Half an answer of each kind keeps the logits of unanimous items finite.
    share = (right + 0.5) / (asked + 1.0)
    residual = data.responses.sum(axis=1) - (data.masks @ share)[data.pattern]
    spread = (data.masks @ (share * (1 - share)))[data.pattern]
    ability = residual / np.maximum(spread, 1e-12)
    ability -= weights @ ability / weights.sum()
    scale = np.sqrt(weights @ np.square(ability) / weights.sum())
    if scale > 1e-9:
        ability /= scale
    mean_right = (weights * ability) @ data.responses
    if data.masks.shape[0] == 1:
        mean_asked = np.zeros(data.n_items)
    else:
        mean_asked = data.sum_over_patterns(ability[:, None])[:, 0] @ data.masks
    covariance = (mean_right - share * mean_asked) / np.maximum(asked, 1e-12)
    variance = share * (1 - share)
    slope = covariance / np.maximum(variance - np.square(covariance), 0.05 * variance)
    slope = np.clip(slope, 0.25, 2.5)
    if common_slope:
        slope = np.full_like(slope, slope.mean())
    intercept = np.log(share / (1 - share)) * np.sqrt(1 + np.square(slope) / 2.9)
    return slope, intercept
