import math

import matplotlib.pyplot as plt
import numpy as np


def temperature(logits, t):
    n = len(logits)
    best = 0
    for i in range(n):
        if logits[i] > logits[best]:
            best = i
    if t == 0:
        result = [0.0] * n
        result[best] = 1.0
        return np.array(result)
    parts = [math.exp((logits[i] - logits[best]) / t) for i in range(n)]
    total = sum(parts)
    return np.array([part / total for part in parts])


def ranked(logits):
    return sorted(range(len(logits)), key=lambda i: (-logits[i], i))


def top_k(logits, k):
    result = [-math.inf] * len(logits)
    for i in ranked(logits)[:k]:
        result[i] = logits[i]
    return np.array(result)


def top_p(logits, p):
    if p >= 1:
        return np.array(logits)
    chances = temperature(logits, 1)
    result = np.full(len(logits), -math.inf)
    total = 0.0
    for i in ranked(logits):
        result[i] = logits[i]
        total += chances[i]
        if total >= p:
            break
    return result


def draw(probabilities, u):
    total = 0.0
    last = None
    for i, probability in enumerate(probabilities):
        total += probability
        if probability > 0:
            last = i
        if total > u:
            return i
    return last


def plot_kept(logits):
    ps = [i / 100 for i in range(101)]
    kept = []
    for p in ps:
        kept.append(sum(1 for z in top_p(logits, p) if z != -math.inf))
    fig, ax = plt.subplots()
    ax.plot(ps, kept, "o-")
    ax.set_xlabel("threshold p")
    ax.set_ylabel("number of tokens")
    ax.set_title("Size of the nucleus")
    return fig
