"use strict";
// One run: its columns unpacked, and what can be asked of it at an instant. Times are picoseconds since the page's origin.

const [IDLE, SEEK, ROTATE, READ, WRITE, OFF] = [0, 1, 2, 3, 4, 5];
const SLOWEST = 100;  // requests that are marked, at most
const SLOW_SHARE = 0.01;
const LOOKED_BACK = 1000;  // pieces of work that began before an instant, to find those that had not ended

const unpackAll = async (columns) => Object.fromEntries(await Promise.all(
  Object.entries(columns).map(async ([name, column]) => [name, await unpack(column)])));

/** A level that rises and falls by one: the times at which it does, and the levels from then on. What rises and falls at one instant never was. */
const levelOf = (ups, downs) => {
  const at = new Float64Array(ups.length + downs.length);
  const level = new Float32Array(at.length);
  let [up, down, count] = [0, 0, 0];
  for (; up < ups.length || down < downs.length; ++count) {
    const now = Math.min(ups[up] ?? Infinity, downs[down] ?? Infinity);
    while (ups[up] === now) ++up;
    while (downs[down] === now) ++down;
    at[count] = now;
    level[count] = up - down;
  }
  return { at: at.subarray(0, count), level: level.subarray(0, count) };
};

const greatest = (values) => values.reduce((most, value) => (value > most ? value : most), 0);

/** The lowest and the highest value of each block of a column, so that those of a long stretch are found without going over all of it. */
const BLOCK = 64;
const blocksOf = (values) => {
  const count = Math.ceil(values.length / BLOCK);
  const [low, high] = [new Uint32Array(count).fill(0xffffffff), new Uint32Array(count)];
  for (let i = 0; i < values.length; ++i) {
    const block = Math.floor(i / BLOCK);
    if (values[i] < low[block]) low[block] = values[i];
    if (values[i] > high[block]) high[block] = values[i];
  }
  return { low, high };
};

/** The lowest and the highest of `values` from `begin` up to, not including, `end`. */
const rangeOf = (values, { low, high }, begin, end) => {
  let [least, most] = [values[begin], values[begin]];
  for (let i = begin; i < end;) {
    const whole = i % BLOCK === 0 && i + BLOCK <= end;
    const [lowest, highest] = whole ? [low[i / BLOCK], high[i / BLOCK]] : [values[i], values[i]];
    if (lowest < least) least = lowest;
    if (highest > most) most = highest;
    i += whole ? BLOCK : 1;
  }
  return [least, most];
};

/** The columns of a run as they stand in the page. */
const openSide = async (given) => {
  const { kinds, ...columns } = given.events ?? {};
  return {
    ...given,
    columns: await unpackAll(given.requests),
    phases: await Promise.all(given.phases.map(async (phase) => ({ ...phase, time: await unpack(phase.time) }))),
    events: given.events && { kinds, ...await unpackAll(columns) },
    works: await Promise.all(given.works.map(async ({ kind, begin, end }) => ({ kind, begin: await unpack(begin), end: await unpack(end) }))),
    gauges: await Promise.all(given.gauges.map(async (gauge) => ({ ...gauge, at: await unpack(gauge.at), level: await unpack(gauge.level) }))),
    dies: await Promise.all(given.dies.map(async ({ name, at, state }) => ({ name, at: await unpack(at), state: await unpack(state) }))),
    bands: given.bands && { ...given.bands, ...await unpackAll({ at: given.bands.at, held: given.bands.held, cached: given.bands.cached }) },
    head: given.head && await unpackAll(given.head),
  };
};

/** The same with times since `origin`, in the orders in which it is searched. */
const placedAt = (side, origin) => {
  const [arrival, issue, completion] = ["arrival", "issue", "completion"].map((name) => since(side.columns[name], origin));
  const count = arrival.length;
  const latency = arrival.map((from, i) => completion[i] - from);
  const [byArrival, byIssue] = [arrival, issue].map((times) => Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b));
  const [arrivals, issues, completions] = [arrival, issue, completion].map((times) => times.slice().sort());
  const slow = Uint32Array.from(latency.keys()).sort((a, b) => latency[b] - latency[a]).slice(0, Math.max(1, Math.min(SLOWEST, Math.ceil(SLOW_SHARE * count))));
  const levels = [{ name: "in the drive", ...levelOf(issues, completions) }, { name: "waiting at the host", ...levelOf(arrivals, issues) }];
  for (const gauge of side.gauges) levels.push({ ...gauge, at: since(gauge.at, origin) });
  for (const entry of levels) entry.most = greatest(entry.level);
  return {
    ...side, count, arrival, issue, completion, latency, byArrival, byIssue, arrivals, issues, completions,
    byNumber: new Map(Array.from(side.columns.number, (number, i) => [Number(number), i])),
    slow: slow.sort((a, b) => arrival[a] - arrival[b]),
    slowest: greatest(latency),
    levels: levels.filter(({ most }, i) => most > 0 || i === 0),
    works: side.works.map(({ kind, begin, end }) => ({ kind, begin: since(begin, origin), end: since(end, origin) })),
    dies: side.dies.map(({ name, at, state }) => ({ name, at: since(at, origin), state })),
    bands: side.bands && { ...side.bands, at: since(side.bands.at, origin) },
    head: side.head && { ...side.head, at: since(side.head.at, origin), blocks: blocksOf(side.head.radius) },
    originTurns: Number(origin) / side.drive.turn,
    end: greatest(completion),
  };
};

const FARTHEST = 20_000;  // requests that are looked through for those still alive

/** Of requests in the order of `begun`, the newest `most` that have begun and not `ended`, the oldest of them first. */
const between = (order, begun, ended, time, most) => {
  const found = [];
  const count = countUpTo(begun, time);
  for (let i = count - 1; i >= Math.max(0, count - FARTHEST) && found.length < most; --i) if (ended[order[i]] > time) found.push(order[i]);
  return found.reverse();
};

/** The requests in the drive, then those that wait at the host, up to `most`. */
const aliveAt = (side, time, most) => {
  const inDrive = countUpTo(side.issues, time) - countUpTo(side.completions, time);
  const waiting = countUpTo(side.arrivals, time) - countUpTo(side.issues, time);
  const first = between(side.byIssue, side.issues, side.completion, time, Math.min(inDrive, most));
  return [...first, ...between(side.byArrival, side.arrivals, side.issue, time, Math.min(waiting, most - first.length))];
};

/** Kinds of work of the firmware that were under way at an instant. */
const worksAt = (side, time) => side.works.filter(({ begin, end }) => {
  for (let i = countUpTo(begin, time) - 1; i >= Math.max(0, countUpTo(begin, time) - LOOKED_BACK); --i) if (end[i] > time) return true;
  return false;
}).map(({ kind }) => kind);

/** Of the requests `alive` the one that came first, where it has waited for longer than a turn: {request, waited}; null where none has. */
const longestWait = (side, alive, time) => {
  const request = alive.reduce((first, one) => (first === null || side.arrival[one] < side.arrival[first] ? one : first), null);
  const waited = request === null ? 0 : time - side.arrival[request];
  return waited > side.drive.turn ? { request, waited } : null;
};

/** Percent of each band that is written, and that is cached, at an instant. */
const bandsAt = (side, time) => {
  const { at, count, held, cached } = side.bands;
  const from = Math.max(0, countUpTo(at, time) - 1) * count;
  return { held: held.subarray(from, from + count), cached: cached.subarray(from, from + count) };
};

/** What the head does: its state, the track it is at (a fraction of it while it moves), and those between which it moves. */
const headAt = (side, time) => {
  const { at, state, radius, surface } = side.head;
  const row = Math.max(0, countUpTo(at, time) - 1);
  const last = row + 1 === at.length;
  const now = { row, state: state[row], surface: surface[row], from: radius[row], to: last ? radius[row] : radius[row + 1], track: radius[row] };
  if (now.state === SEEK && !last) {
    const done = Math.min(1, Math.max(0, (time - at[row]) / (at[row + 1] - at[row])));
    now.track += (now.to - now.from) * done * done * (3 - 2 * done);  // it accelerates and brakes
  }
  return now;
};

/** When anything happens again after `time` in a drive that has nothing to do; `time` where it has. */
const endOfIdleness = (side, time) => {
  if (countUpTo(side.arrivals, time) > countUpTo(side.completions, time)) return time;
  let next = side.arrivals[countUpTo(side.arrivals, time)] ?? Infinity;
  if (side.head) {
    const { at, state } = side.head;
    const row = countUpTo(at, time) - 1;
    if (row >= 0 && state[row] !== IDLE && state[row] !== OFF && row + 1 < at.length) return time;
    next = Math.min(next, at[row + 1] ?? Infinity);
  }
  return next;
};
