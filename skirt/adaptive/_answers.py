"""The answers of models to items of their own, in the order in which they came."""

import numpy as np

_FEWEST = 16


class Answers:
    """What has been answered.

    Parameters
    ----------
    n_models, capacity : int
        Room for so many answers of each model; there will be more if needed.

    Attributes
    ----------
    count : ndarray of int of shape (n_models,)
    items : ndarray of int of shape (n_models, capacity)
        -1 beyond `count`.
    values : ndarray of shape (n_models, capacity)
        0 or 1; 0 beyond `count`.
    """

    def __init__(self, n_models, capacity):
        self.count = np.zeros(n_models, dtype=np.intp)
        self.items = np.full((n_models, capacity), -1, dtype=np.intp)
        self.values = np.zeros((n_models, capacity))

    def add(self, models, items, values):
        """Add one answer of each of the models."""
        place = self.count[models]
        capacity = self.items.shape[1]
        if place.max(initial=-1) >= capacity:
            more = (0, 0), (0, max(_FEWEST, capacity))
            self.items = np.pad(self.items, more, constant_values=-1)
            self.values = np.pad(self.values, more)
        self.items[models, place] = items
        self.values[models, place] = values
        self.count[models] += 1

    def last(self, models):
        """Return number, counted from 0, item and value of each one's last answer."""
        place = self.count[models] - 1
        return place, self.items[models, place], self.values[models, place]

    def of(self, models):
        """Return items and values of some models, no wider than the longest."""
        longest = self.count[models].max(initial=0)
        return self.items[models, :longest], self.values[models, :longest]

    def of_one(self, model):
        """Return the items that one model has answered."""
        return self.items[model, : self.count[model]]

    def one_by_one(self):
        """Yield the models, items and values of the first answers, the second, ..."""
        for step in range(int(self.count.max(initial=0))):
            models = np.flatnonzero(self.count > step)
            yield models, self.items[models, step], self.values[models, step]
