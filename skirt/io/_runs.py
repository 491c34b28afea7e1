"""Runs of evaluation tools: their files, their models, the score that counts."""

import os
from pathlib import Path

_LISTED = 12
IF_REPEATED = "; runs that are different models get names from model_name="


def as_paths(path):
    """Return a path, or several, as a list of Path."""
    if isinstance(path, str | os.PathLike):
        return [Path(path)]
    if hasattr(path, "read"):
        raise ValueError("This format is read from files or folders, by their paths.")
    return [Path(one) for one in path]


def find_files(path, matches, what):
    """Return the files that are named, and those of a kind in the folders named.

    Parameters
    ----------
    path : str, os.PathLike or list of them
    matches : callable of a Path
        Says whether a file in a folder is of the kind.
    what : str
        The kind, for the message where there is none.
    """
    found: dict = {}
    for one in as_paths(path):
        if one.is_dir():
            files = sorted(
                file for file in one.rglob("*") if matches(file) and file.is_file()
            )
            if not files:
                raise ValueError(f"{one}: this folder holds no {what}.")
            found.update(dict.fromkeys(files))
        else:
            one.stat()  # raises where there is no such file
            found[one] = None
    if not found:
        raise ValueError(f"No file or folder to read {what} from.")
    return list(found)


def name_of_model(model_name, run, path, way_out):
    """Return what a model is to be called.

    Parameters
    ----------
    model_name : None, str or callable
        As the user gives it.
    run : dict
        What is known of the run: ``model`` (None if unknown) and ``path`` at least.
    """
    if callable(model_name):
        name = model_name(dict(run))
        if not isinstance(name, str) or not name:
            raise ValueError(f"{path}: model_name returns {name!r}; expected a name.")
        return name
    if model_name is not None:
        return model_name
    if not run.get("model"):
        raise ValueError(f"{path}: {way_out}")
    return run["model"]


def choose(wanted, choices, task, option, path):
    """Return the one of several scores (metrics, filters, scorers) that counts.

    Parameters
    ----------
    wanted : None, str, list of str or dict
        As the user gives it: a name, names in the order of preference, or either by
        task.
    choices : list of str
        What there is.
    """
    if isinstance(wanted, dict):
        wanted = wanted.get(task)
    listed = ", ".join(map(repr, choices[:_LISTED]))
    if len(choices) > _LISTED:
        listed += f" and {len(choices) - _LISTED} more"
    if wanted is None:
        if len(choices) == 1:
            return choices[0]
        raise ValueError(
            f"{path}: {task} has several choices of {option}: {listed}. Say "
            f"{option}={choices[0]!r} (--{option} {choices[0]}) or another."
        )
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name in choices:
            return name
    raise ValueError(
        f"{path}: {task} has no {option} {' or '.join(map(repr, names))}; it has "
        f"{listed}. A list is an order of preference (--{option} NAME,NAME), a dict "
        "chooses by task."
    )
