"""A live adaptive test of one model."""

import os
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real

import numpy as np

from skirt.adaptive._replay_tables import in_words, session_history
from skirt.adaptive._session_file import (
    bank_fingerprint,
    design_settings,
    read_session,
    remove_drafts,
    with_settings,
    write_session,
)
from skirt.adaptive._stopping import REASONS
from skirt.adaptive._tests_in_step import TestsInStep

_NO_RESPONSE = object()


class AdaptiveSession:
    """The adaptive test of one model, answer by answer.

    Made by :meth:`FluidBenchmark.start` or :meth:`load`, not directly. Ask
    `next_items` what to run, hand the outcome to `record`, until it is `done`.

    Attributes
    ----------
    model : str or None
        Name of the model that is tested.
    path : str or None
        File that every change is saved to; None if only :meth:`save` saves.
    ability, standard_error : float, or ndarray of shape (n_abilities,)
        The estimate from the answers so far; arrays with a bank of several abilities.
    expected_score, expected_score_error : float
        The full-benchmark score that is expected: answers as they are, items without
        one as the answers let expect; and its standard error.
    n_answers : int
        How many answers count.
    waiting : list of str
        Items that were handed out and have no answer yet.
    done : bool
        Whether a stopping rule has ended the test.
    stopped : str or None
        Which one: "standard_error", "change", "length" or "exhausted".
    history : DataFrame
        One row for each answer: step, item, response (NaN where it could not be
        scored), asked (False for an answer that was not asked for), and ability and
        standard_error after it (of several: ability0, ..., standard_error0, ...).

    Examples
    --------
    >>> from skirt import TwoPLEstimator
    >>> from skirt.adaptive import FluidBenchmark
    >>> bank = TwoPLEstimator.from_item_parameters(
    ...     discrimination=[1.0, 2.0, 1.5], difficulty=[-1.0, 0.0, 1.0],
    ...     names=["easy", "middling", "hard"],
    ... )
    >>> session = FluidBenchmark(bank, n_items=2).start(model="my-model")
    >>> session.next_items()
    ['middling']
    >>> session.record("middling", 1)
    >>> session.next_items()
    ['hard']
    >>> session.record({"hard": 0})
    >>> session.done, round(session.ability, 2)
    (True, 0.31)
    """

    def __init__(self, design, names, *, model=None, path=None):
        self.model = model
        self.path = None if path is None else os.fspath(path)
        self._design = design
        self._names = names
        self._place = {name: j for j, name in enumerate(names)}
        self._fingerprint = bank_fingerprint(design.items, names)
        key = 1 + zlib.crc32(str(model).encode())
        self._test = TestsInStep(design, np.ones((1, len(names)), dtype=bool), (key,))
        self._log: list = []  # (item, response, asked, ability, standard error)
        self._known: dict = {}  # item -> response
        self._waiting: list = []
        self._n_chosen = 0

    def __repr__(self):
        state = f"stopped by {self.stopped}" if self.done else "going on"
        return (
            f"<AdaptiveSession of {self.model!r}: {self.n_answers} answers, "
            f"{in_words(self.ability, self.standard_error, 2)}, {state}>"
        )

    @property
    def ability(self):
        """The estimate from the answers so far."""
        return _own(self._test.measured.ability)

    @property
    def standard_error(self):
        """Its standard error given the items."""
        return _own(self._test.measured.standard_error)

    @property
    def expected_score(self):
        """The full-benchmark score that the answers so far let expect."""
        return self._score()[0]

    @property
    def expected_score_error(self):
        """Its standard error, as a prediction of the score that all items show."""
        return self._score()[1]

    @property
    def n_answers(self):
        """How many answers count."""
        return int(self._test.answers.count[0])

    @property
    def waiting(self):
        """Items that were handed out and have no answer yet."""
        return [str(self._names[j]) for j in self._waiting]

    @property
    def done(self):
        """Whether a stopping rule has ended the test."""
        return self.stopped is not None

    @property
    def stopped(self):
        """The rule that has ended the test, or None."""
        reason = REASONS[self._test.reasons(np.array([0]))[0]]
        if not reason or (reason == "exhausted" and self._waiting):
            return None
        return reason

    @property
    def history(self):
        """The answers so far, one row each."""
        return session_history(self._log, self._names, self._design.items.n_abilities)

    def next_items(self, n=1):
        """Return the items to ask now.

        Parameters
        ----------
        n : int, default=1
            How many. They are chosen jointly: each one after the first is the one
            that, together with those before it, is expected to leave the smallest
            standard error of the ability (of several abilities, and with "rank" and
            "score": that does most for the criterion), wherever in its posterior the
            ability may be.

        Returns
        -------
        list of str
            Items that wait for an answer come first, so that asking again, or after
            a crash, gives the same items. Fewer than `n` where the test ends before;
            none once it is done.
        """
        whole = isinstance(n, Integral | np.integer) and not isinstance(n, bool)
        if not whole or n < 1:
            raise ValueError(f"n is {n!r}: give the number of items, at least 1.")
        if self.done:
            return []
        room = self._design.rules.n_items - self.n_answers - len(self._waiting)
        row = np.array([0])
        chosen = False
        for _ in range(min(n - len(self._waiting), room)):
            if not self._test.n_open[0]:
                break
            item = self._test.choose(row, self._n_chosen, self._waiting)[0]
            self._waiting.append(int(item))
            self._n_chosen += 1
            chosen = True
        if chosen:
            self._autosave()
        return self.waiting[:n]

    def record(self, item, response=_NO_RESPONSE, *, allow_unasked=False):
        """Take up the answer to an item, or to several.

        Recording the same answer again changes nothing. Nothing is recorded if
        anything is refused.

        Parameters
        ----------
        item : str or dict of str to response
            An item, or the answers to several.
        response : 0, 1 or None
            None says that the answer could not be scored: it does not count, and the
            item is not asked again.
        allow_unasked : bool, default=False
            Whether to accept items that were not handed out: answers known before,
            say.

        Raises
        ------
        ValueError
            On an item that the bank does not have, one that was not handed out, one
            that has another answer already, and a response that is not 0, 1 or None.
        """
        if isinstance(item, Mapping):
            if response is not _NO_RESPONSE:
                raise TypeError("Give either a dict of answers or an item and its own.")
            answers = dict(item)
        elif response is _NO_RESPONSE:
            raise TypeError(
                f"There is no response to {item!r}: give 0, 1, or None if it could not "
                "be scored."
            )
        else:
            answers = {item: response}
        new: dict = {}
        for name, value in answers.items():
            j, value = self._checked_answer(name, value, new, allow_unasked)
            if j not in self._known:
                new[j] = value
        for j, value in new.items():
            self._apply(j, value, asked=j in self._waiting)
        if new:
            self._autosave()

    def save(self, path=None):
        """Write the session to a JSON file.

        The file is replaced as a whole: a process that dies while writing leaves the
        one before.

        Parameters
        ----------
        path : str or os.PathLike, optional
            Default `path`, where the session has one.
        """
        if path is None:
            path = self.path
        if path is None:
            raise ValueError("This session has no file yet: name one, save(path).")
        write_session(
            path,
            {
                "model": self.model,
                "autosave": self.path is not None,
                "bank": {"n_items": len(self._names), "fingerprint": self._fingerprint},
                "settings": design_settings(self._design),
                "answers": [
                    {"item": str(self._names[j]), "response": value, "asked": asked}
                    for j, value, asked, *_ in self._log
                ],
                "waiting": self.waiting,
                "n_chosen": self._n_chosen,
            },
        )

    @classmethod
    def load(cls, path, bench):
        """Read a session, to go on where it was.

        Parameters
        ----------
        path : str or os.PathLike
            The file that it was saved to. If it was started with a `path`, it goes on
            to save every change, here.
        bench : FluidBenchmark
            With the bank, `strata` and `target_weights` that the session was started
            with. Its other parameters do not matter: a test goes on as it began.

        Returns
        -------
        AdaptiveSession

        Raises
        ------
        ValueError
            If the bank, the strata or the target weights are not those of the session,
            or the file is no session.

        Warns
        -----
        UserWarning
            If parameters of `bench` differ from those of the session, which hold.
        """
        found = read_session(path)
        remove_drafts(path)
        bench = bench._ready_to_start()
        session = cls(
            with_settings(bench._design, found["settings"], path),
            bench.item_names_,
            model=found["model"],
            path=path if found["autosave"] else None,
        )
        told = found["bank"]
        if told["fingerprint"] != session._fingerprint:
            raise ValueError(
                f"The session in {os.fspath(path)!r} was started with another bank, of "
                f"{told['n_items']} items; this one has {len(session._names)}, or "
                "other parameters or names. Load it with the bank it began with."
            )
        differing = sorted(
            name
            for name, value in design_settings(bench._design).items()
            if name != "seed" and value != found["settings"].get(name)
        )
        if differing:
            warnings.warn(
                "The session goes on as it began, and not as this bench would: they "
                f"differ in {', '.join(differing)}.",
                UserWarning,
                stacklevel=2,
            )
        for answer in found["answers"]:
            place = session._place[answer["item"]]
            session._apply(place, answer["response"], asked=answer["asked"])
        for name in found["waiting"]:
            place = session._place[name]
            session._waiting.append(place)
            session._test.close(np.array([0]), np.array([place]))
        session._n_chosen = found["n_chosen"]
        return session

    def _checked_answer(self, name, value, new, allow_unasked):
        """Return an answer as (position, 0, 1 or None), or refuse it."""
        j = self._place.get(str(name))
        if j is None:
            raise ValueError(
                f"The bank has no item {name!r}: answers are recorded by item name, "
                "as next_items gives it."
            )
        if value is not None:
            number = isinstance(value, Real | np.bool_) and (value == 0 or value == 1)
            if not number:
                raise ValueError(
                    f"The response to {name!r} is {value!r}: give 0, 1, or None if it "
                    "could not be scored."
                )
            value = int(value)
        known = self._known if j in self._known else new
        if known.get(j, value) != value:
            raise ValueError(
                f"Item {name!r} has the response {known[j]!r} already; {value!r} is "
                "another. A recorded response stays."
            )
        if j not in known and j not in self._waiting and not allow_unasked:
            raise ValueError(
                f"Item {name!r} was not asked: next_items has not given it. Pass "
                "allow_unasked=True to count its answer all the same."
            )
        return j, value

    def _apply(self, j, value, *, asked):
        self._known[j] = value
        if j in self._waiting:
            self._waiting.remove(j)
        if value is None:
            self._test.close(np.array([0]), np.array([j]))
        else:
            self._test.record(np.array([0]), np.array([j]), np.array([float(value)]))
        self._log.append((j, value, asked, self.ability, self.standard_error))

    def _score(self):
        seen = np.full((1, len(self._names)), np.nan)
        items, values = self._test.answers.of(np.array([0]))
        seen[0, items[0]] = values[0]
        score, error = self._design.target.predict(seen)
        return float(score[0]), float(error[0])

    def _autosave(self):
        if self.path is not None:
            self.save()


def _own(values):
    """Return the one model's number, or an array of its numbers."""
    return float(values[0]) if values.ndim == 1 else values[0].copy()


def start_session(bench, model, path):
    """Start a session of a bench that is ready, saving to `path` if there is one."""
    if path is not None and os.path.exists(path):
        raise FileExistsError(
            f"{os.fspath(path)!r} exists: go on with it by AdaptiveSession.load, or "
            "name another file."
        )
    session = AdaptiveSession(
        replace(bench._design), bench.item_names_, model=model, path=path
    )
    session._autosave()
    return session
