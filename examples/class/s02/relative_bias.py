def alibi_slopes(h):
    n = 1
    while 2 * n <= h:
        n *= 2
    slopes = []
    for k in range(1, n + 1):
        slopes.append(2 ** (-8 * k / n))
    k = 1
    while len(slopes) < h:
        slopes.append(2 ** (-8 * k / (2 * n)))
        k += 2
    return slopes


def alibi(h, q_len, k_len):
    slopes = alibi_slopes(h)
    biases = []
    for head in range(h):
        rows = []
        for i in range(q_len):
            place = k_len - q_len + i
            row = []
            for j in range(k_len):
                row.append(-slopes[head] * (place - j) if j <= place else float("-inf"))
            rows.append(row)
        biases.append(rows)
    return biases
