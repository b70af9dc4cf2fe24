"use strict";
// The platter from above: regions, the arm at its track, the sectors just transferred, and the requests under way.

const [OUTERMOST, INNERMOST] = [0.97, 0.36];  // of the platter's radius: where tracks are
const ARM = { x: 1.1, y: 0.8, length: 1.13 };  // where it turns, from the spindle, and its length, in radii of the platter
const TRAIL = 40;  // transfers that are still shown
const SHOWN_TURN = 0.2;  // of a turn in a frame: faster, a turning platter would seem to stand or to turn back
const QUEUE_HEIGHT = 44;
const BANDS_HEIGHT = 58;
const STRIP = 34;  // of it, the bars
const FONT = "12px system-ui, sans-serif";
const TURN = 2 * Math.PI;

class Platter {
  constructor(canvas, side) {
    [this.canvas, this.side] = [canvas, side];
    this.context = canvas.getContext("2d");
    this.addresses = side.columns.lba.reduce((most, lba) => (lba > most ? lba : most), 0n);
  }

  /** Takes the room that there is, and draws what stands still. */
  resize(look) {
    const width = this.canvas.clientWidth;
    this.radius = Math.min(width / 2.36, 190);
    this.width = width;
    this.left = Math.max(0, (width - 2.36 * this.radius) / 2);
    this.middle = { x: this.left + 1.05 * this.radius, y: 1.05 * this.radius };
    this.height = 2.12 * this.radius + QUEUE_HEIGHT + (this.side.bands ? BANDS_HEIGHT : 0);
    const scale = devicePixelRatio || 1;
    this.canvas.style.height = `${this.height}px`;
    [this.canvas.width, this.canvas.height] = [Math.round(width * scale), Math.round(this.height * scale)];
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.still = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const still = this.still.getContext("2d");
    still.setTransform(scale, 0, 0, scale, 0, 0);
    this.drawStill(still, look);
  }

  /** Distance from the spindle of a track. */
  distance(track) {
    return this.radius * (OUTERMOST - (OUTERMOST - INNERMOST) * Math.min(1, track / this.side.drive.radii));
  }

  drawStill(on, look) {
    const { x, y } = this.middle;
    const disc = (radius, fill) => { on.beginPath(); on.arc(x, y, radius, 0, TURN); on.fillStyle = fill; on.fill(); };
    disc(this.radius, look.platter);
    if (this.side.rings) this.drawRings(on, this.side.rings);
    on.strokeStyle = look.line;
    for (const radius of [this.radius, this.radius * INNERMOST]) { on.beginPath(); on.arc(x, y, radius, 0, TURN); on.stroke(); }
    disc(this.radius * (INNERMOST - 0.02), look.page);
    disc(this.radius * 0.24, look.panel);
    on.beginPath(); on.arc(x, y, this.radius * 0.24, 0, TURN); on.stroke();
  }

  /** Each place in the colour of its region, the stronger the more it was used. */
  drawRings(on, { width, region, uses, colours }) {
    const most = Math.log1p(greatest(uses));
    for (let ring = 0; ring < uses.length; ++ring) {
      if (uses[ring] === 0) continue;
      const [outer, inner] = [this.distance(ring * width), this.distance((ring + 1) * width)];
      on.globalAlpha = 0.12 + 0.45 * Math.log1p(uses[ring]) / most;
      on.strokeStyle = colours[region[ring]];
      on.lineWidth = Math.max(0.5, outer - inner);
      on.beginPath(); on.arc(this.middle.x, this.middle.y, (outer + inner) / 2, 0, TURN); on.stroke();
    }
    [on.globalAlpha, on.lineWidth] = [1, 1];
  }

  /** `step`: how far the clock went since the last frame. */
  draw(time, step, look, selected) {
    if (this.width === 0) return;  // a page that is not laid out, or not any more
    const on = this.context;
    on.clearRect(0, 0, this.width, this.height);
    on.save();
    on.setTransform(1, 0, 0, 1, 0, 0);
    on.drawImage(this.still, 0, 0);
    on.restore();
    if (this.side.head) this.drawHead(on, time, step, look); else this.drawAddresses(on, time, look);
    this.drawQueue(on, time, look, selected);
    if (this.side.bands) this.drawBands(on, time, look);
  }

  drawHead(on, time, step, look) {
    const head = headAt(this.side, time);
    const turns = step / this.side.drive.turn < SHOWN_TURN;
    const angle = turns ? this.angle(time) : 0;
    this.drawTrail(on, time, head.row, angle, look);
    if (turns) this.drawIndex(on, angle, look);
    this.drawArm(on, head, look);
  }

  /** How far the platter has turned: the index passes at whole turns since power-on. */
  angle(time) {
    const turns = this.side.originTurns + time / this.side.drive.turn;
    return TURN * (turns - Math.floor(turns));
  }

  drawIndex(on, angle, look) {
    on.strokeStyle = look.faint;
    on.beginPath();
    on.moveTo(this.middle.x + 0.09 * this.radius * Math.cos(angle), this.middle.y + 0.09 * this.radius * Math.sin(angle));
    on.lineTo(this.middle.x + 0.22 * this.radius * Math.cos(angle), this.middle.y + 0.22 * this.radius * Math.sin(angle));
    on.lineWidth = 3; on.stroke(); on.lineWidth = 1;
  }

  /** What was read and written last, where it lies on the turning platter. */
  drawTrail(on, time, row, angle, look) {
    const { at, state, radius } = this.side.head;
    on.lineWidth = 3;
    for (let shown = 0; row >= 0 && shown < TRAIL; --row) {
      if (state[row] !== READ && state[row] !== WRITE) continue;
      const end = Math.min(time, at[row + 1] ?? time);
      const distance = this.distance(radius[row]);
      const from = this.headAngle(distance) - this.angle(at[row]) + angle;
      const length = Math.min(TURN, Math.max(0.03, TURN * (end - at[row]) / this.side.drive.turn));
      on.globalAlpha = 1 - shown / TRAIL;
      on.strokeStyle = state[row] === READ ? look.read : look.write;
      on.beginPath(); on.arc(this.middle.x, this.middle.y, distance, from - length, from); on.stroke();
      ++shown;
    }
    [on.globalAlpha, on.lineWidth] = [1, 1];
  }

  /** Direction from the spindle to the head at this distance: the arm's circle meets the track's. */
  headAngle(distance) {
    const [reach, far] = [ARM.length * this.radius, Math.hypot(ARM.x, ARM.y) * this.radius];
    const cosine = (far * far + distance * distance - reach * reach) / (2 * far * distance);
    return Math.atan2(ARM.y, ARM.x) - Math.acos(Math.max(-1, Math.min(1, cosine)));
  }

  drawArm(on, head, look) {
    const distance = this.distance(head.track);
    const angle = this.headAngle(distance);
    const at = { x: this.middle.x + distance * Math.cos(angle), y: this.middle.y + distance * Math.sin(angle) };
    const pivot = { x: this.middle.x + ARM.x * this.radius, y: this.middle.y + ARM.y * this.radius };
    if (head.state === SEEK) {
      on.strokeStyle = look.seek;
      on.setLineDash([3, 4]);
      on.beginPath(); on.arc(this.middle.x, this.middle.y, this.distance(head.to), 0, TURN); on.stroke();
      on.setLineDash([]);
    }
    on.strokeStyle = look.arm;
    on.lineCap = "round";
    on.lineWidth = 5;
    on.beginPath(); on.moveTo(pivot.x, pivot.y); on.lineTo(at.x, at.y); on.stroke();
    on.lineWidth = 1;
    on.fillStyle = look.arm;
    on.beginPath(); on.arc(pivot.x, pivot.y, 9, 0, TURN); on.fill();
    on.fillStyle = look.states[head.state];
    on.strokeStyle = look.page;
    on.beginPath(); on.arc(at.x, at.y, 6, 0, TURN); on.fill(); on.stroke();
  }

  /** Without a record of the head: the addresses of the requests under way, the lowest at the edge. */
  drawAddresses(on, time, look) {
    const { lba, op } = this.side.columns;
    for (const request of aliveAt(this.side, time, TRAIL)) {
      const share = this.addresses > 0n ? Number(lba[request]) / Number(this.addresses) : 0;
      const distance = this.distance(share * this.side.drive.radii);
      on.fillStyle = look.ops[op[request]];
      on.beginPath(); on.arc(this.middle.x + distance, this.middle.y, 5, 0, TURN); on.fill();
    }
  }

  /** How many requests are under way, which of them has waited longest, and what the firmware does meanwhile. */
  caption(time, alive, waiting) {
    if (waiting === 0) return "No request under way";
    const wait = longestWait(this.side, alive, time);
    const works = wait ? worksAt(this.side, time) : [];
    return `${grouped(waiting)} under way${waiting > alive.length ? `, ${alive.length} shown` : ""}` +
      (wait ? `; request ${this.side.columns.number[wait.request]} has waited ${readable(wait.waited)}` : "") + (works.length > 0 ? ` while ${works.join(", ")} goes on` : "");
  }

  /** The requests under way as boxes; those that still wait at the host are hollow. */
  drawQueue(on, time, look, selected) {
    const [box, gap, top] = [11, 3, 2.12 * this.radius + QUEUE_HEIGHT - 18];
    const most = Math.max(1, Math.floor(this.width / (box + gap)));
    const alive = aliveAt(this.side, time, most);
    const waiting = countUpTo(this.side.arrivals, time) - countUpTo(this.side.completions, time);
    on.font = FONT;
    on.fillStyle = look.faint;
    on.fillText(this.caption(time, alive, waiting), 0, top - 8, this.width);
    alive.forEach((request, place) => {
      const colour = look.ops[this.side.columns.op[request]];
      const x = place * (box + gap);
      [on.fillStyle, on.strokeStyle] = [colour, colour];
      if (this.side.issue[request] <= time) on.fillRect(x, top, box, box); else on.strokeRect(x + 0.5, top + 0.5, box - 1, box - 1);
      if (request === selected) { on.strokeStyle = look.ink; on.strokeRect(x - 1, top - 1, box + 2, box + 2); }
    });
  }

  /** A bar for each band, by logical address: how far it is written, and over it how much of it lies in the cache in front of the bands. */
  drawBands(on, time, look) {
    const { count, together } = this.side.bands;
    const { held, cached } = bandsAt(this.side, time);
    const bottom = this.height - 2;
    const wide = this.width / count;
    on.font = FONT;
    on.fillStyle = look.faint;
    const most = greatest(cached);
    on.fillText(`Bands${together > 1 ? `, ${together} a bar` : ""}: written; cached in front, at most ${most} %`, 0, bottom - STRIP - 8);
    on.fillStyle = look.panel;
    on.fillRect(0, bottom - STRIP, this.width, STRIP);
    for (let band = 0; band < count; ++band) {
      const bar = (share, colour) => {
        on.fillStyle = colour;
        on.fillRect(band * wide, bottom - STRIP * share / 100, Math.max(1, wide - (wide > 4 ? 1 : 0)), STRIP * share / 100);
      };
      if (held[band] > 0) bar(held[band], look.line);
      if (cached[band] > 0) bar(Math.max(4, cached[band]), look.write);
    }
  }

  /** What the head does, in words. */
  words(time) {
    if (!this.side.head) return "The head was not recorded: dots show the addresses of the requests, the lowest at the edge.";
    const head = headAt(this.side, time);
    const at = `track ${grouped(head.from)}${this.side.drive.surfaces > 1 ? `, surface ${head.surface}` : ""}`;
    if (head.state === SEEK) return head.from === head.to ? `The head settles on ${at}` : `The head moves from track ${grouped(head.from)} to ${grouped(head.to)}`;
    return `The head ${["is idle on", "", "waits for its sectors on", "reads", "writes", "is off on"][head.state]} ${at}`;
  }
}
