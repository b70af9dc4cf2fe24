"""Batch systems, with a stand-in for SLURM that starts what it gets: runs come back, and strangers on the network get nowhere."""

import os
import signal
import socket
import ssl
import stat
import urllib.request
from pathlib import Path

import pytest
from listening import open_to_others

from tessera import InputError
from tessera.explore import run_sweep
from tessera.explore.cluster import queue_cluster
from tessera.explore.place import places
from tessera.explore.plan import plan_of

pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("the_built_simulator")

SLURM = {"kind": "slurm", "jobs": 2, "cores": 1, "memory": "1GB"}
# Keeps a copy of the script, as the true one does: who hands it in removes it at once.
SBATCH = '#!/bin/sh\ncp "$1" "$0.job.$$"\nsetsid sh "$0.job.$$" >"$0.log.$$" 2>&1 </dev/null &\necho "$!" >>"$0.pids"\necho "Submitted batch job $!"\n'
PATIENCE = 60  # seconds
TLS_ALERT = b"\x15"  # the first octet of a refusal, RFC 8446, section 5.1


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """sbatch and scancel that use this machine; gives the process groups of the jobs."""
    place = tmp_path / "bin"
    place.mkdir()
    for name, script in (("sbatch", SBATCH), ("scancel", '#!/bin/sh\nkill -- "-$1"\n')):
        (place / name).write_text(script)
        (place / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    pids = place / "sbatch.pids"
    yield lambda: [int(pid) for pid in pids.read_text().split()] if pids.exists() else []
    for pid in [int(pid) for pid in pids.read_text().split()] if pids.exists() else []:
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def family(group: int) -> list[int]:
    """The processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.getpgid(int(entry.name)) == group:
                found.append(int(entry.name))
        except ProcessLookupError:
            continue
    return found


def without_certificate():
    """A stranger's side of TLS: it asks the scheduler for no name and has none to show."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def answers(host, port, dressed):
    """Whether the scheduler says anything to the one who connects, before it closes the connection."""
    try:
        with socket.create_connection((host, port), timeout=PATIENCE) as bare, dressed(bare) as stream:
            stream.sendall(bytes(64))
            return stream.recv(1) not in (b"", TLS_ALERT)
    except (ssl.SSLError, ConnectionError):
        return False


def test_the_runs_of_a_sweep_come_back_from_a_batch_system(tmp_path, slurm):
    sweep = run_sweep(plan_of({"run": {"workload": "random-4k", "limit": 20}, "axes": {"seed": list(range(1, 9))}, "cluster": SLURM}), tmp_path / "out")
    assert sorted(sweep.good["seed"]) == list(range(1, 9))
    assert len(slurm()) == 2
    assert list(tmp_path.glob(".dask-jobqueue*")) == []  # its certificate is gone with it


def test_only_those_with_the_sweep_s_certificate_reach_its_scheduler_and_nobody_else_s_state(slurm):
    before = open_to_others(os.getpid())
    with places(cluster={**SLURM, "jobs": 1, "cores": 2}) as place:
        assert place.count == 2  # the workers are yet to come
        client = place._client
        client.wait_for_workers(2, timeout=PATIENCE)  # both: the ports of one that is not known yet would be a stranger's
        address = client.scheduler_info()["address"]
        assert address.startswith("tls://")
        assert open_to_others(os.getpid()) - before == {int(address.rpartition(":")[2])}  # no dashboard
        keys = list(Path.cwd().glob(".dask-jobqueue*"))
        assert keys and all(stat.S_IMODE(key.stat().st_mode) == 0o600 for key in keys)
        host, port = address.removeprefix("tls://").split(":")
        assert not answers(host, int(port), lambda stream: stream)
        assert not answers(host, int(port), without_certificate().wrap_socket)
        workers = {int(worker.rpartition(":")[2]) for worker in client.scheduler_info()["workers"]}
        nannies = {int(worker["nanny"].rpartition(":")[2]) for worker in client.scheduler_info()["workers"].values()}
        ports = {port for group in slurm() for pid in family(group) for port in open_to_others(pid)}
        assert ports <= workers | nannies


def test_a_dashboard_is_there_where_it_is_asked_for(slurm):
    before = open_to_others(os.getpid())
    with queue_cluster({**SLURM, "scheduler_options": {"dashboard_address": "127.0.0.1:0"}}) as queue:
        assert len(open_to_others(os.getpid()) - before) == 1  # the scheduler
        port = queue.scheduler.http_server.port
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/status") as page:
            assert page.status == 200


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"security": "none"}, "security: expected false"),
        ({"scheduler_options": "none"}, "expected a table as scheduler_options"),
        ({"worker_extra_args": "none"}, "a list of texts as worker_extra_args"),
    ],
)
def test_wrong_options_are_refused(table, expected):
    with pytest.raises(InputError, match=expected):
        queue_cluster({**SLURM, **table}).__enter__()


def test_a_machine_that_can_make_no_certificate_says_so(monkeypatch):
    monkeypatch.setattr("tessera.explore.cluster.CERTIFICATE", ("no-such-program",))
    with pytest.raises(InputError, match="install openssl, or set security = false"):
        queue_cluster(SLURM).__enter__()
