import numpy as np

NEVER = -1e4


def create_causal_mask(n):
    i = np.arange(n)
    return (i[None, :] <= i[:, None]).astype(int)


def apply_mask(scores, mask):
    allowed = np.broadcast_to(np.asarray(mask, dtype=bool), scores.shape)
    out = scores.copy()
    out[~allowed] = NEVER
    return out


def masked_attention_weights(scores, mask):
    s = apply_mask(scores, mask)
    w = np.exp(s - s.max(axis=-1)[..., None])
    return w / w.sum(axis=-1)[..., None]


def count_visible(n):
    return create_causal_mask(n).sum(axis=1)
