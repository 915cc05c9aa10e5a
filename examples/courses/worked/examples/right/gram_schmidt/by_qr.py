import numpy as np


def gram_schmidt(A):
    Q, R = np.linalg.qr(A)
    return Q * np.sign(np.diag(R))
