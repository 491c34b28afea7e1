"""Reading tables of evaluation results, and the subsets chosen from them."""

from skirt.io._subsets import read_subset, write_subset
from skirt.io._tables import read_responses

__all__ = ["read_responses", "read_subset", "write_subset"]
