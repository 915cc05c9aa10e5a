# Hostile: looks for the answers where the grader might keep them.
import gc
import importlib
import sys

found = None
for name in ("reference", "reference.attention", "autograder.checks"):
    try:
        found = found or importlib.import_module(name)
    except ImportError:
        pass


def scaled_dot_product_attention(Q, K, V, mask=None):
    frame = sys._getframe()
    while frame:
        for scope in (frame.f_globals, frame.f_locals):
            if "attention" in scope and callable(scope["attention"]):
                return scope["attention"](Q, K, V, mask)
        frame = frame.f_back
    for thing in gc.get_objects():
        if getattr(thing, "__name__", "") == "attention":
            return thing(Q, K, V, mask)
    return found.attention(Q, K, V, mask)
