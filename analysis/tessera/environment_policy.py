"""The policy that asks an environment (tessera/environment.py) what to do: a run that begins with `--firmware` this file and two open pipes in
TESSERA_ENVIRONMENT, "questions,answers". Without them the layer's own policy decides."""

import os
import struct

from tessera.layer import MS, time
from tessera.policy import FEATURES, Cleaning, Watcher

QUESTION = struct.Struct(f"={len(FEATURES)}d3Q")  # features; time, commands served and their latency since power-on
WAIT, OWN, FULLEST = range(3)
_PROCESS = os.getpid()  # that of the run: a copy of the process, which fills its caches, asks nobody


class Environment(Watcher):
    """What an environment answers"""

    look = time(100 * MS, 1, 3_600_000 * MS, "after which it is asked again where it waits")

    def setup(self) -> None:
        super().setup()
        self._action = OWN
        self._questions, self._answers = map(int, os.environ.get("TESSERA_ENVIRONMENT", "-1,-1").split(","))

    def when(self, cleaning: Cleaning) -> int:
        features = self.features(cleaning)
        if self._questions < 0 or os.getpid() != _PROCESS:
            return self.own()
        try:
            os.write(self._questions, QUESTION.pack(*features, cleaning.now, cleaning.served, cleaning.latency))
            answer = os.read(self._answers, 1)
        except OSError:  # nobody is there any more
            answer = b""
        if not answer:
            self._questions = -1
            return self.own()
        self._action = answer[0]
        return cleaning.now + self.look if self._action == WAIT else cleaning.now

    def choose(self, cleaning: Cleaning) -> int:
        action, self._action = self._action, OWN
        return max(self.units(), key=lambda unit: unit.cached).number if action == FULLEST else self.own()
