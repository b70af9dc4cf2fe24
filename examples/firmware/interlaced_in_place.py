"""interlaced_in_place.c in Python, with the same results: interlaced tracks, updated in place. Under each top track (odd radius of the region) are two bottom
tracks; writing a bottom destroys what is at the same angles of the tops next to it. So a write to a bottom reads these sectors, saves them in the backup track
with a record in the header of the last one, writes the bottom and the tops again, and voids the record. A power cut in between leaves the record in force, and
the next boot writes the tops again.

    tessera run common --firmware interlaced_in_place.py --workload web-server --fold --limit 5000 --check --out /tmp/mine"""

import struct

from tessera.layer import HEADER_BYTES, Failed, Figure, Layer, Lock, Refused, Region, Run, Tracks, real

RECORD = struct.Struct("<Q4I")  # magic number; radius, surface, first sector and sectors of the bottom
MAGIC = 0x3152575241535345
VOID = bytes(HEADER_BYTES)


class InPlacePy(Layer):
    """interlaced tracks, bottoms updated in place; an example in Python"""

    top_ratio = real(0.9, 0.1, 1.0, "sectors of a top track over sectors of a bottom track")

    def plan(self, drive):
        if drive.radii < 3:
            raise Refused("two data tracks and a backup track take three radii")
        yield Region("backup", 0, 1, skewed=False)
        yield Region("data", 1, drive.radii - 1, "interlaced", top_ratio=self.top_ratio, skewed=False)  # tracks align in angle

    def setup(self):
        self.tracks = Tracks(self, region=1)
        self.user_sectors = self.tracks.sectors
        self.backup_length = self.media.sectors_on(0, 0)
        self.saved = self.memory.buffer(self.backup_length, "tops under way")
        self.turn = Lock()
        self.rmws = 0

    def tops_of(self, bottom):
        """The sectors of the tops that a write to `bottom` destroys."""
        spares, region = self.drive.track_spares, self.tracks.region
        here = self.media.sectors_on(bottom.surface, bottom.radius) + spares  # places of a turn
        for radius in (bottom.radius - 1, bottom.radius + 1):
            if region.first <= radius < region.first + region.count:
                sectors = self.media.sectors_on(bottom.surface, radius)
                first = min(bottom.first * (sectors + spares) // here, sectors - 1)  # after the last sector are spares
                end = min(-(-(bottom.first + bottom.count) * (sectors + spares) // here), sectors)
                yield Run(bottom.surface, radius, first, end - first)

    def move_tops(self, step, tops):
        """Steps that move the tops between platters and buffer."""
        done = 0
        for top in tops:
            yield step(top, self.saved[done : done + top.count], hint="same_angle")
            done += top.count

    def backup(self, step, sectors, header):
        """The record is on the last sector of the backup track, and the tops end there."""
        return step(Run(0, 0, self.backup_length - sectors, sectors), self.saved[:sectors], header=header, hint="same_angle")

    def read(self, request):
        yield from self.serve(request, self.media.read)

    def write(self, request):
        yield from self.serve(request, self.media.write)

    def serve(self, request, step):
        with (yield self.turn):
            done = 0
            while done < request.count:  # at most a run on one track, and no more than the backup track takes tops for
                self.cpu.charge("tree_level", 16)
                run = self.tracks.run(request.first + done, min(request.count - done, self.backup_length // 2 - 2))
                data = request.data[done : done + run.count]
                if step == self.media.write and (run.radius - self.tracks.region.first) % 2 == 0:
                    yield from self.write_bottom(run, data)
                else:
                    yield step(run, data, hint="same_angle")
                done += run.count

    def write_bottom(self, bottom, data):
        tops = list(self.tops_of(bottom))
        sectors = sum(top.count for top in tops)
        yield self.media.chain(self.move_tops(self.media.read, tops), carry_lost=True)
        self.rmws += 1
        record = RECORD.pack(MAGIC, bottom.radius, bottom.surface, bottom.first, bottom.count)
        last = Run(0, 0, self.backup_length - 1, 1)
        try:
            yield [
                self.backup(self.media.write, sectors, record),
                self.media.write(bottom, data, hint="same_angle"),
                *self.move_tops(self.media.write, tops),
                self.media.write(last, self.saved[sectors - 1 : sectors], header=VOID, hint="same_angle"),
            ]
        except Failed as failed:
            if failed.steps_done > 0:  # the bottom may have been written
                yield list(self.move_tops(self.media.write, tops))
            raise

    def recover(self):
        header = bytearray(HEADER_BYTES)
        try:
            yield self.backup(self.media.read, 1, header)
        except Failed:
            return  # no record that can be read: no write was past its saving, or it ended
        magic, *place = RECORD.unpack_from(header)
        if magic != MAGIC:
            return
        radius, surface, first, count = place
        tops = list(self.tops_of(Run(surface, radius, first, count)))
        yield self.media.chain([self.backup(self.media.read, sum(top.count for top in tops), header)], carry_lost=True)
        yield list(self.move_tops(self.media.write, tops))

    def report(self):
        yield Figure("rmw.count", self.rmws, "1", "read-modify-writes of bottom tracks", counts=True)
