// The data, and how its values are shown. Scores of examples are from 0 to 1, all others in the official scale.
let data, examples, systems, digits;

const several = () => systems.length > 1;
const count = (value) => value.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

function number(value) {
  if (!hasValue(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits) return value.toExponential(1).replace("-", "−");
  return value.toFixed(digits).replace("-", "−");
}

const signed = (value) => (value > 0 ? "+" : "") + number(value);
const scaled = (value) => (hasValue(value) ? number(value * data.scale) : "–");
const ends = (low, high) => (hasValue(low) ? `[${number(low)}, ${number(high)}]` : "");

function pValue(value) {
  if (!hasValue(value)) return "–";
  return value < 0.0001 ? "< 0.0001" : value.toFixed(4);
}

const gain = (difference, score) => (data.lessIsBetter[score] ? -difference : difference);
const toneOf = (gained, p) => (!hasValue(p) || p >= 0.05 ? "" : gained > 0 ? "good sure" : "bad sure");
const text = (value) => (typeof value === "string" ? value : hasValue(value) ? JSON.stringify(value) : "");
const empty = (words) => el("span", { class: "empty" }, words);
const shown = (value) => text(value) || empty("(empty)");
const colour = (system) => system % 6;
const nameOf = (system) =>
  el("span", { class: "name", "data-system": colour(system) }, el("span", { class: "dot" }), systems[system].name);
