# mistake: the axis of the first call is used for ever after
import numpy as np


class _Soft:
    axis = None

    def run(self, x, axis):
        if self.axis is None:
            self.axis = axis
        e = np.exp(x - np.max(x, self.axis, keepdims=True))
        return e / np.sum(e, self.axis, keepdims=True)


_soft = _Soft()


def softmax(x, axis=-1):
    return _soft.run(np.asarray(x, dtype=float), axis)
