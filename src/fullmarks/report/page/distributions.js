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
  const cards = data.scores.map((name, score) =>
    el(
      "div",
      { class: "card" },
      el("h3", {}, name),
      legend && legend.cloneNode(true),
      el("div", { class: "histogram", "data-score": score }),
    ),
  );
  const note = "Share of examples by their own score. Choose a bar to see its examples.";
  return el("section", { id: "distributions" }, heading("Distributions", note), el("div", { class: "cards" }, cards));
}

function drawHistograms() {
  for (const place of document.querySelectorAll(".histogram")) {
    place.replaceChildren(histogram(Number(place.dataset.score), place.clientWidth));
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

function histogram(score, width) {
  const { low, high, counts } = countsOf(score);
  const most = Math.max(...counts.flat()) / data.n || 1;
  const height = 150,
    left = 38;
  const slot = (width - left) / BINS,
    bar = (slot - 4) / systems.length;
  const heightOf = (share) => (share / most) * (height - 12);
  const label = `Distribution of ${data.scores[score]}`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height + 22}`, role: "group", "aria-label": label });
  for (let share = 0; share <= most * 1.001; share += roundStep(most)) {
    const y = height - heightOf(share);
    picture.append(
      svg("line", { class: "axis", x1: left, x2: width, y1: y, y2: y }),
      svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, percent(share).replace(".0", "")),
    );
  }
  counts.forEach((bins, system) =>
    bins.forEach((times, bin) => {
      if (!times) return;
      const size = Math.max(1.5, heightOf(times / data.n));
      const place = { x: left + bin * slot + 2 + system * bar, y: height - size, width: bar, height: size, rx: 1 };
      picture.append(histogramBar(place, times, { system, score, bin, low, high }));
    }),
  );
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const place = { x: left + part * (width - left), y: height + 16 };
    const anchor = part === 1 ? "end" : part ? "middle" : "start";
    const tick = text(Number((data.scale * (low + part * (high - low))).toFixed(digits)));
    picture.append(svg("text", { ...place, "text-anchor": anchor }, tick));
  }
  return picture;
}

function histogramBar(place, times, range) {
  const edge = (bin) => scaled(range.low + ((range.high - range.low) * bin) / BINS);
  const name = systems[range.system].name,
    span = `${edge(range.bin)} to ${edge(range.bin + 1)}`;
  const words = `${name}: ${count(times)} examples (${percent(times / data.n)}) from ${span}`;
  range.words = `${name} ${data.scores[range.score]} ${span}`;
  const show = () => explore({ system: range.system, score: range.score, range });
  const onkeydown = (event) => event.key === "Enter" && show();
  return svg(
    "rect",
    {
      class: "bar",
      "data-system": colour(range.system),
      ...place,
      tabindex: 0,
      role: "button",
      "aria-label": words,
      onclick: show,
      onkeydown,
    },
    svg("title", {}, words),
  );
}
