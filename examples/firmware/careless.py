"""A layer that loses data: it writes interlaced tracks in place, as if they did not overlap. `tessera torture` shows what is lost.

    tessera torture torture --firmware careless.py --durability none --operations 50 --cuts 50"""

from tessera.layer import Layer, Region, Tracks


class CarelessPy(Layer):
    """interlaced tracks written in place as if they did not overlap: an example that loses data"""

    def plan(self, drive):
        return [Region("all", 0, drive.radii, "interlaced", skewed=False)]

    def setup(self):
        self.tracks = Tracks(self)
        self.user_sectors = self.tracks.sectors

    def read(self, request):
        yield [self.media.read(run, data) for run, data in self.tracks.runs(request.first, request.data)]

    def write(self, request):
        yield [self.media.write(run, data) for run, data in self.tracks.runs(request.first, request.data)]
