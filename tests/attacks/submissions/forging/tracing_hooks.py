# tries: traces, profiles and monitors the worker, and changes its variables and lines while it judges
# expect: failed|stopped
import sys
import threading

from wrong import attention


def trace(frame, event, argument):
    if "grader" in frame.f_code.co_filename:
        for name in ("changed", "noticed", "leaves", "value"):
            if name in frame.f_locals:
                frame.f_locals[name] = []
        if event == "line" and frame.f_code.co_name in ("changed", "still", "restore"):
            try:
                frame.f_lineno = frame.f_lineno + 2
            except ValueError:
                pass
    return trace


sys.settrace(trace)
sys.setprofile(trace)
threading.settrace(trace)
threading.setprofile(trace)
monitoring = getattr(sys, "monitoring", None)
if monitoring is not None:
    monitoring.use_tool_id(3, "attack")
    monitoring.register_callback(3, monitoring.events.PY_RETURN, lambda *args: monitoring.DISABLE)
    monitoring.set_events(3, monitoring.events.PY_RETURN | monitoring.events.LINE)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    frame = sys._getframe()
    while frame is not None:
        frame.f_trace = trace
        frame = frame.f_back
    query.mul_(0)
    return attention(query, key, value, mask, dropout)
