"""The papers' experiments on this platform: each figure that they print, beside what comes out here."""

from tessera.papers import amphisbaena, hwsr, interlaced, league, league_interlaced, mapping, mu_rmw, pressure

CHAPTERS = {
    "mu-rmw": mu_rmw, "interlaced": interlaced, "mapping": mapping, "amphisbaena": amphisbaena, "hwsr": hwsr, "league": league,
    "pressure": pressure, "interlaced-league": league_interlaced,
}  # fmt: skip
