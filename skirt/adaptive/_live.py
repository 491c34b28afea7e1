"""What `FluidBenchmark` does with live models: start a session, run one."""

import asyncio
import copy
import inspect
import os
import sys
from collections.abc import Mapping
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skirt.adaptive._bench_bank import fixed_bank, ready_bank
from skirt.adaptive._replay_tables import in_words
from skirt.adaptive._session import AdaptiveSession, start_session


class LiveMixin:
    """Live tests of a bench."""

    def start(self, model=None, *, path=None):
        """Start the live test of a model.

        Parameters
        ----------
        model : str, optional
            The model's name, for the records.
        path : str or os.PathLike, optional
            File to save every change of the session to, at once.

        Returns
        -------
        AdaptiveSession

        Raises
        ------
        NotFittedError
            If `fit` was not called. A bench with a fixed bank (from known item
            parameters, or frozen) needs no `fit`.
        FileExistsError
            If there is a file at `path`.
        """
        return start_session(self._ready_to_start(), model, path)

    def run(self, respond, *, model=None, path=None, batch_size=None, progress=False):
        """Test a live model by calling a function, until a stopping rule ends it.

        Parameters
        ----------
        respond : callable
            Takes an item's name and returns its response: 0, 1, or None if it could
            not be scored. With `batch_size` it takes a list of names and returns a
            dict of name to response, or the responses in that order. It may be
            asynchronous.
        model : str, optional
            The model's name, for the records.
        path : str or os.PathLike, optional
            File to save every answer to, at once. If it exists, the session in it
            goes on.
        batch_size : int, optional
            How many items to hand out at a time.
        progress : bool or callable, default=False
            True writes a line to the standard error stream after every answer; a
            callable is called with the session instead.

        Returns
        -------
        AdaptiveSession
            Its `ability`, `standard_error` and `history` are the result.

        Raises
        ------
        ValueError
            If `respond` returns something else, or the session at `path` is another
            model's or another bank's. What was recorded before stays recorded.

        Examples
        --------
        >>> from skirt import TwoPLEstimator
        >>> from skirt.adaptive import FluidBenchmark
        >>> bank = TwoPLEstimator.from_item_parameters(
        ...     discrimination=[1.0, 2.0, 1.5], difficulty=[-1.0, 0.0, 1.0],
        ...     names=["easy", "middling", "hard"],
        ... )
        >>> FluidBenchmark(bank).run(lambda item: item != "hard", model="my-model")
        <AdaptiveSession of 'my-model': 3 answers, ability 0.39 +/- 0.64,
        stopped by exhausted>
        """
        steps = self._steps(model, path, batch_size, progress)
        items = next(steps)
        while not isinstance(items, AdaptiveSession):
            result = respond(items)
            if inspect.isawaitable(result):
                try:
                    asyncio.get_running_loop()
                except RuntimeError:
                    return asyncio.run(_await_all(steps, respond, result))
                if inspect.iscoroutine(result):
                    result.close()
                raise RuntimeError(
                    "respond is asynchronous and an event loop is running already: "
                    "use `await bench.run_async(respond, ...)`."
                )
            items = steps.send(result)
        return items

    async def run_async(
        self, respond, *, model=None, path=None, batch_size=None, progress=False
    ):
        """Do what :meth:`run` does, where an event loop is running.

        Parameters
        ----------
        respond, model, path, batch_size, progress
            As in :meth:`run`.

        Returns
        -------
        AdaptiveSession
        """
        steps = self._steps(model, path, batch_size, progress)
        items = next(steps)
        if isinstance(items, AdaptiveSession):
            return items
        return await _await_all(steps, respond, respond(items))

    def _ready_to_start(self):
        """Return a bench with items: this one, or a copy with its fixed bank's."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            pass
        else:
            return self
        bench: Any = copy.copy(self)
        bench._validate_params()
        bank = fixed_bank(bench)
        bench._take_up(bank, ready_bank(bank).item_names_)
        return bench

    def _steps(self, model, path, batch_size, progress):
        """Yield what to ask, be sent the responses; yield the session at the end."""
        if path is not None and os.path.exists(path):
            session = AdaptiveSession.load(path, self)
            session.path = os.fspath(path)
            if model is not None and session.model != model:
                raise ValueError(
                    f"The session in {os.fspath(path)!r} is one of "
                    f"{session.model!r}, not of {model!r}: name another file."
                )
        else:
            session = self.start(model, path=path)
        tell = _tell if progress is True else progress
        while not session.done:
            items = session.next_items(1 if batch_size is None else batch_size)
            if batch_size is None:
                session.record(items[0], (yield items[0]))
            else:
                answers = _by_item(items, (yield list(items)))
                session.record({i: answers[i] for i in items if i in answers})
                lacking = [i for i in items if i not in answers]
                if lacking:
                    raise ValueError(
                        f"respond gave no response to {lacking[0]!r} ({len(lacking)} "
                        f"of {len(items)} lacking): return None for an item that "
                        "could not be scored."
                    )
            if tell:
                tell(session)
        yield session


async def _await_all(steps, respond, result):
    while True:
        if inspect.isawaitable(result):
            result = await result
        items = steps.send(result)
        if isinstance(items, AdaptiveSession):
            return items
        result = respond(items)


def _by_item(items, answers):
    """Return a dict of the answers to a batch."""
    if isinstance(answers, Mapping):
        answers = {str(name): value for name, value in answers.items()}
        strange = [name for name in answers if name not in items]
        if strange:
            raise ValueError(
                f"respond returned a response to {strange[0]!r}, which was not among "
                f"the {len(items)} items it was given."
            )
        return answers
    answers = list(answers)
    if len(answers) != len(items):
        raise ValueError(
            f"respond returned {len(answers)} responses to {len(items)} items: give "
            "one for each, in their order, or a dict."
        )
    return dict(zip(items, answers, strict=True))


def _tell(session):
    most = session._design.rules.n_items
    print(
        f"[{session.model or 'model'}] {session.n_answers} of at most {most} items: "
        f"{in_words(session.ability, session.standard_error, 3)}",
        file=sys.stderr,
        flush=True,
    )
