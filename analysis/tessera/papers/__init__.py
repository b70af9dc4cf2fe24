"""The papers' experiments on this platform: each figure that they print, beside what comes out here."""

from tessera.papers import amphisbaena, hwsr, interlaced, league, league_interlaced, mapping, mu_rmw

CHAPTERS = {
    "mu-rmw": mu_rmw, "interlaced": interlaced, "mapping": mapping, "amphisbaena": amphisbaena, "hwsr": hwsr, "league": league,
    "interlaced-league": league_interlaced,
}  # fmt: skip
