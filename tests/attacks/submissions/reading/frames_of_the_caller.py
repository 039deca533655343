# tries: looks for expected values and suites in the frames of whoever called it
# expect: failed
import sys
import traceback

from wrong import attention, once


def look():
    frames = [sys._getframe()]
    frames += list(sys._current_frames().values())
    try:
        raise ValueError
    except ValueError as error:
        frames += [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    seen = set()
    while frames:
        frame = frames.pop()
        if frame is None or id(frame) in seen:
            continue
        seen.add(id(frame))
        frames.append(frame.f_back)
        for name, value in {**frame.f_globals, **frame.f_locals}.items():
            if not name.startswith("__"):
                print(frame.f_code.co_filename, name, str(value)[:100])


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
