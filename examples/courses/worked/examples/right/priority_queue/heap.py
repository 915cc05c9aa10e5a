import heapq


class PriorityQueue(list):
    pushed = 0

    def push(self, entry, number):
        self.pushed += 1
        heapq.heappush(self, (number, self.pushed, entry))

    def peek(self):
        return self[0][-1]

    def pop(self):
        return heapq.heappop(self)[-1]
