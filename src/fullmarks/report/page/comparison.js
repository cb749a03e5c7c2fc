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
    const effect = hasValue(each.effect) ? `${each.effect.toFixed(3)} ${each.effectName.slice(6)}` : "–";
    return el(
      "tr",
      {},
      el("td", {}, nameOf(each.system)),
      el("td", {}, data.scores[each.score]),
      el("td", { class: tone, title: difference }, signed(difference)),
      el("td", { class: "interval" }, ends(low, high)),
      el("td", { class: tone ? "sure" : null, title: each.pHolm }, pValue(each.pHolm)),
      [each.p, each.pBootstrap, each.pMcnemar].map((p) => el("td", { title: p }, pValue(p))),
      el("td", { title: each.effectName }, effect),
      el("td", {}, outcomeBar(each)),
    );
  });
  const note =
    `Each system minus ${systems[data.baseline].name}, on the same examples. ` +
    "Holm corrects the permutation p-values for all rows of this table.";
  const head = COMPARED.map((title) => el("th", {}, title));
  return el(
    "section",
    { id: "comparison" },
    heading("Comparison", note),
    el("div", { class: "card scroll" }, table(head, rows)),
  );
}

function outcomeBar({ outcomes, system, score }) {
  const parts = ["fixed", "broken", "same"].map((outcome, at) => {
    const show = () => explore({ system, score, outcome });
    const title = `Show these ${count(outcomes[at])} examples`;
    const button = el("button", { type: "button", class: outcome, title, onclick: show }, count(outcomes[at]));
    button.style.flexGrow = outcomes[at] / data.n;
    return button;
  });
  return el("div", { class: "outcomes" }, parts);
}
