"""A host in RTL in front of a drive: cocotb drives its pins, tessera.kernel answers in the same process, and both agree on the time."""

import time

import cocotb
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time
from tessera.kernel import Drive

PERIOD = 10_000  # ps
REQUESTS = 40


class GatedClock:
    """A clock that stands still while nobody has work for it, on the grid of one that always runs."""

    def __init__(self, pin):
        self.pin, self.ran = pin, 0
        self.pin.value = 0

    async def cycle(self):
        self.pin.value = 1
        await Timer(PERIOD // 2, "ps")
        self.pin.value = 0
        await Timer(PERIOD - PERIOD // 2, "ps")
        self.ran += 1

    async def still_until(self, instant):
        """The next edge is the first one from `instant` on."""
        left = instant - int(get_sim_time("ps"))
        if left > 0:
            await Timer(-(-left // PERIOD) * PERIOD, "ps")


@cocotb.test()
async def a_host_in_rtl_gets_back_what_it_wrote(dut):
    drive = Drive("bare", layer="imr-rmw", content="bytes")
    drive.run_until("ready")
    origin = drive.now  # the RTL's time 0
    clock = GatedClock(dut.clk)
    dut.done.value, dut.rst.value = 0, 1
    await clock.cycle()
    dut.rst.value = 0
    begun = time.process_time()
    while int(dut.ended.value) < REQUESTS:
        await clock.cycle()
        if not int(dut.req.value):
            continue
        drive.run_until(origin + int(get_sim_time("ps")))
        offset, word = int(dut.block.value) * 4096, int(dut.word.value).to_bytes(4, "little")
        request = drive.submit("write", offset, data=word * 1024) if int(dut.write.value) else drive.submit("read", offset, 4096)
        drive.run_until(request)
        await clock.still_until(drive.now - origin)
        assert 0 <= int(get_sim_time("ps")) - (drive.now - origin) < PERIOD
        dut.done.value, dut.answer.value = 1, int.from_bytes((request.data or b"")[:4], "little")
        await clock.cycle()
        dut.done.value = 0
    cycles = int(get_sim_time("ps")) // PERIOD
    assert int(dut.wrong.value) == 0
    assert clock.ran < cycles // 100
    dut._log.info(f"{int(dut.ended.value)} requests, {int(dut.wrong.value)} wrong, {clock.ran} of {cycles} cycles ran, {time.process_time() - begun:.2f} CPU-s")
