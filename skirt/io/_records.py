"""Responses one after the other, with the place that each comes from."""

from array import array
from collections import Counter

import numpy as np


class Block:
    """Responses of one file; append to all of its arrays alike."""

    def __init__(self, source, unit="line"):
        self.source = source
        self.unit = unit  # what the places count
        self.models = array("q")
        self.items = array("q")
        self.values = array("d")
        self.places = array("q")

    def append(self, model, item, value, place):
        """Add one response: codes of model and item, its value, its place."""
        self.models.append(model)
        self.items.append(item)
        self.values.append(value)
        self.places.append(place)


class Records:
    """All responses that a reader finds.

    Attributes
    ----------
    models, items : dict of str to int
        Codes, in the order of first appearance.
    item_names : list of str
        By code.
    model_facts, item_facts : dict of str to dict
        What the source knows of them.
    ungraded : Counter
        Why responses are missing although the source has a record of them, as (what,
        why), ``("sample", "without a score")`` for one.
    notes : list of str
    other_content : dict of str to None
        Items that have other content in some places.
    if_repeated : str
        What else to do about repeated responses, for the message that refuses them.
    """

    def __init__(self):
        self.models: dict = {}
        self.items: dict = {}
        self.model_facts: dict = {}
        self.item_facts: dict = {}
        self.ungraded: Counter = Counter()
        self.notes: list = []
        self.if_repeated = ""
        self.other_content: dict = {}
        self.blocks: list = []
        self._content_at: dict = {}
        self.item_names: list = []

    def model(self, name, **facts):
        """Return the code of a model; facts are kept from its first time."""
        code = self.models.setdefault(name, len(self.models))
        known = self.model_facts.setdefault(name, {})
        for fact, value in facts.items():
            known.setdefault(fact, value)
        return code

    def item(self, name, **facts):
        """Return the code of an item; facts are kept from its first time."""
        code = self.items.get(name)
        if code is None:
            code = self.items[name] = len(self.items)
            self.item_facts[name] = facts
            self.item_names.append(name)
        return code

    def check_content(self, name, content, source, place, strict):
        """Compare what an item asks here with what it asked before.

        Parameters
        ----------
        name : str
            An item's id.
        content : str or None
            A hash of what is asked, if it is known.
        strict : bool
            Refuse other content; otherwise keep the item's name for the notes.
        """
        if content is None:
            return
        facts = self.item_facts[name]
        if facts.get("content") is None:
            facts["content"] = content
            self._content_at[name] = f"{source}, {place}"
        elif facts["content"] != content:
            if strict:
                raise ValueError(
                    f"{source}, {place}: item {name!r} has other content here than in "
                    f"{self._content_at[name]}: the runs used different versions of "
                    "the benchmark or of its prompt. Read them apart, or pass "
                    "check_content=False to take them for one item."
                )
            self.other_content[name] = None

    def add(self, source, unit, models, items, values, places):
        """Add arrays of responses: codes of models and items, values and places."""
        block = Block(source, unit)
        block.models, block.items = models, items
        block.values, block.places = values, places
        self.blocks.append(block)

    def columns(self):
        """Return arrays of model codes, item codes and values."""
        return tuple(
            np.concatenate(
                [np.empty(0, kind)]
                + [np.asarray(getattr(block, name), kind) for block in self.blocks]
            )
            for name, kind in (("models", int), ("items", int), ("values", float))
        )

    def place(self, number):
        """Return where the response of a number stands, in words."""
        for block in self.blocks:
            if number < len(block.values):
                return block.source, f"{block.unit} {int(block.places[number]):,}"
            number -= len(block.values)
        raise IndexError(number)
