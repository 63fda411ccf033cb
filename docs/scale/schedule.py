"""A step of `distributed` as a schedule: simulated message by message (SimPy), and as a formula.

Both know what apps/distributed does: every rank runs the forward of its shards, then the backward piece by piece; a bucket begins when its piece
is done for all of them, and MPI moves it on while it is called, after each shard of a piece and in the end. Times are in seconds, sizes in bytes.
"""

import dataclasses
import math

import simpy


@dataclasses.dataclass(frozen=True)
class Link:
    """A message of n bytes takes latency + n / bandwidth. `by_core`: the cores of both ends copy it, half of the time each, as between two
    processes of a machine; otherwise it travels while they compute, one message at a time out of each rank."""

    latency: float
    bandwidth: float
    by_core: bool

    def seconds(self, size):
        return self.latency + size / self.bandwidth


@dataclasses.dataclass(frozen=True)
class Work:
    """What one core computes: of one shard the forward and the pieces of the backward, the last layer's first; for each bucket adding one
    shard's to another's, adding what arrives (MPI's own sum), and what follows (Adam)."""

    forward: float
    pieces: tuple
    add: tuple
    arrive: tuple
    update: tuple
    buckets: tuple  # bytes of one shard


@dataclasses.dataclass(frozen=True)
class Job:
    ranks: int
    shards: int  # of all ranks together
    cores: int  # of each machine
    ranks_per_machine: int
    strict: bool
    work: Work
    link: Link

    def owned(self, rank):
        each, more = divmod(self.shards, self.ranks)
        return each + (1 if rank < more else 0)


def binomial(rank, ranks):
    """An all-reduce as Open MPI has it in place (libnbc): a sum along a binomial tree to rank 0, and back. (what, partner) in order."""
    actions, back = [], []
    for bit in range(max(1, ranks - 1).bit_length() if ranks > 1 else 0):
        step = 1 << bit
        if rank & step:
            actions.append(("send", rank - step))
            back.append(("receive", rank - step))
            break
        if rank + step < ranks:
            actions.append(("add", rank + step))
            back.append(("send", rank + step))
    return actions + back[::-1]


def linear(rank, ranks):
    """A gathering as Open MPI has it (libnbc): everybody's block to everybody."""
    others = [(rank + step) % ranks for step in range(1, ranks)]
    return [("send", other) for other in others] + [("receive", other) for other in others]


class Rank:
    """One process of the simulation."""

    def __init__(self, world, rank):
        self.world, self.rank, self.job = world, rank, world.job
        self.core = world.machines[rank // self.job.ranks_per_machine]
        self.wire = simpy.Resource(world.env, 1)
        self.todo = [[] for _ in self.job.work.buckets]
        self.arrived = {}  # (bucket, sender) -> event
        self.exposed = 0.0
        self.turn, self.end = None, None

    def message(self, bucket, sender):
        return self.arrived.setdefault((bucket, sender), self.world.env.event())

    def compute(self, seconds):
        """With the core that it has: a system takes that away after milliseconds, or when a rank waits, and a step takes less."""
        yield self.world.env.timeout(seconds)

    def wait(self, events):
        """Gives its core to who wants it meanwhile."""
        self.core.release(self.turn)
        yield self.world.env.any_of(events)
        self.turn = self.core.request()
        yield self.turn

    def bytes(self, bucket):
        size = self.job.work.buckets[bucket]
        return size * self.job.owned(self.rank) if self.job.strict else size

    def send(self, bucket, partner):
        seconds = self.job.link.seconds(self.bytes(bucket))
        there = self.world.ranks[partner].message(bucket, self.rank)
        if self.job.link.by_core:
            yield from self.compute(seconds / 2)
            there.succeed()
        else:
            self.world.env.process(self.travel(seconds, there))

    def travel(self, seconds, there):
        with self.wire.request() as turn:
            yield turn
            yield self.world.env.timeout(seconds)
        there.succeed()

    def receive(self, bucket, partner):
        if self.job.link.by_core:
            yield from self.compute(self.job.link.seconds(self.world.ranks[partner].bytes(bucket)) / 2)

    def progress(self, bucket):
        """All that can be done of a bucket without waiting."""
        todo = self.todo[bucket]
        while todo:
            what, partner = todo[0]
            if what == "send":
                todo.pop(0)
                yield from self.send(bucket, partner)
            elif self.message(bucket, partner).triggered:
                todo.pop(0)
                yield from self.receive(bucket, partner)
                if what == "add":
                    yield from self.compute(self.job.work.arrive[bucket])
            else:
                return

    def poll(self):
        for bucket in range(len(self.todo)):
            yield from self.progress(bucket)

    def begin(self, bucket):
        if not self.job.strict:  # its own shards first
            yield from self.compute(self.job.work.add[bucket] * (self.job.owned(self.rank) - 1))
        self.todo[bucket] = (linear if self.job.strict else binomial)(self.rank, self.job.ranks)
        yield from self.progress(bucket)

    def step(self):
        env, work, own = self.world.env, self.job.work, self.job.owned(self.rank)
        self.turn = self.core.request()
        yield self.turn
        yield from self.compute(work.forward * own)
        for bucket, piece in enumerate(work.pieces):
            for _ in range(own):
                yield from self.compute(piece)
                yield from self.poll()
            yield from self.begin(bucket)
        for bucket in range(len(work.buckets)):
            start = env.now
            while self.todo[bucket]:
                yield from self.poll()
                if self.todo[bucket]:
                    # Awake for whatever comes first, of any bucket.
                    yield from self.wait([self.message(b, todo[0][1]) for b, todo in enumerate(self.todo) if todo])
            self.exposed += env.now - start
            if self.job.strict:
                yield from self.compute(work.add[bucket] * (self.job.shards - 1))
            yield from self.compute(work.update[bucket])
        self.end = env.now
        self.core.release(self.turn)


class World:
    def __init__(self, job):
        self.job, self.env = job, simpy.Environment()
        machines = -(-job.ranks // job.ranks_per_machine)
        self.machines = [simpy.Resource(self.env, job.cores) for _ in range(machines)]
        self.ranks = [Rank(self, rank) for rank in range(job.ranks)]


def simulate(job):
    """Seconds of a step, and those that the slowest rank has waited, of the simulation."""
    world = World(job)
    for rank in world.ranks:
        world.env.process(rank.step())
    world.env.run()
    last = max(world.ranks, key=lambda rank: rank.end)
    return last.end, max(rank.exposed for rank in world.ranks)


def reduction_seconds(job, bucket):
    """A bucket's way by itself."""
    size, link = job.work.buckets[bucket], job.link
    if job.ranks == 1:
        return 0.0
    if job.strict:
        return (job.ranks - 1) * link.seconds(size * job.shards / job.ranks)
    rounds = math.ceil(math.log2(job.ranks))
    return rounds * (2 * link.seconds(size) + job.work.arrive[bucket])


def project(job, reduction=reduction_seconds):
    """Seconds of a step by a formula: computing one after the other, each bucket on its way when its piece is done and the one before has
    arrived, what has not arrived when the backward ends is waited for. Copies by cores take computing time; where ranks share cores, all of
    it is shared."""
    work, own = job.work, job.owned(0)
    crowd = max(1.0, job.ranks_per_machine / job.cores) if job.ranks > 1 else 1.0
    computed, arrived, copied = work.forward * own * crowd, 0.0, 0.0
    for bucket, piece in enumerate(work.pieces):
        local = 0.0 if job.strict else work.add[bucket] * (own - 1)
        computed += (piece * own + local) * crowd
        seconds = reduction(job, bucket)
        if job.link.by_core:
            copied += seconds * crowd
        else:
            arrived = max(arrived, computed) + seconds
    end = max(computed + copied, arrived)
    sums = sum(work.add) * (job.shards - 1) if job.strict else 0.0
    return end + (sums + sum(work.update)) * crowd
