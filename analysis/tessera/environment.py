"""An environment in Gymnasium's form, in which a policy of cleaning learns: a run of the simulator that asks at each look whether to clean.

    from tessera.environment import CleaningEnvironment, OWN, WAIT

    environment = CleaningEnvironment("demo", layer="media-cache", workload="web-server", fold=True, limit=5000)
    observation, info = environment.reset(seed=1)
    ended = False
    while not ended:
        observation, reward, ended, _, info = environment.step(OWN if observation[0] > 0.5 else WAIT)
    print(info["metrics"]["host.latency.mean"])

An observation has tessera.policy.FEATURES; an action is WAIT (asked again after `look`), OWN (clean what the layer's own policy chooses) or FULLEST (clean the
unit that holds most of the cache). A reward is minus the latency, in seconds, of all commands that were served since the last step. An episode is a run: its requests differ by `seed`, and two with the same seed and actions are the same to the digit.

Gymnasium is not needed. Where it is installed, the class is one of its environments, `gymnasium.make("tessera/Cleaning-v0", ...)`.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.engine.simulator import said, simulator
from tessera.errors import InputError
from tessera.environment_policy import FULLEST, OWN, QUESTION, WAIT
from tessera.policy import FEATURES

__all__ = ["FEATURES", "FULLEST", "OWN", "WAIT", "CleaningEnvironment", "CleaningEnvironments"]

ACTIONS = (WAIT, OWN, FULLEST)
_POLICY = Path(__file__).with_name("environment_policy.py")
_PS = 1e-12

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
except ImportError:
    gymnasium = None  # type: ignore[assignment]

    class Box(NamedTuple):  # type: ignore[no-redef]
        """Numbers from `low` to `high`."""

        low: float
        high: float
        shape: tuple[int, ...]
        dtype: type

    class Discrete(NamedTuple):  # type: ignore[no-redef]
        """Whole numbers from 0 to before `n`."""

        n: int


_Base: Any = gymnasium.Env if gymnasium else object


class CleaningEnvironment(_Base):
    """A run per episode. `options` are those of tessera.run(); `look`: the time between two questions where nothing is cleaned."""

    metadata = {"render_modes": []}
    action_space: Any = Discrete(len(ACTIONS))
    observation_space: Any = Box(0.0, np.inf, (len(FEATURES),), np.float64)

    def __init__(self, drive: str = "demo", *, layer: str = "media-cache", look: str = "100 ms", **options: Any):
        if ":" in layer:
            raise InputError(f"layer: the environment is the policy of '{layer.partition(':')[0]}'; found '{layer}'")
        settings = {"policies.environment.look": look, **options.pop("settings", {})}
        self._run = Simulation.of({"drive": drive, "layer": f"{layer}:environment", "firmware": str(_POLICY), "settings": settings, **options})
        self._seed = int(self._run.seed)
        self._process: subprocess.Popen | None = None
        self._files = contextlib.ExitStack()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins a run, with the next seed where none is given. Raises InputError where it asks nothing: a cache that never holds anything."""
        self.begin(seed)
        return self.first()

    def begin(self, seed: int | None = None) -> None:
        """The first half of reset(): the run begins, and fills its caches."""
        self.close()
        if gymnasium:
            super().reset(seed=seed)
        self._seed = seed if seed is not None else self._seed
        self._start(self._run.but(seed=self._seed))
        self._seed += 1
        self._served = self._latency = 0

    def first(self) -> tuple[np.ndarray, dict[str, Any]]:
        """The other half."""
        observation, _, ended, info = self._next()
        if ended:
            raise InputError(f"{self._run.command()} asked nothing: the cache of the layer never held anything")
        return observation, info

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Observation, reward, whether the run has ended, False, and what else is known: the time, and at the end the run's `metrics`."""
        self.send(action)
        return self.receive()

    def send(self, action: int) -> None:
        """The first half of step(): the run goes on."""
        if self._process is None:
            raise InputError("step() without a run: call reset() first, and after the end of an episode")
        if action not in ACTIONS:
            raise InputError(f"action: expected one of {', '.join(map(str, ACTIONS))}, found {action!r}")
        with contextlib.suppress(BrokenPipeError):  # it has ended: the other half says how
            os.write(self._answers, bytes((int(action),)))

    def receive(self) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The other half."""
        observation, reward, ended, info = self._next()
        return observation, reward, ended, False, info

    def close(self) -> None:
        """Ends the run under way."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._files.close()

    def _start(self, run: Simulation) -> None:
        questions, self._questions_in = os.pipe()
        answers_out, self._answers = os.pipe()
        self._questions = questions
        self._out = self._files.enter_context(tempfile.TemporaryDirectory())
        self._messages = self._files.enter_context(tempfile.TemporaryFile("w+"))
        for descriptor in (questions, self._answers):
            self._files.callback(os.close, descriptor)
        surroundings = {"TESSERA_PYTHON": sys.executable, **os.environ, "TESSERA_ENDS_WITH": str(os.getpid()), "TESSERA_ENVIRONMENT": f"{self._questions_in},{answers_out}"}
        self._process = subprocess.Popen(
            [str(simulator()), *run.words(), "--out", self._out], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._messages, env=surroundings,
            pass_fds=(self._questions_in, answers_out),
        )  # fmt: skip
        os.close(self._questions_in)
        os.close(answers_out)

    def _next(self) -> tuple[np.ndarray, float, bool, dict[str, Any]]:
        message = os.read(self._questions, QUESTION.size)  # whole: a pipe does not divide what is so short
        if not message:
            return self._end()
        *features, now, served, latency = QUESTION.unpack(message)
        reward = (self._latency - latency) * _PS if served >= self._served else -latency * _PS  # after a power cut counts begin again
        self._served, self._latency = served, latency
        self._observation = np.array(features)
        return self._observation, reward, False, {"time": now * _PS}

    def _end(self) -> tuple[np.ndarray, float, bool, dict[str, Any]]:
        """The rest of the run's latency is in its results."""
        assert self._process is not None
        status = self._process.wait()
        self._messages.seek(0)
        message = said(self._messages.read())
        if status != 0:
            self.close()
            raise InputError(f"the run ended with status {status}: {message}")
        metrics = {name: entry["value"] for name, entry in json.loads((Path(self._out) / "summary.json").read_text())["metrics"].items()}
        self._process = None
        self._files.close()
        return self._observation, 0.0, True, {"metrics": metrics}


class CleaningEnvironments:
    """Several side by side, each in a process of its own. step() takes an action for each, and gives arrays. One whose episode has ended begins the next with
    the step after that, as Gymnasium's vector environments do by default."""

    def __init__(self, make: Sequence[Callable[[], CleaningEnvironment]]):
        self.environments = [each() for each in make]
        self.num_envs = len(self.environments)
        self.single_action_space, self.single_observation_space = CleaningEnvironment.action_space, CleaningEnvironment.observation_space
        self._ended = np.zeros(self.num_envs, bool)

    def reset(self, *, seed: int | Sequence[int] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """`seed`: of the first, the others follow; or of each."""
        seeds = [None] * self.num_envs if seed is None else [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
        self._ended[:] = False
        for each, own in zip(self.environments, seeds, strict=True):
            each.begin(own)
        return np.stack([each.first()[0] for each in self.environments]), {}

    def step(self, actions: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """All of them go on at once; `metrics` of infos has those of the episodes that ended, None for the others."""
        for each, action, ended in zip(self.environments, actions, self._ended, strict=True):
            each.begin() if ended else each.send(int(action))
        rows = [(each.first()[0], 0.0, False, None) if ended else _row(each.receive()) for each, ended in zip(self.environments, self._ended, strict=True)]
        self._ended = np.array([row[2] for row in rows])
        return np.stack([row[0] for row in rows]), np.array([row[1] for row in rows]), self._ended.copy(), np.zeros(self.num_envs, bool), {"metrics": [row[3] for row in rows]}

    def close(self) -> None:
        for each in self.environments:
            each.close()


def _row(received: tuple[np.ndarray, float, bool, bool, dict[str, Any]]) -> tuple[np.ndarray, float, bool, Any]:
    observation, reward, ended, _, info = received
    return observation, reward, ended, info.get("metrics")


if gymnasium:
    gymnasium.register(id="tessera/Cleaning-v0", entry_point="tessera.environment:CleaningEnvironment")
