"""One BLAS thread for the engines.

Their matrix products are small or bound by memory, where a second thread gains little
and waits for the first whenever the machine is busy. One thread also adds in one
order, so that a fit gives the same bits in the main process and in a joblib worker.
"""

from functools import cache, wraps

from skirt._sklearn_compat import ThreadpoolController


@cache
def _controller():
    return ThreadpoolController()


def one_blas_thread(function):
    """Decorate `function` to run with BLAS limited to one thread."""

    @wraps(function)
    def limited(*args, **kwargs):
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
