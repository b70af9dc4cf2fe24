"use strict";
// What every page makes its elements and its numbers with.

const byId = (id) => document.getElementById(id);

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

const swatch = (colour) => {
  const made = element("span", undefined, "swatch");
  made.style.background = colour;
  return made;
};

const grouped = (count) => Number(count).toLocaleString("en");
