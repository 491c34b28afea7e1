"""The rules of the response matrix: 1, 0 or missing, and nothing else."""

import numbers

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval

from skirt._sklearn_compat import validate_data

BINARIZE_CONSTRAINT = {"binarize": [None, Interval(numbers.Real, None, None, closed="neither")]}
