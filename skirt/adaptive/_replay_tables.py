"""Replays and sessions as tables."""

import numpy as np
import pandas as pd

from skirt.adaptive._stopping import REASONS


def ability_columns(ability, standard_error):
    """Return columns by name: ``ability``, or ``ability0`` and so on of several.

    Parameters
    ----------
    ability, standard_error : ndarray of shape (n,) or (n, n_abilities)
    """
    columns = {}
    for name, values in (("ability", ability), ("standard_error", standard_error)):
        if values.ndim == 1:
            columns[name] = values
        else:
            columns |= {f"{name}{k}": values[:, k] for k in range(values.shape[1])}
    return columns


def replay_trace(replay, models, items):
    """Return one row for each step of each model."""
    rows, steps = np.nonzero(replay.items >= 0)
    return pd.DataFrame(
        {
            "model": models[rows],
            "step": steps + 1,
            "item": items[replay.items[rows, steps]],
            "response": replay.responses[rows, steps],
            **ability_columns(
                replay.ability[rows, steps], replay.standard_error[rows, steps]
            ),
        }
    )


def replay_summary(replay, models, at_end):
    """Return one row for each model; `at_end` are abilities and standard errors."""
    return pd.DataFrame(
        {
            "n_items": replay.n_items,
            **ability_columns(*at_end),
            "stopped": np.asarray(REASONS, dtype=object)[replay.reason],
        },
        index=pd.Index(models, name="model"),
    )


def session_history(log, names, n_abilities):
    """Return one row for each answer of a session.

    Parameters
    ----------
    log : list of (item, response or None, asked, ability, standard error)
    names : ndarray of str
    n_abilities : int
    """
    columns = zip(*log, strict=True) if log else [()] * 5
    items, responses, asked, ability, error = columns
    shape = (len(log),) if n_abilities == 1 else (len(log), n_abilities)
    return pd.DataFrame(
        {
            "step": np.arange(1, len(log) + 1),
            "item": np.asarray([names[j] for j in items], dtype=object),
            "response": np.array(responses, dtype=np.float64),
            "asked": np.array(asked, dtype=bool),
            **ability_columns(
                np.reshape(np.array(ability, dtype=np.float64), shape),
                np.reshape(np.array(error, dtype=np.float64), shape),
            ),
        }
    )


def in_words(ability, standard_error, digits):
    """Return "ability 0.31 +/- 0.20", with several abilities one after the other."""
    told = ", ".join(
        f"{value:.{digits}f} +/- {error:.{digits}f}"
        for value, error in zip(
            np.atleast_1d(ability), np.atleast_1d(standard_error), strict=True
        )
    )
    return f"ability {told}"
