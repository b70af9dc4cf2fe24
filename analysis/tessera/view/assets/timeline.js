"use strict";
// The time line of a run: every request by its latency, the head, levels and the firmware's work, to scrub over.

const [LEFT, RIGHT] = [58, 8];
const OVERVIEW = 18;
const LATENCY = 150;
const LABEL = 17;
const LANES = { head: 56, die: 9, level: 26, work: 9 };
const GAP = 6;
const AXIS = 22;
const CHANGES = [0, 6, 1, 5, 2, 3, 4];  // states of a die (dies.py) from the one that is overlooked to the one that is shown
const MOST_WORKS = 5;
const MOST_STEPS = 1000;  // from power-on to a label that still says the time since then
const HEADROOM = 0.15;  // above the slowest, of a power of ten: its mark
const LEAST_LINE = 3;  // dots that a life is long to be drawn as a line
const REACH = 8;  // dots from a request that still count as on it

const niceStep = (least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
};

/** A level with few digits. */
const short = (value) => (value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toPrecision(3));

class TimeLine {
  constructor(canvas, side, view) {
    [this.canvas, this.side, this.view] = [canvas, side, view];
    this.context = canvas.getContext("2d");
    this.logs = Float32Array.from(side.latency, (time) => Math.log10(Math.max(1, time)));
    this.low = Math.floor(Math.log10(view.shortest));
    this.high = Math.max(this.low + 1, Math.log10(view.longest) + HEADROOM);
    this.works = side.works.slice(0, MOST_WORKS);
    this.lanes = [];
    let top = OVERVIEW + LATENCY + GAP;
    const lane = (kind, height, content) => { this.lanes.push({ kind, top: top + LABEL, height, ...content }); top += LABEL + height + GAP; };
    if (side.head) lane("head", LANES.head, {});
    for (const die of side.dies) lane("die", LANES.die, { die });
    for (const level of side.levels) lane("level", LANES.level, { level });
    for (const work of this.works) lane("work", LANES.work, { work });
    this.height = top + AXIS;
  }

  resize(look) {
    this.width = this.canvas.clientWidth;
    this.canvas.style.height = `${this.height}px`;
    const scale = devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [Math.round(this.width * scale), Math.round(this.height * scale)];
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.scale = scale;
    this.still = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    this.look = look;
    this.drawn = null;
  }

  x(time) { return LEFT + (time - this.view.from) / (this.view.to - this.view.from) * (this.width - LEFT - RIGHT); }
  time(x) { return this.view.from + (x - LEFT) / (this.width - LEFT - RIGHT) * (this.view.to - this.view.from); }
  y(log) { return OVERVIEW + 8 + (this.high - log) / (this.high - this.low) * (LATENCY - 12); }
  overviewX(time) { return LEFT + time / this.view.end * (this.width - LEFT - RIGHT); }
  overviewTime(x) { return (x - LEFT) / (this.width - LEFT - RIGHT) * this.view.end; }

  draw(time, selected) {
    const key = `${this.view.from} ${this.view.to}`;
    if (this.drawn !== key) {
      const still = this.still.getContext("2d");
      still.setTransform(this.scale, 0, 0, this.scale, 0, 0);
      still.clearRect(0, 0, this.width, this.height);
      this.drawStill(still);
      this.drawn = key;
    }
    const on = this.context;
    on.clearRect(0, 0, this.width, this.height);
    on.save();
    on.setTransform(1, 0, 0, 1, 0, 0);
    on.drawImage(this.still, 0, 0);
    on.restore();
    this.drawMoving(on, time, selected);
  }

  drawMoving(on, time, selected) {
    const { look } = this;
    on.font = FONT;
    for (const { kind, top, level } of this.lanes) {
      if (kind !== "level") continue;
      const row = countUpTo(level.at, time) - 1;
      on.fillStyle = look.ink;
      on.textAlign = "right";
      on.fillText(short(row < 0 ? 0 : level.level[row]), this.width - RIGHT, top - 4);
      on.textAlign = "left";
    }
    if (selected !== null && selected !== undefined) this.drawSelected(on, selected);
    on.fillStyle = look.now;
    const over = this.overviewX(time);
    on.fillRect(over - 1, 0, 2, OVERVIEW - 4);
    if (time >= this.view.from && time <= this.view.to) on.fillRect(this.x(time) - 0.75, OVERVIEW, 1.5, this.height - OVERVIEW - AXIS);
  }

  drawSelected(on, request) {
    const { side, look } = this;
    const [from, to, y] = [this.x(side.arrival[request]), this.x(side.completion[request]), this.y(this.logs[request])];
    if (to < LEFT || from > this.width - RIGHT) return;
    const [begin, end] = [Math.max(LEFT, from), Math.min(this.width - RIGHT, to)];
    on.fillStyle = look.now;
    on.globalAlpha = 0.14;
    on.fillRect(begin, OVERVIEW, Math.max(1, end - begin), this.height - OVERVIEW - AXIS);
    on.globalAlpha = 1;
    on.strokeStyle = look.ink;
    on.lineWidth = 2;
    on.beginPath(); on.moveTo(begin, y); on.lineTo(end, y); on.stroke();
    if (from >= LEFT) { on.beginPath(); on.arc(from, y, 5, 0, TURN); on.stroke(); }
    on.lineWidth = 1;
  }

  drawStill(on) {
    on.font = FONT;
    this.drawOverview(on);
    this.drawAxes(on);
    on.save();
    on.beginPath(); on.rect(LEFT, OVERVIEW, this.width - LEFT - RIGHT, this.height - OVERVIEW); on.clip();
    this.drawRequests(on);
    for (const lane of this.lanes) this[`draw_${lane.kind}`](on, lane);
    on.restore();
    for (const lane of this.lanes) this.label(on, lane);
  }

  drawOverview(on) {
    const { look, side, view } = this;
    const right = this.width - RIGHT;
    on.fillStyle = look.panel;
    on.fillRect(LEFT, 2, right - LEFT, OVERVIEW - 8);
    on.fillStyle = look.slow;
    for (const request of side.slow) on.fillRect(this.overviewX(side.arrival[request]), 2, 1, OVERVIEW - 8);
    on.strokeStyle = look.ink;
    const [from, to] = [this.overviewX(Math.max(0, view.from)), this.overviewX(Math.min(view.end, view.to))];
    on.strokeRect(from + 0.5, 1.5, Math.max(3, to - from) - 1, OVERVIEW - 7);
    on.fillStyle = look.faint;
    on.fillText("whole", 0, 12);
  }

  drawAxes(on) {
    const { look, width, height } = this;
    on.fillStyle = look.faint;
    on.strokeStyle = look.line;
    on.textAlign = "right";
    for (let log = Math.ceil(this.low); log <= this.high; ++log) {
      const y = Math.round(this.y(log)) + 0.5;
      on.beginPath(); on.moveTo(LEFT, y); on.lineTo(width - RIGHT, y); on.stroke();
      on.fillText(readable(10 ** log).replace(/\.0+ /, " "), LEFT - 6, y + 4);
    }
    this.drawTimes(on, height - AXIS);
    on.textAlign = "left";
  }

  /** Times since power-on; where they would be long, the first of them, and how much later the others are. */
  drawTimes(on, bottom) {
    const { view, width } = this;
    const step = niceStep((view.to - view.from) / Math.max(2, (width - LEFT - RIGHT) / 96));
    const origin = view.origin;
    const first = Math.ceil(Math.max(0, view.from + origin) / step) * step;
    const apart = first / step > MOST_STEPS;
    const text = (time, size, name) => {
      const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
      return `${(time / size).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${name}`;
    };
    const fine = UNITS.find(([size]) => step >= size) ?? UNITS.at(-1);
    const plain = UNITS.find(([size]) => view.to + origin >= size) ?? UNITS.at(-1);
    on.textAlign = "center";
    for (let time = first; time <= view.to + origin; time += step) {
      const x = this.x(time - origin);
      on.beginPath(); on.moveTo(x, bottom); on.lineTo(x, bottom + 4); on.stroke();
      const label = apart && time > first ? `+${text(time - first, ...fine)}` : text(time, ...(apart ? UNITS[0] : plain));
      const half = on.measureText(label).width / 2;
      if (x + half <= width) on.fillText(label, Math.max(half, x), bottom + 17);
    }
  }

  /** A dot for each, at its arrival; where there is room, a line over its life. What others cover is not drawn again. */
  drawRequests(on) {
    const { side, look, view } = this;
    const { op } = side.columns;
    const [rows, columns] = [LATENCY, Math.ceil(this.width)];
    const dots = new Uint8Array(look.ops.length * rows * columns);
    const covered = new Float32Array(look.ops.length * rows).fill(LEFT);
    const lines = look.ops.map(() => []);
    const perDot = (view.to - view.from) / (this.width - LEFT - RIGHT);
    const end = countUpTo(side.arrivals, view.to);
    for (let i = countUpTo(side.arrivals, view.from - side.slowest); i < end; ++i) {
      const request = side.byArrival[i];
      if (side.completion[request] < view.from) continue;
      const [x, y] = [this.x(side.arrival[request]), this.y(this.logs[request])];
      const row = op[request] * rows + Math.floor(y - OVERVIEW);
      if (x >= LEFT) dots[row * columns + Math.floor(x)] = 1;
      const right = Math.min(this.width, x + side.latency[request] / perDot);
      if (right - x >= LEAST_LINE && right > covered[row]) {
        lines[op[request]].push([Math.max(x, covered[row]), y, right]);
        covered[row] = right;
      }
    }
    look.ops.forEach((colour, kind) => {
      on.fillStyle = colour;
      for (const [from, y, to] of lines[kind]) on.fillRect(from, y - 0.75, to - from, 1.5);
      for (let row = 0; row < rows; ++row) this.drawDots(on, dots.subarray((kind * rows + row) * columns, (kind * rows + row + 1) * columns), OVERVIEW + row);
    });
    this.drawSlow(on);
  }

  /** The dots of a row, those side by side as one. */
  drawDots(on, dots, y) {
    for (let from = dots.indexOf(1); from >= 0; from = dots.indexOf(1, from)) {
      const gap = dots.indexOf(0, from);
      const to = gap < 0 ? dots.length : gap;
      on.fillRect(from - 0.5, y - 0.75, to - from + 1, 2.5);
      from = to;
    }
  }

  drawSlow(on) {
    const { side, look } = this;
    on.fillStyle = look.slow;
    for (const request of side.slow) {
      const [x, y] = [this.x(side.arrival[request]), this.y(this.logs[request]) - 4];
      if (x < LEFT - 4 || x > this.width) continue;
      on.beginPath(); on.moveTo(x, y); on.lineTo(x - 4, y - 6); on.lineTo(x + 4, y - 6); on.fill();
    }
  }

  /** The track over time, the edge of the platter on top; of many changes in a dot, all the tracks that it was at. */
  draw_head(on, { top, height }) {
    const { at, radius, state, blocks } = this.side.head;
    const { view, look } = this;
    on.lineWidth = 1.5;
    const y = (track) => top + track / this.side.drive.radii * height;
    on.fillStyle = look.panel;
    on.fillRect(LEFT, top, this.width, height);
    on.fillStyle = look.seek;
    let i = Math.max(0, countUpTo(at, view.from) - 1);
    while (i < at.length && at[i] <= view.to) {
      const x = Math.floor(this.x(at[i]));
      const j = Math.max(i + 1, countUpTo(at, this.time(x + 1)));
      if (j > i + 1) {
        const [low, high] = rangeOf(radius, blocks, i, j);
        on.fillRect(x, y(low), 1, Math.max(1.5, y(high) - y(low)));
      }
      const until = j < at.length ? this.x(at[j]) : this.x(view.to);
      if (until - x > 1) {
        const next = state[j - 1] === SEEK && j < at.length ? radius[j] : radius[j - 1];
        on.strokeStyle = look.states[state[j - 1]];
        on.beginPath(); on.moveTo(this.x(at[j - 1]), y(radius[j - 1])); on.lineTo(until, y(next)); on.stroke();
      }
      i = j;
    }
    on.lineWidth = 1;
  }

  /** What a die does; of many states in a dot the one that changes cells, which takes longest. */
  draw_die(on, { top, height, die: { at, state } }) {
    const { view, look } = this;
    on.fillStyle = look.panel;
    on.fillRect(LEFT, top, this.width, height);
    let i = Math.max(0, countUpTo(at, view.from) - 1);
    while (i < at.length && at[i] <= view.to) {
      const x = Math.floor(this.x(at[i]));
      const j = Math.max(i + 1, countUpTo(at, this.time(x + 1)));
      let shown = state[i];
      for (let k = i + 1; k < j; ++k) if (CHANGES.indexOf(state[k]) > CHANGES.indexOf(shown)) shown = state[k];
      const until = j < at.length ? this.x(at[j]) : this.x(view.to);
      if (look.flash[shown]) {
        on.fillStyle = look.flash[shown];
        on.fillRect(x, top, 1, height);
      }
      if (until - x > 1 && look.flash[state[j - 1]]) {
        on.fillStyle = look.flash[state[j - 1]];
        on.fillRect(x + 1, top, until - x - 1, height);
      }
      i = j;
    }
  }

  draw_level(on, { top, height, level: { at, level, most } }) {
    const { view, look } = this;
    on.fillStyle = look.panel;
    on.fillRect(LEFT, top, this.width, height);
    on.fillStyle = look.level;
    let i = Math.max(0, countUpTo(at, view.from) - 1);
    while (i < at.length && at[i] <= view.to) {
      const x = Math.floor(this.x(at[i]));
      let [high, j] = [level[i], i + 1];
      for (const edge = this.time(x + 1); j < at.length && at[j] < edge; ++j) if (level[j] > high) high = level[j];
      const until = j < at.length ? this.x(at[j]) : this.x(view.to);
      on.fillRect(x, top + height * (1 - high / most), 1, height * high / most);
      const rest = height * level[j - 1] / most;
      if (until - x > 1) on.fillRect(x + 1, top + height - rest, until - x - 1, rest);
      i = j;
    }
  }

  draw_work(on, { top, height, work: { begin, end } }) {
    const { view, look } = this;
    on.fillStyle = look.panel;
    on.fillRect(LEFT, top, this.width, height);
    on.fillStyle = look.work;
    let last = -1;
    for (let i = 0; i < begin.length && begin[i] <= view.to; ++i) {
      if (end[i] < view.from) continue;
      const [from, to] = [Math.max(last, this.x(begin[i])), this.x(end[i])];
      if (to <= last) continue;
      on.fillRect(from, top, Math.max(1, to - from), height);
      last = Math.max(to, from + 0.5);
    }
  }

  label(on, { kind, top, height, die, level, work }) {
    on.fillStyle = this.look.faint;
    const text = kind === "head" ? "track of the head" : kind === "die" ? die.name : kind === "level" ? `${level.name}, at most ${short(level.most)}${level.unit ?? ""}` : `${work.kind}, ${grouped(work.begin.length)} times`;
    on.fillText(text, LEFT, top - 4);
    if (kind === "head") {
      on.textAlign = "right";
      on.fillText("0", LEFT - 6, top + 9);
      on.fillText(grouped(this.side.drive.radii - 1), LEFT - 6, top + height);
      on.textAlign = "left";
    }
  }

  /** The request at a place of the picture: the nearest dot, or else the slowest that lived then; null where there is none. */
  requestAt(x, y) {
    const { side } = this;
    const perDot = (this.view.to - this.view.from) / (this.width - LEFT - RIGHT);
    const time = this.time(x);
    let [best, nearest] = [null, REACH ** 2];
    let [slowest, longest] = [null, -1];
    const begin = countUpTo(side.arrivals, time - side.slowest - REACH * perDot);
    for (let i = begin; i < side.count && side.arrivals[i] <= time + REACH * perDot; ++i) {
      const request = side.byArrival[i];
      if (side.completion[request] < time - REACH * perDot) continue;
      const across = Math.max(this.x(side.arrival[request]) - x, 0, x - this.x(side.completion[request]));
      const distance = across ** 2 + (this.y(this.logs[request]) - y) ** 2;
      if (distance < nearest) [best, nearest] = [request, distance];
      if (side.latency[request] > longest) [slowest, longest] = [request, side.latency[request]];
    }
    return best ?? slowest;
  }
}
