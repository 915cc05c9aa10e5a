"""Cost of the scheduler and the coordinator, with judges that only wait, for 1 to 256 workers.

The scheduler has its own process. All workers are objects in another process, each with one thread.
A submission takes as long as a real judge would need. The code that grades classes hands them out:
`python -m benchmarks.cluster [--short] [SUBMISSIONS]`.

Each submission is one of `COSTS`, in turn. With `scale`, it takes that many times less. The chunks
keep their length, so the scheduler has the same work for a submission.
"""

import contextlib
import functools
import logging
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path

import msgspec
from distributed.security import Security

from autograder.classroom.judge_pool import Setup, Task, TaskReports
from autograder.cluster.dask_cluster import FEW_MESSAGES, DaskCluster, PlainClient
from autograder.cluster.dispatch import Dispatch
from autograder.cluster.messages import Chunk, ChunkReports, decode, encode
from autograder.report.model import ExerciseReport
from autograder.submission.source import Source
from autograder.worker.messages import Unit

# Seconds of a judge for a submission of the course's exercises (README's table, and the class of
# 40 students that was measured: 4 processor-seconds for fourteen).
COSTS = (0.012, 0.015, 0.010, 0.022, 0.019, 0.5, 0.016, 0.9, 0.016, 0.35, 0.4, 0.4, 0.8, 0.35)
MEAN = sum(COSTS) / len(COSTS)
TEXT = "def solve(x):\n    return x\n" + "# a line of a student's\n" * 60
PAD = "x" * 4000  # a report's usual size
# What 256 workers in one process would measure of themselves 256 times over.
ONE_PROCESS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
}
HERE = {"autograder": "0"}


class Measured(msgspec.Struct):
    """Results of a run: its seconds, the judges' seconds, processor time, chunks, memory in MB."""

    workers: int
    submissions: int
    chunks: int
    wall: float
    judged: float
    main: float
    scheduler: float
    memory: list[int]

    @property
    def efficiency(self) -> float:
        return self.judged / self.workers / self.wall


def tasks(count: int):
    """Yield one source for each student, all different."""
    for number in range(count):
        label = "one.py"
        yield Task(
            number, f"s{number:07}", (Source("one", label, (Unit(label, f"{TEXT}# {number}"),)),)
        )


def cost(task: Task) -> float:
    return COSTS[task.number % len(COSTS)]


def grade_chunk(data: bytes, scale: float) -> bytes:
    """Wait as long as judges would work."""
    chunk = decode(data, Chunk)
    time.sleep(sum(map(cost, chunk.tasks)) / scale)
    return answer_to(data)


def answer_to(data: bytes) -> bytes:
    """Return the judges' reply to a chunk."""
    found = []
    chunk = decode(data, Chunk)
    for task in chunk.tasks:
        source = task.sources[0]
        report = ExerciseReport(
            name=source.name, title="One", status="graded", points=1.0, max_points=1.0,
            digest=source.digest, printed=PAD,
        )  # fmt: skip
        reports = TaskReports({source.name: msgspec.json.encode(report)})
        found.append(encode(reports))
    return encode(ChunkReports(tuple(found), sum(map(cost, chunk.tasks))))


def run_scheduler(line) -> None:
    """Start a scheduler in its own process; it reports its processor time at the end."""
    import asyncio

    import dask
    from distributed import Scheduler

    hush()
    dask.config.set(FEW_MESSAGES)  # as docs/clusters.md has it

    async def serve() -> None:
        options = {"dashboard": False, "dashboard_address": None}
        async with Scheduler(host="tcp://127.0.0.1", port=0, **options) as scheduler:
            line.send(scheduler.address)
            before = processor_time()
            while True:
                await asyncio.sleep(0.1)
                if line.poll() and line.recv() == "end":
                    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                    line.send((processor_time() - before, peak))
                    return

    asyncio.run(serve())


def run_workers(line, address: str, count: int) -> None:
    """Start simulated workers: Dask's objects, each with one waiting thread."""
    import asyncio

    import dask
    from distributed import Worker

    hush()
    dask.config.set(ONE_PROCESS)

    async def serve() -> None:
        options = {"nthreads": 1, "dashboard": False, "memory_limit": 0}
        workers = [Worker(address, name=str(n), **options) for n in range(count)]
        await asyncio.gather(*workers)
        line.send("ready")
        while not line.poll():
            await asyncio.sleep(0.1)
        os._exit(0)

    asyncio.run(serve())


@contextlib.contextmanager
def simulated(count: int):
    """Yield the address of a scheduler with these workers, and a function for its CPU time."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    scheduler = context.Process(target=run_scheduler, args=(theirs,))
    scheduler.start()
    address = ours.recv()
    our_end, their_end = context.Pipe()
    workers = context.Process(target=run_workers, args=(their_end, address, count))
    workers.start()
    our_end.recv()

    def used() -> tuple[float, int]:
        ours.send("end")
        return ours.recv()

    try:
        yield address, used
    finally:
        our_end.send("end")
        for process in (workers, scheduler):
            process.join(10)
            if process.is_alive():
                process.kill()


def run(workers: int, submissions: int, scale: float = 1.0) -> Measured:
    """Hand out the submissions, collect their reports, and measure."""
    import dask

    hush()
    dask.config.set(FEW_MESSAGES)
    setup = Setup(Path("course.yml"), ("one",), 0, "none", (), Path("/nonexistent"))
    memory: list[int] = []
    with simulated(workers) as (address, used):
        with PlainClient(address, Security()) as client:
            grade = functools.partial(grade_chunk, scale=scale)
            cluster = Counting(client, address, grade)
            cpu, start = time.process_time(), time.perf_counter()
            dispatch = Dispatch(cluster, setup, HERE, print, lambda _: TaskReports({}))
            grading = dispatch.graded(tasks(submissions))
            for number, (task, reports) in enumerate(grading):
                assert len(reports) == len(task.sources)
                if number % max(1, submissions // 10) == submissions // 10 - 1:
                    memory.append(resident())
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            judged = sum(COSTS[n % len(COSTS)] for n in range(submissions)) / scale
        seconds, peak = used()
    return Measured(
        workers, submissions, cluster.count, wall, judged, cpu, seconds, [*memory, peak]
    )


class Counting(DaskCluster):
    """Cluster that counts the chunks."""

    count = 0

    def grade(self, data, addresses):
        self.count += 1
        return super().grade(data, addresses)


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def hush() -> None:
    logging.disable(logging.CRITICAL)


def resident() -> int:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def main() -> None:
    short = "--short" in sys.argv
    numbers = [float(each) for each in sys.argv[1:] if each[0].isdigit()]
    if numbers:
        workers, submissions, scale = [*numbers, 1][:3]
        plan = [(int(workers), int(submissions), scale)]
    else:
        plan = (
            [(2, 60, 20.0)] if short else [(1, 1_000, 5.0), (16, 16_000, 5.0), (256, 100_000, 1.0)]
        )
    for workers, submissions, scale in plan:
        found = run(workers, submissions, scale)
        print(
            f"{workers} workers, {submissions} submissions, time {scale:g}×: "
            f"efficiency {found.efficiency:.2f}, {found.chunks} chunks; a chunk costs "
            f"{1000 * found.main / found.chunks:.1f} ms here and "
            f"{1000 * found.scheduler / found.chunks:.1f} ms in the scheduler; "
            f"{submissions / found.wall:.0f} submissions/s; memory {found.memory} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
