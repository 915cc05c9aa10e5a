# kind: wrong
# mistake: the heads of an (H, L_q, L_k) mask are taken for the batch of scores with four axes
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        mask = np.asarray(mask)
        if mask.ndim == 3 and scores.ndim == 4:
            mask = mask[:, np.newaxis]  # (B, 1, L_q, L_k)
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention_weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return attention_weights @ V, attention_weights
