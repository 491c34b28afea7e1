"""Files that are written as a whole or not at all."""

import os


def write_whole(path, text):
    """Write text to a file so that a crash leaves the old content or the new.

    Parameters
    ----------
    path : str or os.PathLike
        A link's target is replaced, not the link; a device or pipe is written to as
        it is.
    text : str
    """
    from skirt.adaptive._session_file import replace_file

    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    replace_file(path, text)
