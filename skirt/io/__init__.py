"""Reading results of evaluations, and the subsets chosen from them."""

from skirt.io._dispatch import read_results
from skirt.io._helm import read_helm
from skirt.io._inspect import read_inspect
from skirt.io._lm_eval import read_lm_eval
from skirt.io._py_irt import read_py_irt
from skirt.io._results import Results
from skirt.io._subset import Subset
from skirt.io._subset_files import calibration_fingerprint, read_subset, write_subset
from skirt.io._tables import read_responses

__all__ = [
    "Results",
    "Subset",
    "calibration_fingerprint",
    "read_helm",
    "read_inspect",
    "read_lm_eval",
    "read_py_irt",
    "read_responses",
    "read_results",
    "read_subset",
    "write_subset",
]
