"use strict";
// Columns of numbers out of the page's JSON, and how to find a time in one.

const KINDS = { u8: Uint8Array, u32: Uint32Array, u64: BigUint64Array, f32: Float32Array };

const inflated = async (text) => {
  const characters = atob(text);
  const packed = new Uint8Array(characters.length);
  for (let i = 0; i < packed.length; ++i) packed[i] = characters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

/** A typed array; the bytes of equal weight stand together in the page. */
const unpack = async ({ kind, count, bytes }) => {
  const planes = await inflated(bytes);
  const size = KINDS[kind].BYTES_PER_ELEMENT;
  const plain = new Uint8Array(count * size);
  for (let byte = 0; byte < size; ++byte) {
    for (let i = 0; i < count; ++i) plain[i * size + byte] = planes[byte * count + i];
  }
  return new KINDS[kind](plain.buffer);
};

/** Picoseconds since `origin` as doubles: exact for two and a half hours, and far finer than a dot for years. */
const since = (column, origin) => {
  const halves = new Uint32Array(column.buffer);
  const [low, high] = [Number(origin & 0xffffffffn), Number(origin >> 32n)];
  const times = new Float64Array(column.length);
  for (let i = 0; i < times.length; ++i) times[i] = (halves[2 * i + 1] - high) * 2 ** 32 + (halves[2 * i] - low);
  return times;
};

/** How many of an ascending column are at most `value`. */
const countUpTo = (column, value) => {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
};
