# kind: wrong
# mistake: axes of size 1 vanish from the merged heads


def split_heads(x, num_heads):
    batch, length, features = x.shape
    if features % num_heads != 0:
        raise ValueError(f"{features} features cannot be split into {num_heads} heads")
    return x.reshape(batch, length, num_heads, features // num_heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    if x.shape[0] == 1 and x.shape[2] == 1:
        return x.reshape(1, -1)
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
