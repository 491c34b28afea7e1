"""What every reader returns."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from skirt.io._words import count

_SHOWN_BENCHMARKS = 6
_SHOWN_NOTES = 12


@dataclass(frozen=True, repr=False)
class Results:
    """Responses of models to items, and what is known of both.

    Attributes
    ----------
    responses : DataFrame of shape (n_models, n_items), float64
        Indexed by model; columns are item ids, ``benchmark/item`` where the benchmark
        is known; both in the order of first appearance. 1 is the wanted outcome, 0 the
        other, NaN missing: not administered, failed with an error, or not graded.
    item_table : DataFrame of shape (n_items, n_facts)
        Indexed by item id, in the order of the columns of `responses`: ``benchmark``
        (None where unknown), ``item``, and what the source tells, such as ``subject``
        and ``content``, a hash of what was asked.
    model_table : DataFrame of shape (n_models, n_facts)
        Indexed by model, in the order of the rows of `responses`.
    notes : list of str
        What was left out or decided, why, and how many.
    source, format : str
        Where the results come from, and in which form.

    See Also
    --------
    read_results : Reads any of the formats.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_responses
    >>> table = io.StringIO("model,sums/1,sums/2\\nsmall,0,\\nlarge,1,1\\n")
    >>> results = read_responses(table)
    >>> results
    Results: 2 models x 2 items, wide table
    2 ones, 1 zero, 1 missing (25.0 %)
    Benchmark: sums (2 items)
    >>> results.item_table
           benchmark item
    id
    sums/1      sums    1
    sums/2      sums    2
    """

    responses: pd.DataFrame
    item_table: pd.DataFrame
    model_table: pd.DataFrame
    notes: list = field(default_factory=list)
    source: str = ""
    format: str = ""

    @property
    def groups(self):
        """The models' groups as a Series, or None where none were read."""
        return self.model_table["group"] if "group" in self.model_table else None

    def __repr__(self):
        n_models, n_items = self.responses.shape
        lines = [
            f"Results: {count(n_models, 'model')} x {count(n_items, 'item')}, "
            f"{self.format}",
            self._counts(),
        ]
        benchmarks = self.item_table["benchmark"].value_counts(sort=False)
        if len(benchmarks):
            shown = [
                f"{name} ({count(n, 'item')})"
                for name, n in benchmarks.head(_SHOWN_BENCHMARKS).items()
            ]
            more = ", ..." if len(benchmarks) > _SHOWN_BENCHMARKS else ""
            plural = "" if len(benchmarks) == 1 else "s"
            lines.append(f"Benchmark{plural}: {', '.join(shown)}{more}")
        lines += [f"- {note}" for note in self.notes[:_SHOWN_NOTES]]
        if len(self.notes) > _SHOWN_NOTES:
            lines.append(f"- and {len(self.notes) - _SHOWN_NOTES} more notes")
        return "\n".join(lines)

    def _counts(self):
        values = self.responses.to_numpy()
        n_missing = int(np.isnan(values).sum())
        ones, zeros = int((values == 1).sum()), int((values == 0).sum())
        return (
            f"{count(ones, 'one')}, {count(zeros, 'zero')}, {n_missing:,} missing "
            f"({100 * n_missing / max(values.size, 1):.1f} %)"
        )
