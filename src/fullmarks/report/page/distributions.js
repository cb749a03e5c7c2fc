// Distributions: how the scores of single examples are spread.
const BINS = 20;
const binOf = (value, low, high) => Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS));

function distributionsSection() {
  const legend = several()
    ? el(
        "div",
        { class: "legend" },
        systems.map((_, system) => nameOf(system)),
      )
    : null;
  const own = data.scores.map((_, score) => score).filter(isOfExamples);
  if (!own.length) return null;
  const cards = own.map((score) =>
    el(
      "div",
      { class: "card" },
      el("h3", {}, data.scores[score]),
      legend && legend.cloneNode(true),
      el("div", { class: "histogram", "data-score": score }),
    ),
  );
  const note = "Share of the examples that have the score. Choose a bar to see its examples.";
  return el("section", { id: "distributions" }, heading("Distributions", note), el("div", { class: "cards" }, cards));
}

const isOfExamples = (score) => examples.scores.some((scores) => scores[score].some(hasValue));

function drawHistograms() {
  for (const place of document.querySelectorAll(".histogram")) {
    const { score, width } = place.dataset;
    if (Number(width) === place.clientWidth) continue;
    place.dataset.width = place.clientWidth;
    place.replaceChildren(histogram(Number(score), place.clientWidth));
  }
}

function countsOf(score) {
  const columns = examples.scores.map((scores) => scores[score]);
  let low = 0,
    high = 1;
  for (const column of columns) {
    for (const value of column) {
      if (hasValue(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  const counts = columns.map((column) => {
    const bins = new Array(BINS).fill(0);
    for (const value of column) if (hasValue(value)) bins[binOf(value, low, high)] += 1;
    return bins;
  });
  return { low, high, counts };
}

function roundStep(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  return power * [1, 2, 5, 10].find((factor) => factor * power * 4 >= most);
}

const HEIGHT = 150;
const LEFT = 38;
const heightOf = (share, most) => (share / most) * (HEIGHT - 12);

function histogram(score, width) {
  const { low, high, counts } = countsOf(score);
  const sizes = counts.map((bins) => bins.reduce((sum, times) => sum + times, 0) || 1);
  const shares = counts.map((bins, system) => bins.map((times) => times / sizes[system]));
  const most = Math.max(...shares.flat());
  const slot = (width - LEFT) / BINS,
    thickness = Math.max(1, (slot - 4) / systems.length);
  const bins = [];
  for (let bin = 0; bin < BINS; bin += 1) {
    for (const system of systems.keys()) {
      const share = shares[system][bin];
      if (!share) continue;
      const across = { x: LEFT + bin * slot + 2 + system * thickness, width: thickness };
      const words = `${countExamples(counts[system][bin])} (${percent(share)})`;
      bins.push(histogramBin(bars(across, share, most), words, { system, score, bin, low, high }));
    }
  }
  bins[0].setAttribute("tabindex", 0);
  const label = `Distribution of ${data.scores[score]}`;
  const attributes = { viewBox: `0 0 ${width} ${HEIGHT + 22}`, role: "toolbar", "aria-label": label };
  return svg("svg", attributes, shareLines(most, width), bins, scoreTicks(low, high, width));
}

// The bar, and over the whole height what can be pointed at: some bars are hardly to be seen.
function bars(across, share, most) {
  const height = Math.max(1.5, heightOf(share, most));
  return [
    svg("rect", { class: "target", ...across, y: 0, height: HEIGHT }),
    svg("rect", { class: "bar", ...across, y: HEIGHT - height, height, rx: 1 }),
  ];
}

function shareLines(most, width) {
  const lines = [];
  for (let share = 0; share <= most * 1.001; share += roundStep(most)) {
    const y = HEIGHT - heightOf(share, most);
    lines.push(
      svg("line", { class: "axis", x1: LEFT, x2: width, y1: y, y2: y }),
      svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, percent(share).replace(".0", "")),
    );
  }
  return lines;
}

function scoreTicks(low, high, width) {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const place = { x: LEFT + part * (width - LEFT), y: HEIGHT + 16 };
    const anchor = part === 1 ? "end" : part ? "middle" : "start";
    const tick = text(Number((data.scale * (low + part * (high - low))).toFixed(digits))).replace("-", "−");
    return svg("text", { ...place, "text-anchor": anchor }, tick);
  });
}

function histogramBin(parts, times, range) {
  const edge = (bin) => scaled(range.low + ((range.high - range.low) * bin) / BINS);
  const name = systems[range.system].name,
    span = `${edge(range.bin)} to ${edge(range.bin + 1)}`;
  const words = `${name}: ${times} from ${span}`;
  range.words = `${name} ${data.scores[range.score]} ${span}`;
  const onclick = () => explore({ system: range.system, score: range.score, range });
  const onkeydown = (event) => {
    if (event.key === "Enter" || event.key === " ") onclick();
    else if (!moveAlong(event)) return;
    event.preventDefault();
  };
  const attributes = { class: "bin", role: "button", tabindex: -1, "aria-label": words, onclick, onkeydown };
  return svg("g", { ...attributes, ...markOf(range.system) }, svg("title", {}, words), parts);
}

// One bar of a histogram can be reached by Tab; the arrows lead from it to the others.
function moveAlong({ key, currentTarget: bin }) {
  const bins = [...bin.parentNode.querySelectorAll(".bin")];
  const at = bins.indexOf(bin);
  const next = { ArrowLeft: bins[at - 1], ArrowRight: bins[at + 1], Home: bins[0], End: bins.at(-1) }[key];
  if (!next) return false;
  bin.setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
  return true;
}
