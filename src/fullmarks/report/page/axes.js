// Axes with round numbers. Places on them are shares of a width that the browser alone knows.
const STEPS = 6;

function roundStep(most) {
  const power = 10 ** Math.floor(Math.log10(most / STEPS));
  return power * [1, 2, 5, 10].find((factor) => factor * power * STEPS >= most);
}

function axisOver(numbers) {
  const low = Math.min(...numbers),
    high = Math.max(...numbers);
  const margin = 0.08 * (high - low || Math.abs(high) || 1);
  const from = low - margin,
    span = high - low + 2 * margin;
  const step = roundStep(span),
    ticks = [];
  for (let at = Math.ceil(from / step); at * step <= from + span; at += 1) ticks.push(at * step);
  return { at: (value) => `${(100 * (value - from)) / span}%`, ticks, step };
}

const tickLines = ({ at, ticks }, height) =>
  ticks.map((tick) => svg("line", { class: "axis", x1: at(tick), x2: at(tick), y1: 0, y2: height }));

function tickLabels({ at, ticks, step }) {
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const label = (tick) => decimals(Math.abs(tick) < step / 2 ? 0 : tick, places);
  const texts = ticks.map((tick) => svg("text", { x: at(tick), y: 12, "text-anchor": "middle" }, label(tick)));
  return svg("svg", { class: "ticks", height: 15, "aria-hidden": "true" }, texts);
}
