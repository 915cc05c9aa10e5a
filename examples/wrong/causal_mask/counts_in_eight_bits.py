# mistake: the counts have eight bits, so they begin again at 256
import numpy as np


def create_causal_mask(seq_len):
    """(seq_len, seq_len): true (or 1) where the key is not after the query."""
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))


def apply_mask(scores, mask):
    """The scores, with blocked entries so low that a softmax gives them weight 0.

    scores: (..., L_q, L_k).
    mask: true (1) where a query may attend; broadcasts to the scores' shape.
    Returns a new array; allowed entries are unchanged.
    """
    return np.where(np.asarray(mask, dtype=bool), scores, -np.inf)


def masked_attention_weights(scores, mask):
    """The attention weights: the softmax of the masked scores.

    scores: (..., L_q, L_k), already scaled.
    mask: as for apply_mask.
    Returns an array of the same shape; each row sums to 1.
    """
    s = np.where(np.asarray(mask) == 1, scores, -np.inf)
    s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


def count_visible(seq_len):
    """How many tokens each query may attend to under the causal mask.

    Returns seq_len whole numbers, in the order of the queries.
    """
    mask = np.tril(np.ones((seq_len, seq_len), dtype=np.uint8))
    return np.sum(mask, axis=1, dtype=np.uint8)
