"""Trains a policy of idle-time cleaning in minutes, and writes it as a file that `--firmware` takes: learned.py.

The policy is linear: it cleans at a look if the weighted sum of tessera.policy.FEATURES is above 0. The weights come from the cross-entropy method: of many
drawn designs, each a few episodes of tessera.environment, the best say where the next are drawn. numpy is all that it needs.

    python train.py --set "firmware.write_cache.capacity=0 B" --out learned.py
    python train.py --measure"""

import argparse
import time
from pathlib import Path

import numpy as np

from tessera.environment import FEATURES, OWN, WAIT, CleaningEnvironment, CleaningEnvironments

POLICY = '''"""Idle-time cleaning as train.py has learned it: {how}."""

from tessera.policy import Cleaning, Watcher

WEIGHTS = {weights}
BIAS = {bias}


class Learned(Watcher):
    """Cleans when a weighted sum of what it sees says so"""

    def when(self, cleaning: Cleaning) -> int:
        cleans = BIAS + sum(weight * scaled for weight, scaled in zip(WEIGHTS, scaled_of(self.features(cleaning)))) > 0
        return cleaning.now if cleans else cleaning.now + 100_000_000_000  # 100 ms, as the environment looks


def scaled_of(features: tuple[float, ...]) -> list[float]:
    """Times and numbers without a bound to between 0 and 1."""
    quiet, outstanding, fill, entries, live, gap, writes, waited = features
    return [quiet / (1 + quiet), outstanding / (1 + outstanding), fill, entries, live, gap / (1 + gap), writes, waited / (1 + waited)]
'''
_written: dict = {}
exec(POLICY[POLICY.index("def scaled_of") :], _written)  # noqa: S102 -- one text for training and for the policy
scaled_of = _written["scaled_of"]
SCALE = (0, 1, 5, 7)  # features without a bound


def scaled(observations: np.ndarray) -> np.ndarray:
    """scaled_of() of rows."""
    rows = observations.copy()
    rows[:, SCALE] /= 1 + rows[:, SCALE]
    return rows


def episodes(environments: CleaningEnvironments, weights: np.ndarray, seed: int) -> np.ndarray:
    """The mean latency in ms of an episode per row of weights, a bias in front, all with the same requests."""
    observations, _ = environments.reset(seed=[seed] * environments.num_envs)
    latency = np.zeros(environments.num_envs)
    running = list(enumerate(environments.environments))
    while running:
        actions = np.where(weights[:, 0] + (weights[:, 1:] * scaled(observations)).sum(1) > 0, OWN, WAIT)
        for i, each in running:
            each.send(int(actions[i]))
        for i, each in tuple(running):
            observations[i], _, ended, _, info = each.receive()
            if ended:
                latency[i] = info["metrics"]["host.latency.mean"]
                running.remove((i, each))
    return latency


def trained(make, rounds: int, designs: int, best: int, seeds: int) -> tuple[np.ndarray, float]:
    """The best design of all rounds, and its mean latency; every design has the same episodes."""
    dice = np.random.default_rng(1)
    mean, spread = np.zeros(1 + len(FEATURES)), np.full(1 + len(FEATURES), 2.0)
    environments = CleaningEnvironments([make] * designs)
    reached, found = np.inf, mean
    for turn in range(rounds):
        weights = mean + spread * dice.standard_normal((designs, mean.size))
        weights[0] = mean
        latency = np.mean([episodes(environments, weights, 1001 + i) for i in range(seeds)], axis=0)
        chosen = np.argsort(latency)[:best]
        if latency[chosen[0]] < reached:
            reached, found = latency[chosen[0]], weights[chosen[0]]
        print(f"round {turn + 1}: best {latency[chosen[0]]:.3f} ms, mean of {designs} {latency.mean():.3f} ms; so far {reached:.3f} ms", flush=True)
        mean, spread = weights[chosen].mean(0), weights[chosen].std(0) + 0.1
    environments.close()
    return found, float(reached)


def measured(make, side_by_side: int, seconds: float = 10) -> float:
    """Steps per second of environments that wait."""
    environments = CleaningEnvironments([make] * side_by_side)
    environments.reset(seed=1)
    steps, begun = 0, time.perf_counter()
    while (took := time.perf_counter() - begun) < seconds:
        environments.step([WAIT] * side_by_side)
        steps += side_by_side
    environments.close()
    return steps / took


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--drive", default="demo")
    words.add_argument("--layer", default="media-cache")
    words.add_argument("--workload", default="web-server")
    words.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="a parameter of the drive")
    words.add_argument("--limit", type=int, default=2000, help="requests per episode")
    words.add_argument("--rounds", type=int, default=6)
    words.add_argument("--designs", type=int, default=12, help="episodes side by side")
    words.add_argument("--best", type=int, default=3)
    words.add_argument("--seeds", type=int, default=4, help="episodes per design and round")
    words.add_argument("--out", type=Path, default=Path("learned.py"))
    words.add_argument("--measure", action="store_true", help="print the steps per second, and train nothing")
    given = words.parse_args()

    settings = dict(assignment.split("=", 1) for assignment in given.set)

    def make() -> CleaningEnvironment:
        return CleaningEnvironment(given.drive, layer=given.layer, workload=given.workload, fold=True, limit=given.limit, settings=settings)

    if given.measure:
        for side_by_side in (1, 2, 8):
            print(f"{side_by_side} side by side: {measured(make, side_by_side):,.0f} steps/s")
        return
    begun = time.perf_counter()
    weights, reached = trained(make, given.rounds, given.designs, given.best, given.seeds)
    drive = ", ".join((given.drive, given.layer, *given.set))
    how = f"{given.rounds} rounds of {given.designs} designs, {given.seeds} episodes each of {given.limit} requests of {given.workload} on {drive}"
    given.out.write_text(POLICY.format(how=how, weights=[round(float(weight), 4) for weight in weights[1:]], bias=round(float(weights[0]), 4)))
    print(f"{given.out}: {reached:.3f} ms, trained in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
