// Scores: one card per score, one line per system on a shared axis; then all official numbers.
function scoresSection() {
  const cards = data.scores.map((_, score) => {
    const all = systems.map((system) => system.scores[score]);
    const axis = axisOver(all.flat().filter(hasValue));
    const lines = all.flatMap(([value, low, high], system) => [
      el("span", {}, nameOf(system), score === data.main ? rankOf(system) : null),
      el("b", { title: value }, number(value)),
      el("span", { class: "interval ends" }, ends(low, high)),
      hasValue(value) ? whisker(axis, value, low, high, system) : null,
    ]);
    const strips = el("div", { class: "standing" }, lines, tickLabels(axis));
    return el("div", { class: "card" }, el("h3", {}, scoreName(score)), strips);
  });
  return el(
    "section",
    { id: "scores" },
    heading("Scores", data.sampling),
    el("div", { class: "cards" }, cards),
    el("div", { class: "cards folded" }, officialNumbers(), runFacts()),
  );
}

// The ranks in brackets are those that all systems may have at once.
function rankOf(system) {
  if (!systems[system].rank) return null;
  const [rank, best, worst] = systems[system].rank;
  const may = best < worst ? `${best}–${worst}` : best;
  const title = `Rank ${rank} by ${data.scores[data.main]}; in brackets the ranks it may have, for all systems at once`;
  return el("span", { class: "quiet", title }, ` rank ${rank} (${may})`);
}

function whisker(axis, value, low, high, system) {
  const line = (name, from, to) => svg("line", { class: name, x1: from, x2: to, y1: 7, y2: 7 });
  return svg(
    "svg",
    { height: 14, ...markOf(system), "aria-hidden": "true" },
    tickLines(axis, 14),
    line("axis", 0, "100%"),
    hasValue(low) ? line("whisker", axis.at(low), axis.at(high)) : null,
    svg("circle", { class: "point", cx: axis.at(value), cy: 7, r: 5 }),
  );
}

function officialNumbers() {
  const keys = [...new Set(systems.flatMap((system) => Object.keys(system.official)))];
  const cell = (key, value) => (hasValue(value) && data.counts.includes(key) ? count(value) : number(value));
  const rows = keys.map((key) =>
    el(
      "tr",
      {},
      rowHead({}, key),
      systems.map(({ official }) => el("td", { title: official[key] }, cell(key, official[key]))),
    ),
  );
  const head = [el("th", {}, "key"), ...systems.map((_, system) => el("th", {}, nameOf(system)))];
  const title = `Official result: ${count(keys.length)} numbers`;
  const numbers = table("Official result", head, rows);
  return el("details", { class: "card" }, el("summary", {}, title), scroller("Official result", {}, numbers));
}

function runFacts() {
  const parts = systems.map(({ signature, audit }, system) =>
    el(
      "div",
      { class: "run" },
      nameOf(system),
      el("p", {}, el("code", {}, signature)),
      el(
        "p",
        { class: "quiet" },
        `${count(audit.gold)} questions, ${count(audit.predictions)} predictions, ` + `${count(audit.scored)} scored`,
      ),
      el(
        "ul",
        { class: "findings" },
        audit.findings.map((found) => el("li", {}, findingLine(found))),
      ),
    ),
  );
  const notes = data.notes.map((note) => el("p", { class: "bad" }, note));
  return el(
    "details",
    { class: "card", open: notes.length > 0 },
    el("summary", {}, "Signatures and input"),
    notes,
    parts,
  );
}

function findingLine({ level, kind, count: times, first_ids: ids, detail }) {
  const first = ids.length ? ` (first ids: ${ids.join(", ")}${times > ids.length ? ", …" : ""})` : "";
  return `${level}: ${kind}: ${count(times)}${first}${detail ? `; ${detail}` : ""}`;
}
