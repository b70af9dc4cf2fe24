"use strict";
// The sliders and what they show: the run at a position, asked of the server, or out of the page itself.

const SETTLE_MS = 60;  // a slider that is drawn over many stops asks for the last
const ASK_AGAIN_MS = 3_000;  // of a server that has gone
const MOST_PINS = 4;
const FILE_KIND = "tessera-knobs";
const LOST = "The server has ended, so nothing new can be run: start the command again and open the address that it prints. What was measured before is still shown.";
const PERCENTILES = [["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p999", "p99.9"]];

class Knobs {
  constructor(data) {
    this.data = data;
    this.stops = data.knobs.map(({ own }) => own);
    this.answers = new Map(Object.entries(data.answers ?? {}));
    [this.now, this.before, this.pins, this.turn] = [null, null, [], 0];
    this.page = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("");
  }

  get key() { return this.stops.join(","); }

  /** The value of each slider by its name: what links, files and the server hold. */
  get state() { return Object.fromEntries(this.data.knobs.map(({ name, stops }, i) => [name, stops[this.stops[i]]])); }

  get layer() { return this.state.layer; }

  /** The layer, which is the first slider, and what of the others is not the drive's own. */
  get label() {
    const moved = this.data.knobs.map(({ title, stops, own }, i) => (this.stops[i] === own ? "" : `${inText(title)} ${stops[this.stops[i]]}`));
    return [this.layer, ...moved.slice(1).filter(Boolean)].join(", ");
  }

  /** Takes the values that `given` names; says what it could not take. */
  take(given) {
    const strange = [];
    const found = this.data.knobs.map(({ own }) => own);
    for (const [name, value] of Object.entries(given)) {
      const knob = this.data.knobs.findIndex((one) => one.name === name);
      const stop = knob < 0 ? -1 : this.data.knobs[knob].stops.indexOf(value);
      if (stop < 0) strange.push(`${name} = ${value}`);
      else found[knob] = stop;
    }
    this.go(found);
    say(strange.length > 0 ? `This page has no ${strange.join(", ")}: left at the drive's own.` : "");
  }

  go(stops) {
    if (this.now?.result) this.before = this.now;
    this.stops = stops;
    showSliders(this);
    try {
      history.replaceState(null, "", `#${new URLSearchParams(this.state)}`);
    } catch {  // a browser may refuse it to a file; the link is then that of the button
    }
    this.follow();
  }

  /** Shows what is known of the position, and asks for more until all is. */
  follow() {
    const turn = ++this.turn;
    this.asking?.abort();
    const known = this.answers.get(this.key);
    this.show(known ?? { result: null, with_it: {}, idle: [], command: "", message: this.data.served ? "" : "This position was not run beforehand.", version: 0 });
    if (this.data.served) setTimeout(() => turn === this.turn && this.ask(turn), SETTLE_MS);
  }

  async ask(turn) {
    const [key, asking] = [this.key, new AbortController()];
    this.asking = asking;
    while (turn === this.turn) {
      try {
        const seen = this.answers.get(key)?.version ?? 0;
        const body = JSON.stringify({ page: this.page, state: this.state, seen });
        const reply = await fetch("position", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal: asking.signal });
        const answer = await reply.json();
        if (turn !== this.turn) return;
        trouble(reply.ok ? "" : `The server refused this: ${answer.message}.`);
        if (!reply.ok) return;
        this.answers.set(key, answer);
        if (answer.version !== seen || this.now.version !== seen) this.show(answer);
      } catch (error) {
        if (asking.signal.aborted) return;
        trouble(LOST);
        showAnswer(this);
        await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
      }
    }
  }

  show(answer) {
    this.now = { ...answer, label: this.label, layer: this.layer, state: this.state };
    showAnswer(this);
  }

  pin() {
    if (!this.now?.result) return say("There is no curve to pin yet.");
    if (this.pins.length === MOST_PINS) this.pins.shift();
    this.pins.push({ ...this.now });
    showAnswer(this);
  }
}

/** A title within a sentence: "CPU clock" stays as it is. */
const inText = (title) => title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

const say = (text) => { byId("said").textContent = text; };

const trouble = (text) => {
  byId("trouble").textContent = text;
  byId("trouble").hidden = text === "";
};

const buildSliders = (knobs) => {
  knobs.data.knobs.forEach((knob, i) => {
    const row = element("div", undefined, "knob");
    const label = element("label", knob.title);
    const [chosen, about] = [element("output"), element("p", knob.about, "facts")];
    label.htmlFor = `knob-${knob.name}`;
    let input;
    if (knob.name === "layer") {
      input = element("select");
      input.append(...knob.stops.map((stop) => element("option", stop)));
      input.addEventListener("change", () => moved(input.selectedIndex));
    } else {
      input = element("input");
      Object.assign(input, { type: "range", min: 0, max: knob.stops.length - 1, step: 1 });
      input.addEventListener("input", () => moved(Number(input.value)));
    }
    input.id = label.htmlFor;
    input.disabled = knob.stops.length < 2;
    const moved = (stop) => {
      say("");
      knobs.go(knobs.stops.map((old, j) => (j === i ? stop : old)));
    };
    row.append(label, chosen, input, about);
    byId("sliders").append(row);
    knob.row = { row, chosen, input, about };
  });
};

const showSliders = ({ data, stops }) => {
  data.knobs.forEach(({ name, row, stops: names }, i) => {
    if (name === "layer") row.input.selectedIndex = stops[i];
    else {
      row.input.value = stops[i];
      row.input.setAttribute("aria-valuetext", names[stops[i]]);
      row.chosen.textContent = names[stops[i]];
    }
  });
};

/** Marks of a run, and of its p99.9 where hardly any request is slower. */
const marksOf = ({ result }) => [...result.marks, ...PERCENTILES.filter(([name]) => result.percentiles[name].few).map(([, name]) => `${name} is of fewer than 10 requests`)];

const soFar = ({ result, done }) => (done ? "" : `${grouped(result.requests)} requests so far`);

const shown = (one) => Boolean(one?.result);

const showAnswer = (knobs) => {
  const { now, before, pins, data } = knobs;
  byId("refused").textContent = now.message && `${knobs.label}: ${now.message}`;
  byId("refused").hidden = now.message === "";
  const curves = [];
  if (shown(now)) curves.push({ one: now, name: "now", kind: now.done ? "" : "so-far", colour: data.colours[now.layer] });
  pins.forEach((one, i) => curves.push({ one, name: String.fromCharCode(65 + i), kind: "pinned", colour: data.colours[one.layer], dash: DASHES[i], letter: String.fromCharCode(65 + i) + (one.result.marks.length > 0 ? "*" : "") }));
  if (shown(before) && curves.every(({ one }) => one.result.key !== before.result.key)) curves.push({ one: before, name: "before", kind: "before", letter: before.result.marks.length > 0 ? "*" : "" });
  showPicture(curves, shown(now) ? now : null);
  showFigures(curves, data.metric);
  showNotes(knobs, now);
  byId("command").textContent = now.command;
  byId("repeat").hidden = now.command === "";
  data.knobs.forEach(({ name, about, row }) => {
    const idle = (now.idle ?? []).includes(name);
    row.row.classList.toggle("idle", idle);
    row.about.textContent = idle ? `no effect: ${now.layer} has no use for it` : about;
  });
};

const showPicture = (curves, now) => {
  const marks = now ? [...now.result.marks, soFar(now)].filter(Boolean) : [];
  const svg = drawTail(byId("tail"), curves.map((curve) => ({ ...curve, points: curve.one.result.curve })), marks.join(", "));
  svg.setAttribute("aria-label", `Share of requests slower than a latency, of ${curves.map(({ one }) => one.label).join("; ")}${marks.length > 0 ? `; ${marks.join(", ")}` : ""}`);
  byId("legend").replaceChildren(...curves.map(({ one, name, colour }) => {
    const item = element("li");
    item.append(swatch(colour ?? "var(--level)"), [`${name}: ${one.label}`, ...one.result.marks, soFar(one)].filter(Boolean).join(", "));
    return item;
  }));
};

const showFigures = (curves, metric) => {
  const head = element("tr");
  head.append(element("td"), ...curves.map(({ name }) => element("th", name)));
  byId("designs").replaceChildren(head);
  const row = (title, cell) => {
    const made = element("tr");
    made.append(element("th", title), ...curves.map(({ one }) => cell(one)));
    return made;
  };
  const figure = (text, marked) => element("td", marked ? `${text} *` : text);
  const marked = ({ result }) => result.marks.length > 0;
  byId("rows").replaceChildren(
    ...PERCENTILES.map(([name, title]) => row(title, (one) => figure(latencyText(one.result.percentiles[name].ms), marked(one) || one.result.percentiles[name].few))),
    row("throughput", (one) => figure(`${threeDigits(one.result.throughput)} requests/s`, marked(one))),
    row("write amplification", (one) => figure(one.result.write_amplification === null ? "-" : threeDigits(one.result.write_amplification), marked(one))),
    row("requests", (one) => figure(grouped(one.result.requests) + (one.result.failed > 0 ? `, ${grouped(one.result.failed)} failed` : ""), false)),
    row(`${metric}, 95 %`, ({ result: { interval } }) => element("td", interval ? `${latencyText(interval.ms)} ± ${(100 * interval.relative).toPrecision(2)} %${interval.met ? "" : ", not settled"}` : "too few requests")),
    row("marks *", (one) => element("td", marksOf(one).join("; ") || "none")),
  );
};

const showNotes = ({ data }, now) => {
  const added = Object.entries(now.with_it ?? {}).map(([path, value]) => `${path} = ${value}`);
  const lines = added.length > 0 ? [`Set with it, so that the memory fits: ${added.join(", ")}`] : [];
  if (!byId("trouble").hidden && !now.result) lines.push("This position was not measured.");
  else if (data.served && !now.done) lines.push(now.under_way ? `A run of ${grouped(now.under_way)} requests is under way.` : "The next run waits for its turn.");
  byId("notes").replaceChildren(...[...lines, ...(now.result?.notes ?? [])].map((line) => element("li", line)));
};

const copied = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say(`The browser does not let this page copy: ${text}`);
  }
};

const linkOf = (knobs) => `${location.href.split("#")[0]}#${new URLSearchParams(knobs.state)}`;

const fileOf = (knobs) => JSON.stringify({ kind: FILE_KIND, subject: knobs.data.facts, state: knobs.state, command: knobs.now.command, with_it: knobs.now.with_it, result: knobs.now.result, pinned: knobs.pins }, null, 1);

const download = (knobs) => {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([fileOf(knobs)], { type: "application/json" }));
  link.download = `knobs-${knobs.label.replaceAll(/[^A-Za-z0-9]+/g, "-")}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

const openFile = async (knobs, file) => {
  try {
    const held = JSON.parse(await file.text());
    if (held?.kind !== FILE_KIND || typeof held.state !== "object" || held.state === null) throw new Error("it is no download of this page");
    knobs.take(held.state);
  } catch (error) {
    say(`${file.name} cannot be opened: ${error.message}.`);
  }
};

const control = (knobs) => {
  const actions = {
    pin: () => knobs.pin(),
    unpin: () => { knobs.pins = []; showAnswer(knobs); },
    reset: () => knobs.take({}),
    link: () => copied(linkOf(knobs), "The link is"),
    save: () => download(knobs),
    copy: () => copied(knobs.now.command, "The command is"),
    help: () => byId("keys").showModal(),
    open: () => byId("file").click(),
  };
  for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", act);
  byId("file").addEventListener("change", ({ target }) => target.files.length > 0 && openFile(knobs, target.files[0]).then(() => { target.value = ""; }));
  byId("sliders").addEventListener("submit", (event) => event.preventDefault());
  const keys = { p: "pin", u: "unpin", r: "reset", l: "link", d: "save", c: "copy", "?": "help" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT" || byId("keys").open || !keys[event.key]) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
};

const start = () => {
  const data = JSON.parse(byId("data").textContent);
  byId("title").textContent = data.title;
  byId("facts").textContent = data.facts.join(" · ");
  const knobs = new Knobs(data);
  buildSliders(knobs);
  control(knobs);
  byId("work").hidden = false;
  knobs.take(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  let width = byId("tail").clientWidth;
  new ResizeObserver(() => {
    if (byId("tail").clientWidth !== width) showAnswer(knobs);
    width = byId("tail").clientWidth;
  }).observe(byId("tail"));
  window.addEventListener("hashchange", () => knobs.take(Object.fromEntries(new URLSearchParams(location.hash.slice(1)))));
  window.tesseraKnobs = knobs;
};

/** Starts, or says in a sentence why not. */
const begin = async () => {
  try {
    start();
  } catch (error) {
    trouble(`The page cannot be shown: ${error.message}.`);
  }
};

window.reportReady = begin();
