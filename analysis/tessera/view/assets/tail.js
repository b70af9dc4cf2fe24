"use strict";
// The tail: the share of requests that are slower than a latency, both axes logarithmic.

const SVG = "http://www.w3.org/2000/svg";
const SHORTEST_MS = 1e-3;  // a logarithmic axis has no 0: anything below a microsecond is at its edge
const SPACE = { left: 58, right: 46, top: 14, bottom: 38 };
const LABEL = 52;  // dots that a label of the axis needs
const NAMED = [[0.5, "p50"], [0.1, "p90"], [0.01, "p99"], [0.001, "p99.9"]];
const DASHES = ["6 3", "2 3", "8 3 2 3", "1 2"];

const drawn = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

/** Milliseconds in the unit that one thinks in, three digits. */
const latencyText = (ms) => {
  const [value, unit] = ms >= 1000 ? [ms / 1000, "s"] : ms >= 1 || ms === 0 ? [ms, "ms"] : ms >= 1e-3 ? [ms * 1e3, "us"] : [ms * 1e6, "ns"];
  return `${threeDigits(value)} ${unit}`;
};

/** 10 to the power of `decade` milliseconds. */
const decadeText = (decade) => {
  const [power, unit] = decade >= 3 ? [3, "s"] : decade >= 0 ? [0, "ms"] : [-3, "us"];
  return `${grouped(Math.round(10 ** (decade - power)))} ${unit}`;
};

const threeDigits = (value) => (value >= 1000 ? grouped(Math.round(value)) : value === 0 ? "0" : value.toPrecision(3));

const shareText = (share) => `${Number((100 * share).toPrecision(3))} %`;

/** Whole decades around the values. */
const decades = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)) + 1e-9)];

/** `curves`: {points, kind, colour, dash, letter}; `mark`: what must be known of the first. */
const drawTail = (place, curves, mark) => {
  const width = Math.max(280, place.clientWidth);
  const height = Math.round(Math.min(460, Math.max(250, width * 0.5)));
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" });
  const points = curves.flatMap((curve) => curve.points);
  const [left, right] = points.length > 0 ? decades(points.map(([ms]) => Math.max(SHORTEST_MS, ms))) : [-2, 3];
  const [bottom] = decades([1e-4, ...points.map(([, share]) => share)]);
  const x = (ms) => SPACE.left + ((Math.log10(Math.max(SHORTEST_MS, ms)) - left) / (right - left)) * (width - SPACE.left - SPACE.right);
  const y = (share) => SPACE.top + (Math.log10(share) / bottom) * (height - SPACE.top - SPACE.bottom);
  const every = Math.ceil(LABEL / (x(10) - x(1)));
  for (let decade = left; decade <= right; ++decade) {
    svg.append(drawn("line", { class: "grid", x1: x(10 ** decade), x2: x(10 ** decade), y1: SPACE.top, y2: height - SPACE.bottom }));
    if ((right - decade) % every === 0) svg.append(drawn("text", { x: x(10 ** decade), y: height - SPACE.bottom + 16, "text-anchor": "middle" }, decadeText(decade)));
  }
  for (let decade = 0; decade >= bottom; --decade) {
    svg.append(drawn("line", { class: "grid", x1: SPACE.left, x2: width - SPACE.right, y1: y(10 ** decade), y2: y(10 ** decade) }));
    svg.append(drawn("text", { x: SPACE.left - 6, y: y(10 ** decade) + 4, "text-anchor": "end" }, shareText(10 ** decade)));
  }
  for (const [share, name] of NAMED) {
    if (share === 0.5) svg.append(drawn("line", { class: "half", x1: SPACE.left, x2: width - SPACE.right, y1: y(share), y2: y(share) }));
    svg.append(drawn("text", { x: width - SPACE.right + 6, y: y(share) + 4 }, name));
  }
  svg.append(drawn("text", { x: (SPACE.left + width - SPACE.right) / 2, y: height - 4, "text-anchor": "middle" }, "latency: share of requests that are slower"));
  for (const curve of [...curves].reverse()) svg.append(...drawCurve(curve, x, y));
  if (mark) svg.append(drawn("text", { class: "mark", x: width - SPACE.right - 4, y: SPACE.top + 14, "text-anchor": "end" }, mark));
  place.replaceChildren(svg);
  return svg;
};

const drawCurve = ({ points, kind, colour, dash, letter }, x, y) => {
  if (points.length === 0) return [];
  const steps = points.map(([ms, share], i) => (i === 0 ? `M${x(ms).toFixed(1)} ${y(share).toFixed(1)}` : `H${x(ms).toFixed(1)}V${y(share).toFixed(1)}`));
  const path = drawn("path", { class: `curve ${kind}`, d: steps.join("") });
  if (colour) path.setAttribute("stroke", colour);
  if (dash) path.setAttribute("stroke-dasharray", dash);
  const [ms, share] = points[points.length - 1];
  return letter ? [path, drawn("text", { class: "letter", x: x(ms) + 4, y: y(share) + 4 }, letter)] : [path];
};
