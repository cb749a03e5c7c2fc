// Comparison: every system and score against the baseline.
const COMPARED = [
  "system",
  "score",
  "difference",
  "interval",
  "p (Holm)",
  "p permutation",
  "p bootstrap",
  "p McNemar",
  "effect",
  "better · worse · same",
];

function comparisonSection() {
  const rows = data.differences.map((each) => {
    const [difference, low, high] = each.difference;
    const tone = toneOf(gain(difference, each.score), each.pHolm);
    const effect = hasValue(each.effect) ? `${decimals(each.effect, 3)} ${each.effectName.slice(6)}` : "–";
    return el(
      "tr",
      {},
      rowHead({}, nameOf(each.system)),
      el("td", {}, scoreName(each.score)),
      el("td", { class: tone, title: difference }, signed(difference)),
      el("td", { class: "interval", title: `equivalent within ${number(each.equivalentWithin)}` }, ends(low, high)),
      el("td", { class: tone ? "sure" : null, title: floorTitle(each.pHolm, each.floor) }, pValue(each.pHolm, each.floor)),
      el("td", { title: floorTitle(each.p, each.floor) }, pValue(each.p, each.floor)),
      el("td", { title: floorTitle(each.pBootstrap, each.bootstrapFloor) }, pValue(each.pBootstrap, each.bootstrapFloor, "†")),
      el("td", { title: each.pMcnemar }, pValue(each.pMcnemar)),
      el("td", { title: each.effectName }, effect),
      el("td", {}, each.effectName ? outcomeBar(each) : "–"),
    );
  });
  const note =
    `Each system minus ${systems[data.baseline].name}, on the same examples. ` +
    "Holm corrects the permutation p-values for the rows of this table that could have reached the level.";
  const name = `Comparison with ${systems[data.baseline].name}`;
  const head = COMPARED.map((title) => el("th", {}, title));
  return el(
    "section",
    { id: "comparison" },
    heading("Comparison", note),
    el("div", { class: "card" }, scroller(name, { class: "pinned" }, table(name, head, rows))),
    floorNotes().map((line) => el("p", { class: "quiet" }, line)),
    data.testNotes.map((line) => el("p", { class: "quiet" }, line)),
  );
}

// A p-value of random draws cannot be smaller than one among all of them, however clear the difference.
function floorNotes() {
  const least = (draws) => Number((1 / (draws + 1)).toPrecision(1));
  const words = (draws) => (least(draws) === 0.0001 ? "p < 0.0001" : `p ≤ ${least(draws)}`);
  const note = (mark, draws, drawn) =>
    `${mark} ${words(draws)}, the smallest that ${count(draws)} ${drawn} can show: the true one may be smaller.`;
  const drawn = (name) => [...new Set(data.differences.map((each) => each[name]).filter(hasValue))];
  return [
    ...drawn("floor").map((draws) => note("*", draws, "random permutations")),
    ...drawn("bootstrapFloor").map((draws) => note("†", draws, "resamples")),
  ];
}

// Counted as the filters count, so that a number leads to as many examples.
function outcomesOf(system, score) {
  const counts = { fixed: 0, broken: 0, same: 0 };
  for (const at of examples.ids.keys()) {
    const outcome = outcomeOf(changeOf(system, score, at));
    if (outcome) counts[outcome] += 1;
  }
  return counts;
}

function outcomeBar({ system, score }) {
  const counts = Object.entries(outcomesOf(system, score));
  const compared = counts.reduce((sum, [, times]) => sum + times, 0);
  if (!compared) return el("span", { title: "No example has this score of its own" }, "–");
  const words = { fixed: "better", broken: "worse", same: "the same" };
  const signs = { fixed: "▲", broken: "▼", same: "=" };
  const buttons = counts.map(([outcome, times]) => {
    const onclick = () => explore({ system, score, outcome });
    const label = `${systems[system].name} ${words[outcome]} on ${countExamples(times)}: show them`;
    const title = `${words[outcome]} on ${countExamples(times)} (${percent(times / compared)}): show them`;
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    sign.dataset.sign = signs[outcome];
    return el("button", { type: "button", class: outcome, title, "aria-label": label, onclick }, sign, count(times));
  });
  // True to scale: the widths are the shares, nothing is widened to be seen.
  const parts = counts.map(([outcome, times]) => {
    const part = el("span", { class: outcome });
    part.style.flexGrow = times / compared;
    return part;
  });
  return el("div", { class: "outcomes" }, buttons, el("div", { class: "shares", "aria-hidden": "true" }, parts));
}
