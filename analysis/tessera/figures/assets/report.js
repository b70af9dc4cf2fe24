"use strict";
(() => {
  const root = document.documentElement;
  const say = (text) => { document.getElementById("said").textContent = text; };

  const colours = () => {
    const style = getComputedStyle(root);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), line: of("--line") };
  };

  // Where a picture is narrow its legend has a line for each or every second entry: room for them below, or it would scroll.
  const [narrow, legendLine] = [480, 20];
  const heightOf = (plot, data, layout) => layout.height + (plot.clientWidth < narrow ? legendLine * Math.ceil(2 * data.length / 3) : 0);

  const themed = (layout) => {
    const { ink, line } = colours();
    const axis = (given) => given && { ...given, gridcolor: line, zerolinecolor: line, linecolor: line };
    return {
      ...layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: ink, size: 12 },
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
    };
  };

  const figures = [...document.querySelectorAll("script.figure")].map((script) => ({
    plot: document.getElementById(script.dataset.for), ...JSON.parse(script.textContent),
  }));
  const drawOne = (figure) => {
    const { plot, data, layout } = figure;
    figure.width = plot.clientWidth;
    const size = { width: figure.width, height: heightOf(plot, data, layout) };
    return Plotly.react(plot, data, { ...themed(layout), ...size }, { displaylogo: false, displayModeBar: false });
  };
  const draw = () => Promise.all(figures.map(drawOne));

  // A window may be shown or printed as soon as its width changes, as for a screenshot: Plotly's own redrawing comes 100 ms later.
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const figure = figures.find(({ plot }) => plot === target);
      if (figure.width !== undefined && figure.width !== target.clientWidth) drawOne(figure);
    }
  });
  for (const { plot } of figures) resized.observe(plot);

  const setTheme = (theme) => { root.dataset.theme = theme; return draw(); };
  document.getElementById("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  window.reportReady = setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  const valueOf = (row, index) => row.cells[index].dataset.value;
  const compare = (index, numeric, sign) => (one, other) => {
    const [a, b] = [valueOf(one, index), valueOf(other, index)];
    if (a === "" || b === "") return (a === "") - (b === "");  // what has no figure stands last, whichever way
    return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
  };
  const sortBy = (heading) => {
    const body = heading.closest("table").tBodies[0];
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    body.append(...[...body.rows].sort(compare(heading.cellIndex, heading.classList.contains("number"), ascending ? 1 : -1)));
  };

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csvOf = (table) => [...table.rows].map((row) => [...row.cells].map((cell) =>
    quoted(cell.dataset.value ?? cell.textContent)).join(",")).join("\n") + "\n";

  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const copy = async (name, type, text) => {  // a page that was opened from a file may not write to the clipboard
    try {
      await navigator.clipboard.writeText(text);
      say("copied");
    } catch {
      save(name, type, text);
      say(`saved as ${name}`);
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.closest("th")) sortBy(button.closest("th"));
    if (button.classList.contains("copy-csv")) await copy("table.csv", "text/csv", csvOf(button.closest("details").querySelector("table")));
    if (button.classList.contains("copy-svg")) {
      const plot = button.closest("figure").querySelector(".plot");
      const picture = await Plotly.toImage(plot, { format: "svg", width: plot.clientWidth, height: plot.clientHeight });
      save(`${button.dataset.name}.svg`, "image/svg+xml", decodeURIComponent(picture.slice(picture.indexOf(",") + 1)));
      say(`saved as ${button.dataset.name}.svg`);
    }
  });
  window.reportCsv = csvOf;
})();
