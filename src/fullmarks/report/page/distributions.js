// Distributions: how the scores of single examples are spread; where nearly all have the least or the full score, the
// others once more on a scale of their own.
const BINS = 20;
const KINDS = ["all", "middle"];
const binOf = (value, { low, high }) => Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS));

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
      el("div", { class: "histogram", "data-score": score, "data-kind": "all" }),
      middleOf(score),
    ),
  );
  const note = "Share of the examples that have the score. Choose a bar to see its examples.";
  return el("section", { id: "distributions" }, heading("Distributions", note), el("div", { class: "cards" }, cards));
}

function middleOf(score) {
  const all = sharesOf(score, "all"),
    middle = sharesOf(score, "middle");
  const between = `between ${tick(all.low)} and ${tick(all.high)}`;
  if (!middle.most) return el("p", { class: "quiet" }, `No example is ${between}.`);
  if (middle.most > 0.25 * all.most) return null;
  const times = systems.map(({ name }, system) => {
    const inside = middle.counts[system].reduce((sum, each) => sum + each, 0);
    return `${several() ? `${name} ` : ""}${countExamples(inside)} (${percent(inside / all.sizes[system])})`;
  });
  return [
    el("p", { class: "quiet middle" }, `Only those ${between}, on a scale of their own: ${times.join(", ")}`),
    el("div", { class: "histogram", "data-score": score, "data-kind": "middle" }),
  ];
}

const isOfExamples = (score) => examples.scores.some((scores) => scores[score].some(hasValue));

function drawHistograms() {
  for (const place of document.querySelectorAll(".histogram")) {
    const { score, kind, width } = place.dataset;
    if (Number(width) === place.clientWidth) continue;
    place.dataset.width = place.clientWidth;
    place.replaceChildren(histogram(Number(score), kind, place.clientWidth));
  }
}

const spans = new Map();

function spanOf(score) {
  if (!spans.has(score)) {
    let low = 0,
      high = 1;
    for (const scores of examples.scores) {
      for (const value of scores[score]) {
        if (hasValue(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
    spans.set(score, { low, high });
  }
  return spans.get(score);
}

// Whether an example's score is one that a histogram of this kind shows.
const isShown = (value, { low, high }, kind) => hasValue(value) && (kind === "all" || (value > low && value < high));

function barTest({ system, score, kind, bin }) {
  const span = spanOf(score),
    values = examples.scores[system][score];
  return (at) => isShown(values[at], span, kind) && binOf(values[at], span) === bin;
}

const drawn = new Map();

function sharesOf(score, kind) {
  const key = `${score} ${kind}`;
  if (!drawn.has(key)) drawn.set(key, countedShares(score, kind));
  return drawn.get(key);
}

function countedShares(score, kind) {
  const span = spanOf(score),
    columns = examples.scores.map((scores) => scores[score]);
  const counts = columns.map((column) => {
    const bins = new Array(BINS).fill(0);
    for (const value of column) if (isShown(value, span, kind)) bins[binOf(value, span)] += 1;
    return bins;
  });
  const sizes = columns.map((column) => column.filter(hasValue).length || 1);
  const shares = counts.map((bins, system) => bins.map((times) => times / sizes[system]));
  return { ...span, counts, sizes, shares, most: Math.max(...shares.flat()) };
}

const HEIGHT = 150;
const LEFT = 38;
const heightOf = (share, most) => (share / most) * (HEIGHT - 12);

function histogram(score, kind, width) {
  const { low, high, counts, shares, most } = sharesOf(score, kind);
  const slot = (width - LEFT) / BINS,
    thickness = Math.max(1, (slot - 4) / systems.length);
  const bins = [];
  for (let bin = 0; bin < BINS; bin += 1) {
    for (const system of systems.keys()) {
      const share = shares[system][bin];
      if (!share) continue;
      const across = { x: LEFT + bin * slot + 2 + system * thickness, width: thickness };
      const words = `${countExamples(counts[system][bin])} (${percent(share)})`;
      bins.push(histogramBin(bars(across, share, most), words, { system, score, kind, bin }));
    }
  }
  bins[0].setAttribute("tabindex", 0);
  const label = `Distribution of ${data.scores[score]}${kind === "middle" ? ` between ${tick(low)} and ${tick(high)}` : ""}`;
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
      svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, shareTick(share, roundStep(most))),
    );
  }
  return lines;
}

const shareTick = (share, step) => `${decimals(100 * share, step < 0.001 ? 2 : step < 0.01 ? 1 : 0)} %`;
const tick = (value) => text(Number((data.scale * value).toFixed(digits))).replace("-", "−");

function scoreTicks(low, high, width) {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const place = { x: LEFT + part * (width - LEFT), y: HEIGHT + 16 };
    const anchor = part === 1 ? "end" : part ? "middle" : "start";
    return svg("text", { ...place, "text-anchor": anchor }, tick(low + part * (high - low)));
  });
}

function barWords({ system, score, bin }) {
  const { low, high } = spanOf(score);
  const edge = (at) => scaled(low + ((high - low) * at) / BINS);
  return [systems[system].name, `${edge(bin)} to ${edge(bin + 1)}`];
}

function histogramBin(parts, times, range) {
  const [name, span] = barWords(range);
  const words = `${name}: ${times} from ${span}`;
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
