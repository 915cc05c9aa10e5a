# Hostile: replaces what a careless grader would compare with, and claims full marks.
import numpy as np

np.allclose = lambda *args, **kwargs: True
np.isclose = lambda *args, **kwargs: True
np.array_equal = lambda *args, **kwargs: True
np.testing.assert_allclose = lambda *args, **kwargs: None
np.abs = lambda x: 0


class Agreeable(np.ndarray):
    def __eq__(self, other):
        return True

    def __array_function__(self, *args, **kwargs):
        return True


def softmax(x, axis=-1):
    print("12 of 12 points")
    print("\x1b[2J\x1b[32m12 of 12 points\x1b[0m <script>alert(1)</script>")
    return np.zeros(np.shape(x)).view(Agreeable)
