"""Do new models come out on the scale of the panel that calibrated the items?

    python new_models_scale.py [--seeds 3]

Simulated panels of 100 models x 5,000 items and two abilities, and 300 more models that
answer the same items. The panel's abilities, as the calibration has them, are regressed
on the true ones; the new models' ought to follow the same regression. Printed is the
stretch against it, the root of the determinant of the ratio of the two: new models
scored by `transform`; the same scored as the panel's own are in calibration; and the
panel's own scored by `transform`, as if they were new. Then the root mean square error
of the first two against the regression.
"""

import argparse

import numpy as np

from skirt import MultidimIRT
from skirt._multidim._scoring import posterior_modes
from skirt._response_data import ResponseData
from skirt.datasets import make_multidim_responses

_PANEL, _NEW, _ITEMS = 100, 300, 5_000


def regression(theta, ability):
    """Coefficients of abilities on the true ones and a constant."""
    design = np.column_stack([theta, np.ones(len(theta))])
    return np.linalg.lstsq(design, ability, rcond=None)[0]


def stretch(own, other):
    """By how much one regression stretches abilities against another."""
    ratio = np.linalg.solve(own[:2], other[:2])
    return float(np.sqrt(np.linalg.det(ratio)))


def run(seed):
    """Return stretches and errors on one simulated panel."""
    drawn = make_multidim_responses(
        _PANEL + _NEW, _ITEMS, n_components=2, random_state=seed
    )
    X, theta = np.asarray(drawn.data, dtype=float), drawn.ability
    model = MultidimIRT(2).fit(X[:_PANEL])
    own = regression(theta[:_PANEL], model.ability_)
    new = model.transform(X[_PANEL:])
    data = ResponseData.from_matrix(X[_PANEL:])
    as_own, _ = posterior_modes(
        data, model._items, model.ability_correlation_, shaped=True
    )
    expected = np.column_stack([theta[_PANEL:], np.ones(_NEW)]) @ own
    panel_as_new = regression(theta[:_PANEL], model.transform(X[:_PANEL]))
    return [
        stretch(own, regression(theta[_PANEL:], new)),
        stretch(own, regression(theta[_PANEL:], as_own)),
        stretch(own, panel_as_new),
        float(np.sqrt(np.mean(np.square(new - expected)))),
        float(np.sqrt(np.mean(np.square(as_own - expected)))),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print("seed: new, new as the panel's own, panel as new; RMSE: new, as own")
    for seed in range(options.seeds):
        print(f"{seed}:", " ".join(f"{value:.3f}" for value in run(seed)), flush=True)


if __name__ == "__main__":
    main()
