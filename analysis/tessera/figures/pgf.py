"""Figures as PGF, which LaTeX typesets with the fonts of its document. Written without LaTeX: the room for a text is that of matplotlib's own fonts."""

from pathlib import Path

import matplotlib
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pgf import FigureCanvasPgf, RendererPgf
from matplotlib.figure import Figure

from tessera.engine.output_file import whole, write

HEAD = r"""%% Drawn by tessera. In the document: \usepackage{pgf}, then \input{NAME.pgf}
\begingroup
\makeatletter
\providecommand{\mathdefault}[1]{#1}
\begin{pgfpicture}
"""
FOOT = r"""\end{pgfpicture}
\makeatother
\endgroup
"""


class _Renderer(RendererPgf):
    """Measures texts without LaTeX, and puts rasters next to the file under its name."""

    target: Path

    def get_text_width_height_descent(self, s, prop, ismath):
        return RendererBase.get_text_width_height_descent(self, s, prop, ismath)

    def draw_image(self, gc, x, y, im, transform=None):
        from PIL import Image  # comes with matplotlib

        file = self.target.with_name(f"{self.target.stem}-{self.image_counter}.png")
        self.image_counter += 1
        whole(file, lambda aside: Image.fromarray(im[::-1]).save(aside, format="png"))
        height, width = im.shape[:2]
        inches = 1.0 / self.dpi
        place = rf"\pgfsys@transformshift{{{x * inches:f}in}}{{{y * inches:f}in}}"
        if transform is not None:
            a, b, c, d, e, f = transform.frozen().to_values()
            place = rf"\pgfsys@transformcm{{{a * inches:f}}}{{{b * inches:f}}}{{{c * inches:f}}}{{{d * inches:f}}}{{{(e + x) * inches:f}in}}{{{(f + y) * inches:f}in}}"
        size = (width * inches, height * inches) if transform is None else (1, 1)
        self.fh.write("\\begin{pgfscope}\n")
        self._print_pgf_clip(gc)
        self.fh.write(f"{place}\n\\pgftext[left,bottom]{{\\includegraphics[width={size[0]:f}in,height={size[1]:f}in]{{{file.name}}}}}\n\\end{{pgfscope}}\n")


class _Canvas(FigureCanvasPgf):
    def get_renderer(self):
        return _Renderer(self.figure, None)


def write_pgf(figure: Figure, file: Path) -> None:
    from io import StringIO

    text = StringIO()
    _Canvas(figure)
    with matplotlib.rc_context({"pgf.rcfonts": True}):
        renderer = _Renderer(figure, text)
        renderer.target = file
        width, height = figure.get_size_inches()
        text.write(HEAD + rf"\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}" + "\n\\pgfusepath{use as bounding box, clip}\n")
        figure.draw(MixedModeRenderer(figure, width, height, figure.dpi, renderer))
    write(file, text.getvalue() + FOOT)
