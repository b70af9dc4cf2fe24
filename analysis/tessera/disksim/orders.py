"""In which of the orders that a description knows the blocks of a layout go from track to track."""

from tessera.disksim.geometry import Layout, Track, tracks_in_order
from tessera.disksim.grammar import Place

BY_CYLINDER = ("cylinder", "cylinder_serpentine", "cylinder_serpentine_even")


def find_order(layout: Layout, tracks: list[Track], place: Place, key: str) -> None:
    """`tracks` in the order of their blocks, each where it comes first. Says so where no order is theirs: it stays by cylinder."""
    present = set(tracks)
    run = next((at for at, track in enumerate(tracks) if track[0] != tracks[0][0]), len(tracks))
    candidates = [*((order, 0) for order in (*BY_CYLINDER, "surface", "serpentine")), ("serpentine", run)]
    for order, serpent in candidates:
        expected = (track for zone in layout.zones for track in tracks_in_order(order, serpent, zone.first, zone.last, layout.surfaces) if track in present)
        if list(expected) == tracks:
            layout.order, layout.serpent_tracks, layout.order_place, layout.order_key = order, serpent, place, key
            return
    layout.lost.append(f"{place}: an order of tracks that a description cannot say; written as cylinder by cylinder")
