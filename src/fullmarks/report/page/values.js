// The data, and how its values are shown. Scores of examples are from 0 to 1, all others in the official scale.
let data, examples, systems, digits;

const COLOURS = 10;

const several = () => systems.length > 1;
const count = (value) => value.toLocaleString("en");
const countExamples = (times) => `${count(times)} ${times === 1 ? "example" : "examples"}`;

function percent(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

function number(value) {
  if (!hasValue(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits) return value.toExponential(1).replace("-", "−");
  return decimals(value, digits);
}

const decimals = (value, places) => value.toFixed(places).replace("-", "−");

// Numbers of explanations are of any kind and size: four digits of each that is not whole.
const figure = (value) => String(Number.isInteger(value) ? value : Number(value.toPrecision(4))).replace("-", "−");
const signed = (value) => (value > 0 ? "+" : "") + number(value);
const scaled = (value) => (hasValue(value) ? number(value * data.scale) : "–");
const ends = (low, high) => (hasValue(low) ? `[${number(low)}, ${number(high)}]` : "");

// With a mark where random draws, so many, could not have shown a smaller one.
function pValue(value, draws, mark = "*") {
  if (!hasValue(value)) return "–";
  const shown = value < 0.0001 ? "< 0.0001" : `${draws ? "≤ " : ""}${value.toFixed(4)}`;
  return draws ? `${shown}${mark}` : shown;
}

const floorTitle = (value, draws) =>
  draws ? `the smallest that ${count(draws)} random draws can show: ${value}` : value;

// A score that is missing is not 0: what is worked out from it is missing too.
const minus = (value, other) => (hasValue(value) && hasValue(other) ? value - other : null);
const gain = (difference, score) => (data.lessIsBetter[score] ? minus(0, difference) : difference);

function toneOf(gained, p) {
  if (!hasValue(gained) || !hasValue(p) || p >= 0.05) return "";
  return gained > 0 ? "good sure" : "bad sure";
}

// What explanations tell from 0 to 1 stands in the scale of all other scores.
const isShare = (name) => data.scale !== 1 && data.shares.includes(name);

const text = (value) => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value) || "");
const isBlank = (words) => words.trim() === "";
const legible = (words) => (isBlank(words) ? (words ? "(blank)" : "(empty)") : words);
const empty = (words) => el("span", { class: "empty" }, words);
const shown = (value) => (isBlank(text(value)) ? empty(legible(text(value))) : text(value));
const labelOf = (value) => legible(text(value.label));

// Systems have ten colours; from the eleventh on the colours return as rings.
const markOf = (system) => ({ "data-system": system % COLOURS, "data-ring": system >= COLOURS });
const nameOf = (system) =>
  el("span", { class: "name", ...markOf(system) }, el("span", { class: "dot" }), systems[system].name);

function scoreName(score) {
  const less = data.lessIsBetter[score] ? el("span", { class: "less" }, " less is better") : null;
  const parts = data.scores[score].split(/(?<=\.)/);
  return [...parts.flatMap((part, at) => (at ? [el("wbr"), part] : [part])), less];
}
