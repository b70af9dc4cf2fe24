"use strict";
// One clock for all sides: what is chosen, how fast it goes, and a frame whenever something moved.

const SPEEDS = [[100, "100x"], [10, "10x"], [1, "real time"], [0.1, "1/10"], [0.01, "1/100"], [0.001, "1/1,000"], [0.0001, "1/10,000"]];
const FIRST_SPEED = 4;
const MILLISECOND = 1e9;
const LONGEST_FRAME = 100;  // ms: a page that was hidden does not leap when it is seen again
const WATCHED = 12_000;  // ms of watching that a window holds when it plays
const FAR_TOO_WIDE = 200;  // windows wider than so many times that are narrowed: nothing in them would seem to move
const LEAD = 300;  // ms before what ends an idle time
const SLOW_MOTION = 8_000;  // ms that the life of a request takes in slow motion
const MARGIN = 0.15;

class View {
  constructor(origin, sides) {
    [this.origin, this.sides] = [Number(origin), sides];
    this.end = Math.max(1, ...sides.map(({ end }) => end));
    this.longest = Math.max(1, ...sides.map(({ slowest }) => slowest));
    this.shortest = Math.max(1, Math.min(...sides.map(({ latency }) => latency.reduce((least, time) => (time < least ? time : least), Infinity))));
    [this.time, this.selected, this.playing, this.until] = [0, null, false, Infinity];
    this.speed = FIRST_SPEED;
    this.showWhole();
    const slow = new Map(sides.flatMap((side) => Array.from(side.slow, (i) => [Number(side.columns.number[i]), side.arrival[i]])));
    this.slow = [...slow].map(([number, at]) => ({ number, at })).sort((a, b) => a.at - b.at);
  }

  get rate() { return SPEEDS[this.speed][0]; }

  setWindow(from, to) {
    const least = 1e3;  // a nanosecond
    const span = Math.min(Math.max(to - from, least), 1.04 * this.end + least);
    const begin = Math.min(Math.max(from, -0.02 * this.end), 1.02 * this.end - span + least);
    [this.from, this.to] = [begin, begin + span];
    this.wake();
  }

  showWhole() { this.setWindow(-0.01 * this.end, 1.01 * this.end); }

  zoom(factor, around = this.time) {
    const middle = Math.min(this.to, Math.max(this.from, around));
    this.setWindow(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
  }

  /** Keeps the clock inside the window. */
  follow() {
    const span = this.to - this.from;
    if (this.time < this.from || this.time > this.to) this.setWindow(this.time - 0.1 * span, this.time + 0.9 * span);
  }

  setTime(time) {
    this.time = Math.min(Math.max(0, time), this.end);
    this.wake();
  }

  play(wanted) {
    this.playing = wanted;
    if (!wanted) this.until = Infinity;
    if (wanted && this.time >= this.end) this.time = 0;
    const watched = WATCHED * MILLISECOND * this.rate;
    if (wanted && this.to - this.from > FAR_TOO_WIDE * watched) this.setWindow(this.time - 0.1 * watched, this.time + 0.9 * watched);
    this.last = performance.now();
    byId("play").textContent = wanted ? "Pause" : "Play";
    this.wake();
  }

  setSpeed(place) {
    this.speed = Math.min(Math.max(0, place), SPEEDS.length - 1);
    byId("speed").value = String(this.speed);
  }

  /** Chooses a request by its number, and goes to it; with `still` the clock stays. */
  select(number, still = false) {
    const side = this.sides.find(({ byNumber }) => byNumber.has(number));
    if (!side) {
      this.say(`There is no request ${grouped(number)} in this log of ${grouped(this.sides[0].count)} requests.`);
      return false;
    }
    this.say("");
    this.selected = number;
    if (!still) {
      this.setTime(side.arrival[side.byNumber.get(number)]);
      this.follow();
    }
    byId("number").value = String(number);
    showLife(byId("life"), this.sides, number);
    this.wake();
    return true;
  }

  /** The next request of the first side by arrival, or the one before. */
  step(by) {
    const side = this.sides[0];
    const now = side.byNumber.get(this.selected ?? -1);
    let place = now === undefined ? countUpTo(side.arrivals, this.time) - 1 : countUpTo(side.arrivals, side.arrival[now]) - 1;
    if (now !== undefined) while (place > 0 && side.byArrival[place] !== now) --place;
    const wanted = side.byArrival[Math.min(side.count - 1, Math.max(0, place + by))];
    this.select(Number(side.columns.number[wanted]));
  }

  stepSlow(by) {
    const now = this.slow.findIndex(({ number }) => number === this.selected);
    const after = this.slow.findIndex(({ at }) => at > this.time);
    const rest = after < 0 ? this.slow.length : after;
    const wanted = now >= 0 ? now + by : by > 0 ? rest : rest - 1;
    if (wanted < 0 || wanted >= this.slow.length) this.say(by > 0 ? "That was the last of the slow requests." : "That was the first of the slow requests.");
    else this.select(this.slow[wanted].number);
  }

  /** From a little before the request's arrival to a little after its completion, on whichever side it takes longer. */
  slowMotion() {
    if (this.selected === null) this.stepSlow(1);
    const lives = this.sides.filter(({ byNumber }) => byNumber.has(this.selected)).map((side) => {
      const index = side.byNumber.get(this.selected);
      return [side.arrival[index], side.completion[index]];
    });
    if (lives.length === 0) return;
    const [from, to] = [Math.min(...lives.map(([begin]) => begin)), Math.max(...lives.map(([, end]) => end))];
    const rest = MARGIN * Math.max(to - from, 1);
    this.setWindow(from - rest, to + rest);
    this.setTime(from - rest);
    const wanted = (to - from) / (SLOW_MOTION * MILLISECOND);
    const near = SPEEDS.findIndex(([rate]) => rate <= wanted * 2);
    this.setSpeed(near < 0 ? SPEEDS.length - 1 : near);
    this.play(true);
    this.until = to + rest;
  }

  say(text) { byId("said").textContent = text; }

  wake() {
    if (this.scheduled || !this.pictures) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  advance(now) {
    const elapsed = Math.min(LONGEST_FRAME, Math.max(0, now - this.last));
    this.last = now;
    const step = elapsed * MILLISECOND * this.rate;
    this.time += step;
    if (byId("skip").checked) {
      const next = Math.min(...this.sides.map((side) => endOfIdleness(side, this.time)));
      const early = next - LEAD * MILLISECOND * this.rate;
      if (Number.isFinite(next) && early > this.time) this.time = early;
    }
    if (this.time >= Math.min(this.until, this.end)) {
      this.time = Math.min(this.until, this.end);
      this.play(false);
    }
    this.follow();
    return step;
  }

  frame(now) {
    this.scheduled = false;
    if (!this.pictures) return;  // another version of the run is being drawn
    const step = this.playing ? this.advance(now) : 0;
    this.draw(step);
    if (this.playing) this.wake();
  }

  draw(step) {
    this.sides.forEach((side, i) => {
      const index = side.byNumber.get(this.selected ?? -1);
      const { platter, timeLine, words } = this.pictures[i];
      platter.draw(this.time, step, this.look, index);
      timeLine.draw(this.time, index);
      const said = platter.words(this.time);
      if (words.textContent !== said) words.textContent = said;
    });
    byId("clock").textContent = `${((this.time + this.origin) / 1e12).toLocaleString("en", { minimumFractionDigits: 6, maximumFractionDigits: 6 })} s`;
  }
}
