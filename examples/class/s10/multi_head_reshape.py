def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"{E} is not divisible by {num_heads}")
    return x.reshape(B, num_heads, L, E // num_heads)


def merge_heads(x):
    B, H, L, d = x.shape
    return x.reshape(B, L, H * d)
