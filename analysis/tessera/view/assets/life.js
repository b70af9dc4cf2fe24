"use strict";
// The life of the chosen request, in words and as a bar of its parts.

const EVENTS_SHOWN = 12;

/** A stack of the parts of a life, `share` of the width long. */
const barOf = (parts, share) => {
  const bar = element("div", undefined, "bar");
  bar.style.width = `${Math.max(2, 100 * share)}%`;
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", parts.map(({ name, time }) => `${name} ${readable(time)}`).join(", "));
  for (const { name, colour, time } of parts) {
    const part = element("span");
    part.style.flexGrow = Number(time);
    part.style.background = colour;
    part.title = `${name}: ${readable(time)}`;
    bar.append(part);
  }
  return bar;
};

const rowOf = (cells) => {
  const row = element("tr");
  row.append(...cells);
  return row;
};

const partsTable = (parts, whole) => {
  const table = element("table", undefined, "parts");
  const [body, foot] = [element("tbody"), element("tfoot")];
  for (const { name, colour, time, meaning } of parts) {
    const head = element("th");
    head.scope = "row";
    head.append(swatch(colour), name.replaceAll("_", " "));
    const share = 100 * Number(time) / Number(whole);
    body.append(rowOf([head, element("td", readable(time), "number"), element("td", share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`, "number"), element("td", meaning, "meaning")]));
  }
  foot.append(rowOf([element("th", "in all"), element("td", readable(whole), "number"), element("td"), element("td", undefined, "meaning")]));
  table.append(body, foot);
  return table;
};

const eventsTable = (events) => {
  const table = element("table", undefined, "events");
  for (const { after, what } of events.slice(0, EVENTS_SHOWN)) table.append(rowOf([element("td", `+${readable(after)}`, "number"), element("td", what)]));
  return table;
};

/** The life of request `index` of a side; null where that has no such request. */
const lifeOf = (side, number, index, longest, named) => {
  const article = element("article");
  article.append(element("h2", named ? `Request ${grouped(number)} on ${side.name}` : `Request ${grouped(number)}`));
  if (index === undefined) {
    article.append(element("p", "It is not in this log."));
    return article;
  }
  const parts = partsOf(side, index);
  const whole = side.columns.completion[index] - side.columns.arrival[index];
  article.append(element("p", sentences(side, index).join(" "), "words"), barOf(parts, side.latency[index] / longest), partsTable(parts, whole));
  const works = worksAt(side, side.arrival[index]);
  if (works.length > 0) article.append(element("p", `Under way when it arrived: ${works.join(", ")}.`));
  const events = meanwhile(side, index);
  if (events.length > 0) {
    const more = events.length > EVENTS_SHOWN ? `, the first ${EVENTS_SHOWN} of ${grouped(events.length)} events` : "";
    article.append(element("h2", `Meanwhile in the firmware, counted from its arrival${more}`), eventsTable(events));
  }
  return article;
};

const showLife = (panel, sides, number) => {
  const found = sides.map((side) => side.byNumber.get(number));
  const longest = Math.max(...found.map((index, i) => (index === undefined ? 0 : sides[i].latency[index]))) || 1;
  panel.replaceChildren(...sides.map((side, i) => lifeOf(side, number, found[i], longest, sides.length > 1)));
  panel.hidden = false;
};
