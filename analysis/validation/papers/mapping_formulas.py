"""The mappings of the chapter on static mappings as the paper defines them, and the ratios that follow by its equations."""

MAPPINGS = ("shingled-in-place-1234", "shingled-in-place-r4123", "shingled-in-place-124r3", "shingled-in-place-14r23")
NEW = MAPPINGS[1:]
USAGES = (25, 50, 75, 100)
BANDS = 600  # 3000 tracks in bands of four and a guard
BAND_TRACKS = 4
BLOCKS = BANDS * BAND_TRACKS * 1000

PUBLISHED = {  # Figure 3 (e) to (g) and section 5.4
    "shingled-in-place-1234": {25: 4.0, 50: 4.0, 75: 4.0, 100: 4.0},
    "shingled-in-place-r4123": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
    "shingled-in-place-124r3": {25: 1.67, 50: 1.67, 75: 1.67, 100: 4.0},
    "shingled-in-place-14r23": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
}


def place(mapping: str, track: int) -> tuple[int, int]:
    """Band and position in it of a logical track, from 0 (section 4)."""
    if mapping == "shingled-in-place-r4123":
        return track % BANDS, (3, 0, 1, 2)[track // BANDS]
    if mapping == "shingled-in-place-124r3":
        return (track // 3, (0, 1, 3)[track % 3]) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    if mapping == "shingled-in-place-14r23":
        if track < 2 * BANDS:
            return track // 2, (0, 3)[track % 2]
        return (track - 2 * BANDS, 1) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    return track // BAND_TRACKS, track % BAND_TRACKS


def _requests_of_update(used: set[tuple[int, int]], band: int, position: int) -> int:
    """Itself, and a read and a write of each track in the chain of used ones behind it."""
    behind = 0
    while (band, position + behind + 1) in used:
        behind += 1
    return 1 + 2 * behind


def track_ratios(mapping: str, usage: int) -> list[int]:
    """Requests that an update of each used track takes."""
    places = [place(mapping, track) for track in range(BANDS * BAND_TRACKS * usage // 100)]
    used = set(places)
    return [_requests_of_update(used, *each) for each in places]


def uniform_ratio(mapping: str, usage: int) -> float:
    """Mean write amplification ratio of updates that fall anywhere in the used part."""
    ratios = track_ratios(mapping, usage)
    return sum(ratios) / len(ratios)


def quarter_ratio(mapping: str, shares: tuple[int, ...]) -> float:
    """The same on a full disk where each quarter of the addresses gets its share, in percent, of the updates."""
    ratios = track_ratios(mapping, 100)
    tracks = len(ratios) // len(shares)
    return sum(share * sum(ratios[i * tracks : (i + 1) * tracks]) / tracks for i, share in enumerate(shares)) / 100


def cold_ratio(mapping: str, usage: int) -> float:
    """Mean ratio of writing an empty disk once, in order: a write meets only what was written before it."""
    used: set[tuple[int, int]] = set()
    total = 0
    for track in range(BANDS * BAND_TRACKS * usage // 100):
        band, position = place(mapping, track)
        total += _requests_of_update(used, band, position)
        used.add((band, position))
    return total / len(used)
