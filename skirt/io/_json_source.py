"""JSON, one object after the other, without holding the file in memory."""

import json

from skirt.io._sources import shorten

_CHUNK = 1 << 20
_LONGEST_WORD = len("-Infinity")
_SPACE = " \t\r\n"


def read_objects(opened, *, unique_keys=False):
    """Yield (line, object) of JSON lines, or of an array of objects.

    Memory holds one object at a time. Lines are counted from 1, empty ones skipped.

    Parameters
    ----------
    opened : Source
    unique_keys : bool, default=False
        Refuse an object that has a key twice, of which Python keeps the last.

    Raises
    ------
    ValueError
        With the line, where there is no whole JSON object.
    """
    text, source = opened.text(), opened.name
    decoder = json.JSONDecoder(object_pairs_hook=_unique if unique_keys else None)
    first = _first_line(text, source)
    number, line = first
    if line.lstrip()[:1] == "[":
        yield from _array(text, line, number, source, decoder)
        return
    for number, line in _lines(first, text):
        yield number, _object(line, number, source, decoder)


def _first_line(text, source):
    for number, line in enumerate(text, start=1):
        if line.strip():
            return number, line
    raise ValueError(f"{source} is empty.")


def _lines(first, text):
    yield first
    for number, line in enumerate(text, start=first[0] + 1):
        if line.strip():
            yield number, line


def _object(line, number, source, decoder):
    try:
        found = decoder.decode(line)
    except _TwiceError as error:
        raise ValueError(f"{source}, line {number}: {error}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(_torn(source, number, line, error)) from None
    if not isinstance(found, dict):
        raise ValueError(
            f"{source}, line {number}: {shorten(found)} is no JSON object; expected "
            "one in each line."
        )
    return found


def _torn(source, number, line, error):
    reason = getattr(error, "msg", "nested too deeply")
    where = ""
    if hasattr(error, "pos"):
        where = f" at {shorten(line[max(0, error.pos - 20) : error.pos + 20].strip())}"
    return (
        f"{source}, line {number}: no whole JSON object ({reason}{where}). If the file "
        "is cut off, its run did not end: repeat it, or remove the torn line."
    )


def _array(text, line, number, source, decoder):
    """Yield the objects of a JSON array, each with the line that it begins on."""
    buffer = line.lstrip()[1:]
    position, expects_value, at_end, index = 0, True, False, 0
    step = _CHUNK
    while True:
        while position < len(buffer) and buffer[position] in _SPACE:
            number += buffer[position] == "\n"
            position += 1
        if position < len(buffer):
            character = buffer[position]
            if character == "]" and (not expects_value or index == 0):
                rest = buffer[position + 1 :] + text.read()
                if rest.strip():
                    raise ValueError(
                        f"{source}, line {number}: more content after the end of the "
                        "JSON array."
                    )
                return
            if not expects_value:
                if character != ",":
                    raise ValueError(
                        f"{source}, line {number}: expected a comma between the "
                        f"objects of the JSON array, found {character!r}."
                    )
                position, expects_value = position + 1, True
                continue
            found, end = _decode(decoder, buffer, position, number, source, at_end)
            if end is not None:
                if not isinstance(found, dict):
                    raise ValueError(
                        f"{source}, line {number}: {shorten(found)} is no JSON object; "
                        "expected an array of objects."
                    )
                yield number, found
                number += buffer.count("\n", position, end)
                position, expects_value, index = end, False, index + 1
                step = _CHUNK
                continue
        if at_end:
            raise ValueError(
                f"{source}, line {number}: the JSON array does not end: the file is "
                "cut off."
            )
        more = text.read(step)
        step *= 2  # an object of many chunks is not parsed once for each of them
        at_end = not more
        buffer, position = buffer[position:] + more, 0


def _decode(decoder, buffer, position, number, source, at_end):
    try:
        found, end = decoder.raw_decode(buffer, position)
    except _TwiceError as error:
        raise ValueError(f"{source}, line {number}: {error}") from None
    except RecursionError as error:
        raise ValueError(_torn(source, number, buffer, error)) from None
    except json.JSONDecodeError as error:
        if at_end or not _may_go_on(error, buffer):
            raise ValueError(_torn(source, number, buffer, error)) from None
        return None, None
    return found, end


def _may_go_on(error, buffer):
    """Say whether an object is not wrong but only not whole yet."""
    open_string = error.msg.startswith("Unterminated string")
    return open_string or error.pos >= len(buffer) - _LONGEST_WORD


class _TwiceError(Exception):
    pass


def _unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(
                    f"the key {shorten(key)} occurs twice in one object. Keep one."
                )
            seen.add(key)
    return found
