"""Where the results lie: an overview, and in the folder of its name a page a chapter and its tables."""

from dataclasses import dataclass
from pathlib import Path

from validation.papers.figures import PaperFigure


@dataclass(frozen=True)
class Places:
    overview: Path

    @property
    def folder(self) -> Path:
        return self.overview.parent / self.overview.stem

    def chapter(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def tables(self, name: str) -> Path:
        return self.folder / "tables" / f"{name}.md"

    def figure(self, figure: PaperFigure) -> Path:
        return self.folder / f"{figure.paper}-{figure.id}.svg"

    def picture(self, name: str) -> Path:
        return self.folder / f"{name}.svg"
