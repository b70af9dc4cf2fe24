"""A test bench in Python: what do 200 requests wait for once the drive cleans, compared with the 200 before?"""

from tessera.kernel import Drive, Request

drive = Drive("bare", layer="mu-rmw", settings={"nand.blocks": 1024})
drive.record("media.state", "flash.free_blocks")
ended: list[Request] = []


def host(request: Request | None = None) -> None:
    """Called as a request ends, it submits the next: a queue depth of 8 with as many calls at the start."""
    if request is not None:
        ended.append(request)
    drive.submit("write", (len(ended) * 7919 + drive.outstanding) * 4096 % drive.capacity, 4096, done=host)
    if len(ended) == wanted:
        drive.stop()


wanted = -1
for _ in range(8):
    host()
print(drive.run_until("controller.firmware.work_under_way > 0", "10 min"), f"at {drive.now / 1e12:.1f} s, after {len(ended)} requests")
middle, cleans = len(ended), drive.now
wanted = middle + 200
drive.run_until("10 min")
for name, some in (("before", ended[middle - 200 : middle]), ("after", ended[middle:])):
    waits = {part: sum(request.parts[part] for request in some) / 1e9 for part in some[0].parts}
    print(name, ", ".join(f"{part} {time:.0f} ms" for part, time in waits.items() if time >= 1))
state = drive.signals("media.state", since=cleans)["drive.media.state"]
print(f"state of the media: {state.at(cleans)}, and {len(state.times) - 1} changes after that")
print(f"write amplification {drive.metric('write_amplification.total'):.2f}")
