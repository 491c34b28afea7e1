"""Replays as tables."""

import numpy as np
import pandas as pd

from skirt.adaptive._stopping import REASONS


def replay_trace(replay, models, items):
    """Return one row for each step of each model."""
    rows, steps = np.nonzero(replay.items >= 0)
    return pd.DataFrame(
        {
            "model": models[rows],
            "step": steps + 1,
            "item": items[replay.items[rows, steps]],
            "response": replay.responses[rows, steps],
            "ability": replay.ability[rows, steps],
            "standard_error": replay.standard_error[rows, steps],
        }
    )


def replay_summary(replay, models, at_end):
    """Return one row for each model; `at_end` are abilities and standard errors."""
    ability, error = at_end
    return pd.DataFrame(
        {
            "n_items": replay.n_items,
            "ability": ability,
            "standard_error": error,
            "stopped": np.asarray(REASONS, dtype=object)[replay.reason],
        },
        index=pd.Index(models, name="model"),
    )
