"""The recorder's files in two readers that others wrote."""

import io
import subprocess

import pytest
from samples import BUILD
from vcd.reader import TokenKind, tokenize
from vcdvcd import VCDVCD

US = 10**6  # ps


@pytest.fixture(scope="module")
def sample() -> bytes:
    return subprocess.run([BUILD / "tests/unit/waveform/waveform_sample"], check=True, stdout=subprocess.PIPE).stdout


EXPECTED = {
    "drive.media.busy": [(10 * US, "0"), (12 * US, "1")],
    "drive.media.track[16:0]": [(10 * US, f"{100_000:b}"), (11 * US, "101")],
    "drive.media.state": [(10 * US, "seek"), (15 * US, "transfer")],
    "drive.media.state_code[15:0]": [(10 * US, "1"), (15 * US, "10")],
    "drive.host.queue_depth[5:0]": [(10 * US, "100000")],
    "drive.cpu.never_set[3:0]": [(10 * US, "x")],
}


def test_vcdvcd_reads_signals_scopes_and_changes(sample, tmp_path):
    (tmp_path / "sample.vcd").write_bytes(sample)
    vcd = VCDVCD(str(tmp_path / "sample.vcd"))
    # This reader skips text values, a widespread extension (GTKWave's); the other one reads them.
    assert {name: vcd[name].tv for name in vcd.signals} == EXPECTED | {"drive.media.state": []}
    assert float(vcd.timescale["timescale"]) == pytest.approx(1e-12)
    assert vcd.endtime == 20 * US


def test_pyvcd_reads_every_token(sample):
    variables, changes, time, scopes = {}, {}, None, []
    for token in tokenize(io.BytesIO(sample)):
        if token.kind is TokenKind.SCOPE:
            scopes.append(token.scope.ident)
        elif token.kind is TokenKind.UPSCOPE:
            scopes.pop()
        elif token.kind is TokenKind.VAR:
            variables[token.var.id_code] = ".".join([*scopes, token.var.ref_str])
        elif token.kind is TokenKind.CHANGE_TIME:
            time = token.time_change
        elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR, TokenKind.CHANGE_STRING):
            change = next(c for c in (token.data,) if c is not None)
            value = change.value if isinstance(change.value, str) else f"{change.value:b}"
            changes.setdefault(variables[change.id_code], []).append((time, value))
    assert changes == EXPECTED
    assert time == 20 * US
