"use strict";
// The life of a request in words: those of `tessera explain`.

const VERBS = ["reads", "writes", "flushes", "trims", "asks for the zones from", "opens the zone", "closes the zone", "finishes the zone", "resets the zone"];
const FLUSH = 2;
const ZONES = 4;  // and all after it
const STATUSES = ["ok", "media error", "damaged", "blank page", "program failed", "erase failed", "rule violation", "no space", "corrupt", "lost", "read only", "aborted",
  "command not supported", "invalid field in command", "unaligned write command", "write boundary violation", "read boundary violation", "attempt to read invalid data",
  "insufficient zone resources", "zone is read only", "zone is offline"];
const MEANINGS = {
  host_queue: "waited at the host, held back by the replay policy or for a free tag",
  link: "on the link: command, data and status, with waiting for link or buffer",
  cpu_wait: "ready, but the controller's CPU was busy or entering an interrupt",
  cpu: "its firmware ran on the CPU",
  dram: "its firmware waited for metadata in DRAM",
  lock: "waited for another request or background work on the same range",
  backup: "waited for a backup slot, as other read-modify-writes held them all",
  media_queue: "queued at the disk behind other requests",
  background_wait: "queued at the disk behind background work",
  seek: "the head moved (seek, head switch, settle), with the wait for a parked disk",
  rotation: "waited for the sectors to come round",
  transfer: "sectors under the head",
  flash_queue: "queued at the flash behind other operations",
  flash: "flash array and bus",
  cleaning: "waited for space",
  error_recovery: "bad sectors: tried again, relocated, or reached by way of spare sectors",
  outage: "the power was off, or the drive was booting",
};
const UNITS = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"]];

/** A time in picoseconds, four digits of it. */
const readable = (time) => {
  const picoseconds = Number(time);
  for (const [unit, name] of UNITS) {
    const value = picoseconds / unit;
    if (value >= 1) return `${value.toFixed(value < 10 ? 3 : value < 100 ? 2 : 1)} ${name}`;
  }
  return `${picoseconds} ps`;
};

/** What it was, when, and how it ended. */
const sentences = (side, index) => {
  const { number, op, blocks, lba, status } = side.columns;
  const { arrival, issue, completion } = side.columns;
  const from = `LBA ${lba[index]}`;
  const where = op[index] === FLUSH ? "" : op[index] >= ZONES ? ` at ${from}` : ` ${blocks[index]} blocks of 512 B from ${from}`;
  const handed = issue[index] === arrival[index] ? "at once" : `${readable(issue[index] - arrival[index])} later`;
  return [
    `Request ${number[index]} ${VERBS[op[index]]}${where}.`,
    `It arrived at ${readable(arrival[index])} of simulated time, was handed to the drive ${handed} and completed ` +
      `${readable(completion[index] - arrival[index])} after its arrival with status '${STATUSES[status[index]] ?? "?"}'.`,
  ];
};

/** The parts of its life that took any time: {name, colour, time, meaning}. */
const partsOf = (side, index) => side.phases.filter(({ time }) => time[index] > 0n).map(({ name, colour, time }) => (
  { name, colour, time: time[index], meaning: MEANINGS[name] ?? "" }));

/** What the firmware logged while it lived: {after, what}. */
const meanwhile = (side, index) => {
  if (!side.events) return [];
  const { kinds, at, kind, edge, subject, amount } = side.events;
  const { arrival, completion } = side.columns;
  const found = [];
  for (let i = countUpTo(at, arrival[index] - 1n); i < at.length && at[i] <= completion[index]; ++i) {
    found.push({ after: at[i] - arrival[index], what: `${kinds[kind[i]]}${[" begins", " ends", ""][edge[i]]} (about ${subject[i]}, amount ${amount[i]})` });
  }
  return found;
};

/** All of it as text. */
const wordsOf = (side, index) => {
  const line = (time, what) => `  ${readable(time).padStart(14)}  ${what}\n`;
  const [first, second] = sentences(side, index);
  const { arrival, completion } = side.columns;
  let text = `${first}\n${second}\n\nWhere the time went:\n`;
  for (const { name, time, meaning } of partsOf(side, index)) text += line(time, `${name}: ${meaning}`);
  text += line(completion[index] - arrival[index], "in all");
  const events = meanwhile(side, index);
  if (events.length > 0) text += `\nMeanwhile, counted from its arrival:\n${events.map(({ after, what }) => line(after, what)).join("")}`;
  return text;
};
