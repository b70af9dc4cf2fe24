"""@NAME@: see README.md. A rewrite copies a whole unit to the zone's spare band; its record, in the headers of the band's last sectors, makes the copy count."""

import struct

from tessera.layer import HEADER_BYTES, Bands, Failed, Layer, Lock, count, plan_bands

RECORD, MAGIC, RECORDS = struct.Struct("<QQQ"), 0x6C617965722D7079, 2  # magic number, unit, sequence number; sectors of a band with a record


class @CLASS@(Layer):
    """@SUMMARY@"""

    name = "@NAME@"
    unit_tracks = count(@UNIT@, 1, 13, "tracks that are rewritten together@ODD@")

    def plan(self, drive):
        return plan_bands(drive, self.unit_tracks@INTERLACED@)

    def setup(self):
        self.bands = Bands(self, self.unit_tracks, spare=1, kept=RECORDS)
        self.user_sectors = self.bands.user_sectors
        self.band_of = self.memory.table(range(self.bands.count), "band of each unit")  # the last one of a zone is the spare
        self.image = self.memory.buffer(self.bands.most_sectors, "unit that is rewritten")
        self.rewrites = self.cpu.work("rmw", "units rewritten for writes")
        self.turn = Lock()  # one operation at a time
        self.newest = 0  # sequence number

    def read(self, request):
        with (yield self.turn):
            for unit, index, data in self.bands.pieces(request.first, request.data):
                yield self.bands.read(self.band_of[unit], index, data)

    def write(self, request):
        with (yield self.turn):
            for unit, index, data in self.bands.pieces(request.first, request.data):
                with self.rewrites(unit, len(data)):
                    yield from self.rewrite(unit, index, data)

    def rewrite(self, unit, index, data):
        sectors, spare = self.bands.usable(unit), self.band_of[self.bands.last[unit]]
        image, kept = self.image[:sectors], self.image[sectors : sectors + 1]
        yield self.media.chain(self.bands.read(self.band_of[unit], 0, image), carry_lost=True)
        self.memory.copy(data, image[index : index + len(data)])
        self.newest += 1
        record = RECORD.pack(MAGIC, unit, self.newest)
        records = [step for i in range(RECORDS) for step in self.bands.write(spare, sectors + i, kept, record)]
        copy = self.bands.write(spare, 0, image)
        try:
            yield [*copy, *records]
        except Failed as failed:
            if failed.steps_done <= len(copy):
                raise  # without a record the old copy counts
        self.band_of[self.bands.last[unit]], self.band_of[unit] = self.band_of[unit], spare

    def recover(self):
        found = {}
        for band in range(self.bands.count):
            for i in range(RECORDS):
                header = bytearray(HEADER_BYTES)  # stays as it is where the sector cannot be read
                steps = self.bands.read(band, self.bands.usable(band) + i, self.image[:1], header)
                yield self.media.chain(steps, carry_lost=True)
                magic, unit, sequence = RECORD.unpack_from(header)
                if magic == MAGIC and unit < self.bands.count:
                    found[unit] = max(found.get(unit, (0, 0)), (sequence, band))
        for unit, (sequence, band) in found.items():
            self.band_of[unit], self.newest = band, max(self.newest, sequence)
        for last in {self.bands.last[unit] for unit in found}:  # the band of the zone that no unit has is the spare
            zone = [unit for unit in range(self.bands.count) if self.bands.last[unit] == last]
            self.band_of[last] = min(set(zone) - {self.band_of[unit] for unit in zone[:-1]})
