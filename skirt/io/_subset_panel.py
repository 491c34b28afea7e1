"""What a subset's file needs beside the chosen items to place a new model."""

import math
from dataclasses import dataclass, field

import numpy as np

from skirt.io._score_banks import banks_from_json, banks_to_json, numbers
from skirt.io._words import few

_MODEL_COLUMNS = ("ability", "ability_se", "score")


@dataclass(frozen=True, repr=False, eq=False)
class CalibratedPanel:
    """All items of the benchmark, and the models that calibrated them.

    Attributes
    ----------
    items : list of str
        All items of the benchmark.
    discrimination, intercept : ndarray of shape (n_items,)
    covariance : ndarray of shape (n_items, 3) or None
        Of each item's discrimination and intercept: variance of the one, covariance,
        variance of the other; None where nothing is known of their errors.
    models : list of str
    ability, ability_se : ndarray of shape (n_models,)
        Of the panel's models, from all items.
    score : ndarray of shape (n_models,)
        Their full-benchmark scores.
    widen : float
        How much wider than by the model alone the interval of a predicted score has
        to be, as measured on held-out models; 1 where it was not.
    held_out_error : float or None
        Mean absolute error of scores predicted from as many items, of held-out
        models; None where it was not measured.
    independent_models : int or None
        Models that are no variants of each other; None where it was not counted.
    banks : list of ScoreBank
        Of several abilities each, all items: predicted scores are the mean of what
        they and the bank of one ability say. Empty on panels too small for them.
    """

    items: list
    discrimination: np.ndarray
    intercept: np.ndarray
    covariance: np.ndarray | None
    models: list
    ability: np.ndarray
    ability_se: np.ndarray
    score: np.ndarray
    widen: float = 1.0
    held_out_error: float | None = None
    independent_models: int | None = None
    banks: list = field(default_factory=list)

    def __post_init__(self):
        for name in ("items", "models"):
            names = getattr(self, name)
            if len(set(names)) < len(names):
                raise ValueError(f"Of the panel's {name} some have the same name.")

    def __repr__(self):
        return (
            f"CalibratedPanel of {len(self.models):,} models x {len(self.items):,} "
            "items"
        )

    @classmethod
    def from_bank(cls, bank, score, **facts):
        """Take what is needed from a bank that was fitted to the panel.

        Parameters
        ----------
        bank : fitted TwoPLEstimator or OnePLEstimator
        score : array-like of shape (n_models,)
            The models' full-benchmark scores.
        **facts
            `widen`, `held_out_error`, `independent_models` and `banks`.
        """
        uncertainty = bank._item_uncertainty
        return cls(
            items=[str(name) for name in bank.item_names_],
            discrimination=np.asarray(bank.discrimination_),
            intercept=np.asarray(bank.intercept_),
            covariance=None if uncertainty is None else uncertainty.covariance,
            models=[str(name) for name in bank.model_names_],
            ability=np.asarray(bank.ability_),
            ability_se=np.asarray(bank.ability_se_),
            score=np.asarray(score, dtype=np.float64),
            **facts,
        )

    def bank(self, items):
        """Return a fixed bank of some of the items, with what is known of its errors.

        Parameters
        ----------
        items : list of str

        Returns
        -------
        TwoPLEstimator
        """
        from skirt import TwoPLEstimator
        from skirt._fixed_bank import ItemUncertainty

        place = {name: j for j, name in enumerate(self.items)}
        chosen = [place[name] for name in items]
        bank = TwoPLEstimator()
        uncertainty = None
        if self.covariance is not None:
            uncertainty = ItemUncertainty(self.covariance[chosen], len(self.models))
        bank._keep_items(
            self.discrimination[chosen],
            self.intercept[chosen],
            np.array(items, dtype=object),
            uncertainty,
        )
        return bank

    def to_dict(self):
        """Return the parts of the JSON file by name."""
        bank = {
            "items": self.items,
            "discrimination": self.discrimination.tolist(),
            "intercept": self.intercept.tolist(),
            # Errors of errors matter little: four digits keep the file small.
            "covariance": None
            if self.covariance is None
            else [[float(f"{v:.4g}") for v in row] for row in self.covariance],
        }
        panel = {"models": self.models}
        panel |= {name: getattr(self, name).tolist() for name in _MODEL_COLUMNS}
        prediction = {
            "widen": self.widen,
            "held_out_error": self.held_out_error,
            "independent_models": self.independent_models,
        }
        banks = {"score_banks": banks_to_json(self.banks)} if self.banks else {}
        return {"bank": bank, "panel": panel, "prediction": prediction} | banks

    @classmethod
    def from_dict(cls, found, chosen):
        """Take the parts from a file's JSON, and check them.

        Parameters
        ----------
        found : dict
        chosen : list of str
            The subset's items.

        Returns
        -------
        CalibratedPanel or None
            None if the file has no bank.
        """
        if found.get("bank") is None:
            return None
        bank, panel = found["bank"], found.get("panel")
        prediction = found.get("prediction", {})
        if not all(isinstance(part, dict) for part in (bank, panel, prediction)):
            raise ValueError(
                "'bank', 'panel' and 'prediction' of a subset are JSON objects."
            )
        items, models = _names(bank, "items"), _names(panel, "models")
        absent = [name for name in chosen if name not in set(items)]
        if absent:
            raise ValueError(f"the bank has no item {few(absent)}.")
        independent = _at_least(prediction, "independent_models", 1.0, default=None)
        if independent is not None and not independent.is_integer():
            raise ValueError(
                f"'independent_models' is {independent:g}: it is a whole number."
            )
        covariance = None
        if bank.get("covariance") is not None:
            covariance = numbers(bank, "covariance", (len(items), 3))
        return cls(
            items=items,
            discrimination=numbers(bank, "discrimination", (len(items),)),
            intercept=numbers(bank, "intercept", (len(items),)),
            covariance=covariance,
            models=models,
            **{name: numbers(panel, name, (len(models),)) for name in _MODEL_COLUMNS},
            widen=_at_least(prediction, "widen", 1.0, default=1.0),
            held_out_error=_at_least(prediction, "held_out_error", 0.0, default=None),
            independent_models=None if independent is None else int(independent),
            banks=banks_from_json(found.get("score_banks", []), len(items)),
        )


def _names(found, key):
    names = found.get(key)
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError(f"{key!r} of the calibration is no list of names.")
    return names


def _at_least(found, key, least, default):
    value = found.get(key)
    if value is None:
        return default
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value < math.inf:
        raise ValueError(f"{key!r} is {value!r}: it is a number of at least {least:g}.")
    return float(value)
