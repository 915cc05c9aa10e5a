# kind: wrong
# mistake: a mask with as many rows as there are sequences is taken for padding
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        mask = np.asarray(mask)
        if mask.ndim == 2 and scores.ndim == 3 and mask.shape[0] == scores.shape[0]:
            mask = mask[:, np.newaxis, :]  # padding: (B, L_k)
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention_weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return attention_weights @ V, attention_weights
