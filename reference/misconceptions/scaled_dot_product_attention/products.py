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


def differences(s: Any) -> Any:
    return s.Q[..., :, None, :] - s.K[..., None, :, :]


def squared_distances(s: Any) -> Any:
    return (differences(s) ** 2).sum(-1)


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
                "{Without a batch axis, the result is right. }With a batch axis, `.T` reverses "
                "all axes of the keys, and so also moves the batch axis.",
                lambda s: s.Q @ s.K.T,
            ),
            "all-pairs-of-sequences": (
                "With batch axes, np.dot multiplies every sequence of Q by every sequence of K. "
                "`@` multiplies only sequences at the same place.",
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
                "Your code exchanges the first two axes of K. It should exchange the last two{. "
                "Without a batch axis, these are the same axes}.",
                lambda s: s.Q @ np.swapaxes(s.K, 0, 1),
            ),
            "keys-reshaped": (
                "Your numbers match K reshaped to (…, d_k, L_k). A reshape does not transpose.",
                lambda s: s.Q @ s.K.reshape(*s.K.shape[:-2], s.K.shape[-1], s.K.shape[-2]),
            ),
            "queries-with-queries": (
                "Your numbers match Q Qᵀ: the keys have no effect on the scores.",
                lambda s: s.Q @ transposed(s.Q),
            ),
            "keys-with-keys": (
                "Your numbers match K Kᵀ: the queries have no effect on the scores.",
                lambda s: s.K @ transposed(s.K),
            ),
            "queries-with-values": (
                "Your numbers match Q Vᵀ: the values are used instead of the keys.",
                lambda s: s.Q @ transposed(s.V),
            ),
            "absolute-scores": (
                "Your numbers match the absolute values of the scores.",
                lambda s: np.abs(s.Q @ transposed(s.K)),
                {"weights": lambda s: softmax(np.abs(s.blocked))},
            ),
            "squared-scores": (
                "Your numbers match squared scores.",
                lambda s: (s.Q @ transposed(s.K)) ** 2,
            ),
            "negative-scores": (
                "Your numbers match scores with reversed signs: the key that fits best "
                "gets the smallest weight.",
                lambda s: -(s.Q @ transposed(s.K)),
                {"weights": lambda s: softmax(-s.blocked)},  # −(−∞) gives NaN
            ),
            "distances": [
                (
                    "Your numbers match negative squared distances between queries and "
                    "keys, instead of dot products.",
                    lambda s: -squared_distances(s),
                ),
                (
                    "Your numbers match negative squared distances between queries and "
                    "keys, instead of dot products. The distances are not divided by √d_k.",
                    {"scores": lambda s: -squared_distances(s), "scaled": lambda s: s.scores},
                ),
            ],
            "half-distances": [
                (
                    "Your numbers match minus half the squared distances between queries "
                    "and keys (a Gaussian kernel), instead of dot products.",
                    lambda s: -squared_distances(s) / 2,
                ),
                (
                    "Your numbers match minus half the squared distances between queries "
                    "and keys (a Gaussian kernel), instead of dot products. The distances are not "
                    "divided by √d_k.",
                    {"scores": lambda s: -squared_distances(s) / 2, "scaled": lambda s: s.scores},
                ),
            ],
            "distances-not-squared": [
                (
                    "Your numbers match negative distances between queries and keys, "
                    "instead of dot products.",
                    lambda s: -np.sqrt(squared_distances(s)),
                ),
                (
                    "Your numbers match negative distances between queries and keys, "
                    "instead of dot products. The distances are not divided by √d_k.",
                    {
                        "scores": lambda s: -np.sqrt(squared_distances(s)),
                        "scaled": lambda s: s.scores,
                    },
                ),
            ],
            "city-block-distances": [
                (
                    "Your numbers match minus the sum of absolute differences between "
                    "query and key, instead of dot products.",
                    lambda s: -np.abs(differences(s)).sum(-1),
                ),
                (
                    "Your numbers match minus the sum of absolute differences between "
                    "query and key, instead of dot products. The sums are not divided by √d_k.",
                    {
                        "scores": lambda s: -np.abs(differences(s)).sum(-1),
                        "scaled": lambda s: s.scores,
                    },
                ),
            ],
            "cosines": (
                "Your numbers match cosine similarities divided by √d_k: each query and "
                "each key is divided by its length first.",
                lambda s: (
                    (s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True))
                    @ transposed(s.K / np.linalg.norm(s.K, axis=-1, keepdims=True))
                ),
            ),
            "queries-normalised": (
                "The queries are scaled to length 1 before the product. Do not change the queries.",
                lambda s: (s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True)) @ transposed(s.K),
            ),
            "keys-normalised": (
                "The keys are scaled to length 1 before the product. Do not change the keys.",
                lambda s: s.Q @ transposed(s.K / np.linalg.norm(s.K, axis=-1, keepdims=True)),
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


ARGUMENTS = (
    Family(
        None,
        PRODUCT,
        {
            "keys-and-values-swapped": (
                "Your numbers match a call with K and V exchanged.",
                {"K": lambda s: s.V, "V": lambda s: s.K},
            ),
        },
    ),
)
