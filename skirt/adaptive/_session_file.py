"""Sessions as plain JSON files, replaced as a whole."""

import contextlib
import hashlib
import json
import os
import re
from dataclasses import replace

import numpy as np

from skirt.adaptive._stopping import StoppingRules

_FORMAT = "skirt adaptive session"
_VERSION = 1
_FIELDS = {"model", "autosave", "bank", "settings", "answers", "waiting", "n_chosen"}


def bank_fingerprint(items, names):
    """Return what tells one bank from another: a hash of its names and parameters.

    Parameters count to six digits, so that a bank that went through a file of
    difficulties, where the last bit may change, is the same.
    """
    digest = hashlib.sha256()
    digest.update(json.dumps([str(name) for name in names]).encode())
    for values in items.parameters:
        mantissa, exponent = np.frexp(values + 0.0)
        digest.update(np.round(mantissa * 2.0**20).astype("<i8").tobytes())
        digest.update(exponent.astype("<i8").tobytes())
    return digest.hexdigest()


def design_settings(design):
    """Return what makes two tests of the same bank go the same way, for JSON."""
    rules = design.rules
    return {
        "criterion": design.criterion,
        "dimensions": list(design.dimensions),
        "ability_method": design.ability_method,
        "start_ability": design.start_ability,
        "ability_bounds": None if design.bounds is None else list(design.bounds),
        "strata": _strata_digest(design.strata),
        "target_weights": _weights_digest(design.target.weights),
        "randomesque": design.randomesque,
        "n_items": rules.n_items,
        "se_target": None if rules.se_target is None else float(rules.se_target),
        "change_target": (
            None if rules.change_target is None else float(rules.change_target)
        ),
        "min_items": rules.min_items,
        "seed": design.seed,
    }


def with_settings(design, settings, path):
    """Return the design with the settings of a session; the strata must be its own."""
    if settings["strata"] != _strata_digest(design.strata):
        raise ValueError(
            f"The session in {os.fspath(path)!r} was started with other strata, or "
            "with none. Load it with a bench that has the same."
        )
    if settings.get("target_weights") != _weights_digest(design.target.weights):
        raise ValueError(
            f"The session in {os.fspath(path)!r} was started with other "
            "target_weights, or with none. Load it with a bench that has the same."
        )
    bounds = settings["ability_bounds"]
    return replace(
        design,
        criterion=settings["criterion"],
        dimensions=tuple(settings["dimensions"]),
        ability_method=settings["ability_method"],
        start_ability=settings["start_ability"],
        bounds=None if bounds is None else tuple(bounds),
        randomesque=settings["randomesque"],
        rules=StoppingRules(
            settings["n_items"],
            settings["se_target"],
            settings["change_target"],
            settings["min_items"],
        ),
        seed=settings["seed"],
    )


def write_session(path, session):
    """Write a session, so that at every moment the file is the old or the new one."""
    content = {"format": _FORMAT, "version": _VERSION, **session}
    replace_file(path, json.dumps(content))


def read_session(path):
    """Read what `write_session` wrote; say so if the file is something else."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{os.fspath(path)!r} is not JSON: {error}.") from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise ValueError(f"{os.fspath(path)!r} is no saved adaptive session.")
    if found.get("version") != _VERSION:
        raise ValueError(
            f"{os.fspath(path)!r} has version {found.get('version')!r}, and this "
            f"release reads version {_VERSION}."
        )
    lacking = sorted(_FIELDS - set(found))
    if lacking:
        raise ValueError(f"{os.fspath(path)!r} lacks {', '.join(lacking)}.")
    return found


def replace_file(path, text):
    """Replace a file's content; a crash at any moment leaves the old or the new."""
    path = os.path.abspath(os.fspath(path))
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        if os.path.exists(draft):
            os.unlink(draft)
        raise
    if hasattr(os, "O_DIRECTORY"):  # where folders can be synced
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_drafts(path):
    """Remove what processes that died while they replaced the file have left."""
    if os.name != "posix":
        return  # elsewhere there is no harmless way to ask whether a process lives
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    draft = re.compile(re.escape(f".{name}.") + r"(\d+)\.tmp")
    for found in filter(None, map(draft.fullmatch, os.listdir(folder))):
        try:
            os.kill(int(found[1]), 0)
        except ProcessLookupError:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, found[0]))
        except PermissionError:
            pass  # it lives, and is another user's


def _weights_digest(weights):
    """Return what tells weights apart; None for equal ones, as without any."""
    if np.ptp(weights) == 0.0:
        return None
    told = np.round(weights / weights.max() * 2.0**30).astype("<i8")
    return hashlib.sha256(told.tobytes()).hexdigest()


def _strata_digest(strata):
    if strata is None:
        return None
    labels = [str(strata.labels[code]) for code in strata.codes]
    return hashlib.sha256(json.dumps(labels).encode()).hexdigest()
