"use strict";
// A run under way: what its logs hold so far, asked of the server that gave the page.

const ASK_AGAIN_MS = 3_000;  // of a server that has gone
const AT_END = 0.995;  // of the run so far: a clock that stands there goes on with it
const GONE = "The server has ended: the page shows the run as far as it was. 'tessera view FOLDER --live' serves it again.";

/** What stays as it was when the page is drawn again: the instant, the stretch that is shown, and the request that was chosen. */
const placeOf = (view) => ({
  selected: view.selected, speed: view.speed, playing: view.playing,
  time: view.origin + view.time, atEnd: view.time >= AT_END * view.end,
  from: view.origin + view.from, to: view.origin + view.to, whole: view.to - view.from >= view.end,
});

const putBack = (view, place) => {
  view.setSpeed(place.speed);
  if (place.whole) view.showWhole(); else view.setWindow(place.from - view.origin, place.to - view.origin);
  if (place.selected !== null && view.sides.some(({ byNumber }) => byNumber.has(place.selected))) view.select(place.selected, true);
  view.setTime(place.atEnd ? view.end : place.time - view.origin);
  if (place.playing) view.play(true);
};

/** Shows each version of `given` that comes, until the run has ended. */
const followRun = async (given, show) => {
  const page = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("");
  let { version: seen, ended } = given.live;
  while (!ended) {
    try {
      const body = JSON.stringify({ page, seen });
      const reply = await fetch("more", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      const found = await reply.json();
      if (!reply.ok) throw new Error(found.message);
      ({ version: seen, ended } = found.live);
      if (found.sides) await show(found);
    } catch {
      byId("trouble").textContent = GONE;
      byId("trouble").hidden = false;
      await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
      continue;
    }
    byId("trouble").hidden = true;
  }
};
