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
      el("td", { class: tone ? "sure" : null, title: each.pHolm }, pValue(each.pHolm)),
      [each.p, each.pBootstrap, each.pMcnemar].map((p) => el("td", { title: p }, pValue(p))),
      el("td", { title: each.effectName }, effect),
      el("td", {}, each.effectName ? outcomeBar(each) : "–"),
    );
  });
  const note =
    `Each system minus ${systems[data.baseline].name}, on the same examples. ` +
    "Holm corrects the permutation p-values for the rows of this table that could have reached the level.";
  const head = COMPARED.map((title) => el("th", {}, title));
  return el(
    "section",
    { id: "comparison" },
    heading("Comparison", note),
    el("div", { class: "card scroll" }, table(`Comparison with ${systems[data.baseline].name}`, head, rows)),
    data.testNotes.map((line) => el("p", { class: "quiet" }, line)),
  );
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
  const parts = counts.map(([outcome, times]) => {
    const onclick = () => explore({ system, score, outcome });
    const label = `${systems[system].name} ${words[outcome]} on ${countExamples(times)}: show them`;
    const title = `Show ${countExamples(times)}`;
    const button = el("button", { type: "button", class: outcome, title, "aria-label": label, onclick }, count(times));
    button.style.flexGrow = times / compared;
    return button;
  });
  return el("div", { class: "outcomes" }, parts);
}
