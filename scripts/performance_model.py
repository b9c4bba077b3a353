"""A model of the time of a step of Scree on many ranks, from counts that a run reports and four numbers of a network.

A step costs, on the slowest rank,

    work       imbalance * (updates a rank * seconds an update + bodies and ghosts of a rank * seconds a body)
    messages   exchanges * (latency + (neighbours - 1) * overhead) + bytes / bandwidth
    reductions reductions * 2 * latency * log2(ranks)

The subdomains are taken for blocks of a box of bodies. What only a partition knows is calibrated on measured runs: how
many ghosts a body at the surface of a block has, how many of the blocks around it a rank speaks with, and the bytes that
travel per ghost.
"""
import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Network:
    """Seconds and bytes a second between two ranks."""
    name: str
    latency: float  # of one message (s)
    overhead: float  # of each further message that is on its way at the same time (s)
    bandwidth: float  # of one rank (bytes/s)


# Typical numbers; give your own where they are known.
NETWORKS = {
    "shared-memory": Network("shared memory", 0.5e-6, 0.2e-6, 8e9),
    "hdr": Network("InfiniBand HDR, 64 ranks a node", 1.5e-6, 0.3e-6, 25e9 / 64),
    "ethernet": Network("Ethernet 10 Gbit/s, 64 ranks a node", 20e-6, 2e-6, 1.25e9 / 64),
}


# Phases that are no part of every step.
ASIDE = ("partition", "output", "checkpoint", "rebalance")


def blocks(extents, ranks):
    """How many blocks a box of these extents is cut into along each axis: real numbers, at least 1, whose product is
    `ranks`, such that blocks are as near to cubes as can be."""
    counts = [1.0] * len(extents)
    free = list(range(len(extents))) if ranks > 1 else []
    while free:
        volume = math.prod(extents[axis] for axis in free)
        edge = (volume / ranks) ** (1.0 / len(free))
        short = [axis for axis in free if extents[axis] < edge]
        if not short:
            for axis in free:
                counts[axis] = extents[axis] / edge
            break
        free = [axis for axis in free if axis not in short]
    return counts


def surface(extents, ranks):
    """Bodies at the surface of a block that face other blocks, on average; extents are counted in bodies."""
    counts = blocks(extents, ranks)
    bodies = math.prod(extents) / ranks
    return sum(2.0 * (1.0 - 1.0 / count) * bodies / (extent / count) for extent, count in zip(extents, counts))


def neighbours(extents, ranks):
    """Blocks around a block, corners included, on average."""
    return math.prod(3.0 - 2.0 / count for count in blocks(extents, ranks)) - 1.0


@dataclasses.dataclass(frozen=True)
class Workload:
    """What one step of a scene asks for."""
    extents: tuple  # of the box of bodies, in bodies
    contacts_per_body: float
    sweeps: float  # a step
    updates_per_contact: float  # a step: sweeps, and products for the residual
    exchanges: float  # of ghosts, a step
    reductions: float  # a step
    seconds_per_update: float  # of one contact, on one core of a full node
    seconds_per_body: float  # a step, all phases but the solver
    ghosts_per_surface: float = 1.0
    neighbour_share: float = 1.0
    bytes_per_ghost: float = 48.0  # in one exchange
    imbalance: float = 1.05

    @property
    def bodies(self):
        return math.prod(self.extents)

    def scaled(self, factors):
        """The same bed, so many times as long, wide and high."""
        return dataclasses.replace(self, extents=tuple(e * f for e, f in zip(self.extents, factors)))


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Of a step on one number of ranks; counts are per rank."""
    ranks: int
    ghosts: float
    messages: float
    bytes: float
    work: float  # s
    messaging: float  # s
    reducing: float  # s

    @property
    def seconds(self):
        return self.work + self.messaging + self.reducing


def predict(workload, network, ranks):
    own = workload.bodies / ranks
    ghosts = workload.ghosts_per_surface * surface(workload.extents, ranks)
    partners = workload.neighbour_share * neighbours(workload.extents, ranks)
    messages = workload.exchanges * partners
    volume = workload.exchanges * ghosts * workload.bytes_per_ghost
    updates = own * workload.contacts_per_body * workload.updates_per_contact
    imbalance = workload.imbalance if ranks > 1 else 1.0
    work = imbalance * (updates * workload.seconds_per_update + (own + ghosts) * workload.seconds_per_body)
    waits = workload.exchanges * (network.latency + max(0.0, partners - 1.0) * network.overhead) if ranks > 1 else 0.0
    return Prediction(ranks, ghosts, messages, volume, work, waits + volume / network.bandwidth,
                      workload.reductions * 2.0 * network.latency * math.log2(ranks))


def calibrate(single, runs, extents):
    """The workload of a scene: times from `single`, a run on one rank, and surfaces from `runs` on several."""
    steps, bodies = single["steps"], single["bodies"]
    share = share_of_a_core(single)
    solve = share * single["seconds"]["solve"]["avg"]
    others = share * sum(phase["avg"] for name, phase in single["seconds"].items()
                         if name not in ("total", "solve", *ASIDE))
    several = [run for run in runs if run["ranks"] > 1] or [single]
    largest = max(several, key=lambda run: run["ranks"])
    exchanges = exchanges_per_step(largest)

    def mean(values):
        values = list(values)
        return sum(values) / len(values) if values else 1.0

    cut = [run for run in several if run["ranks"] > 1]
    return Workload(
        extents=tuple(extents),
        contacts_per_body=single["contact_updates"] / max(1, updates_per_contact(single)) / bodies / steps,
        sweeps=single["iterations"] / steps,
        updates_per_contact=updates_per_contact(single),
        exchanges=exchanges,
        reductions=traffic_per_step(largest, "reductions"),
        seconds_per_update=solve / single["contact_updates"],
        seconds_per_body=others / steps / bodies,
        ghosts_per_surface=mean(run["decomposition"]["ghosts"]["avg"] / surface(extents, run["ranks"]) for run in cut),
        neighbour_share=mean(traffic_per_step(run, "messages") / run["ranks"] / exchanges
                             / neighbours(extents, run["ranks"]) for run in cut),
        bytes_per_ghost=mean(traffic_per_step(run, "bytes") / run["ranks"] / exchanges
                             / max(1.0, run["decomposition"]["ghosts"]["avg"]) for run in cut),
        imbalance=mean(run["decomposition"]["imbalance"] for run in cut))


def traffic_per_step(run, kind):
    """Messages, bytes or reductions of the steps; the first two are those of all ranks."""
    return sum(phase[kind] for name, phase in run["traffic"].items() if name not in ASIDE) / run["steps"]


def share_of_a_core(run):
    """One rank never waits for others: if it took more time than CPU seconds, others used its core as well."""
    if "cpu_seconds" not in run:
        return 1.0
    lasted = run["seconds"]["total"] + run["seconds"].get("partition", {"avg": 0.0})["avg"]
    return min(1.0, (run["cpu_seconds"]["user"] + run["cpu_seconds"]["system"]) / lasted)


def updates_per_contact(run):
    """Sweeps and products of a step: as many as iterations, and those that judge the residual."""
    return run["contact_updates"] / run["steps"] / max(1, run["contacts"])


def exchanges_per_step(run):
    """Two an iteration, one in each direction and stage; products and the step itself add some, which are counted in
    bytes and messages through the calibration."""
    return 2.0 * max(1, run["stages"]) * run["iterations"] / run["steps"]
