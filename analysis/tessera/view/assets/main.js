"use strict";
// The page: the sides with their pictures, the controls and the keys.

const NO_INPUT = ["INPUT", "SELECT", "TEXTAREA"];

const lookNow = () => {
  const style = getComputedStyle(document.documentElement);
  const look = Object.fromEntries(["page", "ink", "faint", "line", "panel", "platter", "arm", "now", "slow", "level", "seek", "rotate", "read", "write", "other", "work", "erase", "moved"]
    .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...look, ops: [look.read, look.write, ...Array(7).fill(look.other)], states: [look.faint, look.seek, look.rotate, look.read, look.write, look.faint],
    flash: [null, look.moved, look.read, look.write, look.erase, look.moved, look.faint] };
};

const legendOf = (side, look) => {
  const list = element("ul", undefined, "legend");
  const entry = (colour, text) => {
    const item = element("li");
    item.append(swatch(colour), text);
    list.append(item);
  };
  const seen = new Set(side.columns.op);
  if (seen.has(0)) entry(look.read, "read");
  if (seen.has(1)) entry(look.write, "write");
  if ([...seen].some((op) => op > 1)) entry(look.other, [...seen].some((op) => op > 3) ? "flush, trim or zone command" : "flush or trim");
  entry(look.slow, side.slow.length > 1 ? `the slowest ${grouped(side.slow.length)}` : "the slowest");
  if (side.head) {
    entry(look.seek, "seek");
    entry(look.rotate, "rotation");
  }
  if (side.dies.length > 0) {
    entry(look.moved, "flash: transfer");
    if (side.dies.some(({ state }) => state.includes(4))) entry(look.erase, "flash: erase");
  }
  (side.rings?.names ?? []).forEach((name, i) => entry(side.rings.colours[i], `region ${name.replaceAll("_", " ") || "without a name"}`));
  return list;
};

/** The section of a side in the page, and its pictures. */
const build = (side, view, look) => {
  const section = element("section");
  const about = element("div", undefined, "about");
  if (view.sides.length > 1) about.append(element("h2", side.name));
  about.append(element("p", side.facts.join(" · "), "facts"));
  if (side.marks.length > 0) about.append(element("p", `Read with care: ${side.marks.join(", ")}.`, "marks"));
  if (side.count < side.total) about.append(element("p", `Shown are the first ${grouped(side.count)} of ${grouped(side.total)} requests by completion.`, "marks"));
  for (const note of side.notes) about.append(element("p", note, "marks"));
  const [disk, platter, times, words] = [element("div"), element("canvas", undefined, "platter"), element("canvas", undefined, "times"), element("p", undefined, "head")];
  platter.setAttribute("role", "img");
  platter.setAttribute("aria-label", `The platter and the head of ${side.name}`);
  times.setAttribute("role", "img");
  times.setAttribute("aria-label", `The requests of ${side.name} over time, by latency`);
  const legend = element("div");
  legend.append(legendOf(side, look));
  disk.append(platter, words, legend);
  section.append(about, disk, times);
  byId("sides").append(section);
  const timeLine = new TimeLine(times, side, view);
  scrubs(timeLine, view);
  return { platter: new Platter(platter, side), timeLine, words, legend };
};

/** A drag moves the clock and chooses what is under it; one on the strip on top moves the window. */
const scrubs = (timeLine, view) => {
  const { canvas, side } = timeLine;
  let held = null;
  const move = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    if (held === "strip") {
      const half = (view.to - view.from) / 2;
      const middle = timeLine.overviewTime(x);
      view.setWindow(middle - half, middle + half);
      view.setTime(middle);
      return;
    }
    view.setTime(timeLine.time(Math.max(LEFT, x)));
    const request = timeLine.requestAt(Math.max(LEFT, x), y);
    if (request !== null) view.select(Number(side.columns.number[request]), true);
  };
  canvas.addEventListener("pointerdown", (event) => {
    held = event.clientY - canvas.getBoundingClientRect().top < OVERVIEW ? "strip" : "line";
    canvas.setPointerCapture(event.pointerId);
    view.play(false);
    move(event);
  });
  canvas.addEventListener("pointermove", (event) => { if (held) move(event); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    view.zoom(2 ** (event.deltaY / 240), timeLine.time(event.clientX - canvas.getBoundingClientRect().left));
  }, { passive: false });
};

const search = (view) => {
  const text = byId("number").value.replaceAll(",", "").trim();
  if (/^[0-9]+$/.test(text)) view.select(Number(text));
  else view.say("Type the number of a request, such as 1234.");
};

const ZOOM = 2;

/** The buttons and keys of the page; `now()` is the view that it shows. */
const control = (now) => {
  SPEEDS.forEach(([, name], place) => {
    const option = element("option", name);
    option.value = String(place);
    byId("speed").append(option);
  });
  byId("speed").addEventListener("change", () => now().setSpeed(Number(byId("speed").value)));
  const does = {
    play: () => now().play(!now().playing), previous: () => now().stepSlow(-1), next: () => now().stepSlow(1), "slow-motion": () => now().slowMotion(),
    closer: () => now().zoom(1 / ZOOM), farther: () => now().zoom(ZOOM), whole: () => now().showWhole(), help: () => byId("keys").showModal(),
  };
  for (const [id, act] of Object.entries(does)) byId(id).addEventListener("click", act);
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    search(now());
  });
  const keys = {
    " ": does.play, ArrowLeft: () => now().step(-1), ArrowRight: () => now().step(1), n: does.next, p: does.previous, s: does["slow-motion"], "?": does.help,
    "+": does.closer, "=": does.closer, "-": does.farther, 0: does.whole, "[": () => now().setSpeed(now().speed + 1), "]": () => now().setSpeed(now().speed - 1),
    "/": () => byId("number").select(),
  };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const typing = NO_INPUT.includes(event.target.tagName) && event.target.type !== "checkbox";
    const pressing = event.key === " " && event.target.closest("button, input, summary");
    if (!act || typing || pressing || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    event.preventDefault();
    act();
  });
};

/** Draws a run, or two, in place of what the page shows. */
const show = async (given) => {
  byId("title").textContent = given.title;
  byId("said").textContent = given.said ?? "";
  const origin = BigInt(given.origin);
  const sides = await Promise.all(given.sides.map(async (side) => placedAt(await openSide(side), origin)));
  const view = new View(origin, sides);
  view.look = lookNow();
  for (const id of ["sides", "life"]) byId(id).className = sides.length > 1 ? "two" : "one";
  byId("sides").replaceChildren();
  const pictures = sides.map((side) => build(side, view, view.look));
  view.pictures = pictures;
  view.fit = () => {
    for (const { platter, timeLine } of pictures) {
      platter.resize(view.look);
      timeLine.resize(view.look);
    }
    view.wake();
  };
  view.recolour = () => {
    view.look = lookNow();
    pictures.forEach(({ legend }, i) => legend.replaceChildren(legendOf(sides[i], view.look)));
    view.fit();
  };
  return view;
};

const chooseSlowest = (view) => {
  const [side] = view.sides;
  view.select(Number(side.columns.number[side.latency.indexOf(side.slowest)]));
};

const start = async () => {
  const given = JSON.parse(byId("data").textContent);
  if (typeof DecompressionStream === "undefined" || typeof OffscreenCanvas === "undefined") {
    byId("title").textContent = given.title;
    throw new Error("this browser is too old; it takes Chromium 80, Firefox 113, Safari 16.4 or later");
  }
  let view = null;
  const first = async (data) => {
    view = await show(data);
    window.tesseraView = view;
    for (const id of ["controls", "clock"]) byId(id).hidden = false;
    control(() => view);
    view.setSpeed(FIRST_SPEED);
    view.fit();
    new ResizeObserver(() => view.fit()).observe(byId("sides"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.recolour());
    const wanted = location.hash.slice(1);
    if (/^[0-9]+$/.test(wanted)) view.select(Number(wanted)); else chooseSlowest(view);
    if (data.said) view.say(data.said);
  };
  const again = async (data) => {
    const place = placeOf(view);
    view.play(false);
    view.pictures = null;  // a frame that is still to come draws nothing
    view = await show(data);
    window.tesseraView = view;
    view.fit();
    putBack(view, place);
    view.say(data.said);
  };
  const draw = (data) => {
    if (data.sides.length > 0) return view ? again(data) : first(data);
    byId("title").textContent = data.title;
    byId("trouble").textContent = data.said;
    byId("trouble").hidden = false;
    return null;
  };
  await draw(given);
  if (given.live) followRun(given, draw);
};

/** Starts, or says in a sentence why not. */
const begin = () => start().catch((error) => {
  byId("trouble").textContent = `The view cannot be shown: ${error.message}.`;
  byId("trouble").hidden = false;
});

window.reportReady = begin();
