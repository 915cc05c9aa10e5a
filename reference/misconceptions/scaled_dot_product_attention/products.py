"""Misconceptions about the product of queries and keys."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.attention import scores, softmax

PRODUCT: Hints = (
    "Which row of Q and which row of K does the score in row i and column j come from?",
    "Score [i][j] is the dot product of query i with key j. So the scores are Q times K, with the "
    "last two axes of K exchanged.",
    "Look at the line of the scores. Exchange only the last two axes of K (np.swapaxes). Do "
    "nothing else to Q, to K or to their product.",
)


def transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def squared_distances(s: Any) -> Any:
    return ((s.Q[..., :, None, :] - s.K[..., None, :, :]) ** 2).sum(-1)


SCORES = (
    Family(
        "scores",
        PRODUCT,
        {
            "keys-not-transposed": (
                "Your numbers match Q times K. K should be transposed.",
                lambda s: s.Q @ s.K,
            ),
            # S3 of the course's sources
            "all-axes-transposed": (
                "{Without a batch axis, the result is right. }With a batch axis, all axes of the "
                "keys are reversed, as by `.T`, so the batch axis moves too.",
                lambda s: s.Q @ s.K.T,
            ),
            "all-pairs-of-sequences": (
                "With batch axes, every sequence of Q is multiplied by every sequence of K, as by "
                "np.dot. `@` multiplies only sequences at the same place.",
                lambda s: np.dot(s.Q, transposed(s.K)),
            ),
            "scores-transposed": (
                "Your numbers match K Qᵀ: queries and keys are exchanged.",
                lambda s: s.K @ transposed(s.Q),
            ),
            "queries-transposed": (
                "Your numbers match Qᵀ K: the product runs over the positions. It should "
                "run over the features.",
                lambda s: transposed(s.Q) @ s.K,
            ),
            "first-two-axes-swapped": (
                "Your numbers match K with its first two axes exchanged, instead of the last two{. "
                "Without a batch axis, these are the same axes}.",
                lambda s: s.Q @ np.swapaxes(s.K, 0, 1),
            ),
            "keys-reshaped": (
                "Your numbers match K reshaped to (…, d_k, L_k). A reshape does not transpose.",
                lambda s: s.Q @ s.K.reshape(*s.K.shape[:-2], s.K.shape[-1], s.K.shape[-2]),
            ),
            "negative-scores": (
                "Your numbers match scores with reversed signs: the key that fits best "
                "gets the smallest weight.",
                lambda s: -(s.Q @ transposed(s.K)),
                {"weights": lambda s: softmax(-s.blocked)},  # −(−∞) gives NaN
            ),
            "distances": (
                "Your numbers match negative squared distances between queries and keys, instead "
                "of dot products.",
                lambda s: -squared_distances(s),
            ),
            "distances-not-squared": (
                "Your numbers match negative distances between queries and keys, instead of dot "
                "products.",
                lambda s: -np.sqrt(squared_distances(s)),
            ),
            "cosines": (
                "Your numbers match cosine similarities divided by √d_k: each query and "
                "each key is divided by its length first.",
                lambda s: (
                    (s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True))
                    @ transposed(s.K / np.linalg.norm(s.K, axis=-1, keepdims=True))
                ),
            ),
            "sums-for-products": (
                "Your numbers match scores that are sums of query and key features. The "
                "scores should be dot products.",
                lambda s: (s.Q[..., :, None, :] + s.K[..., None, :, :]).sum(-1),
            ),
            "first-query-only": (
                "Every row of your weights is that of the first query.",
                lambda s: np.repeat(scores(s.Q, s.K)[..., :1, :], s.Q.shape[-2], axis=-2),
            ),
            "first-batch-only": (
                "The scores of the first item of the batch are used for all items.",
                lambda s: (
                    scores(s.Q, s.K)
                    if s.Q.ndim == 2
                    else np.broadcast_to(scores(s.Q, s.K)[:1], scores(s.Q, s.K).shape)
                ),
            ),
        },
    ),
)
