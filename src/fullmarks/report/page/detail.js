// The chosen example, and why every system's answer got its scores. Explanations are unpacked by the block.
const blocks = new Map();

async function explanationsOf(at) {
  const block = Math.floor(at / data.block);
  if (!blocks.has(block)) blocks.set(block, unpack(`explanations-${block}`));
  return (await blocks.get(block))[at % data.block];
}

async function drawDetail() {
  const at = view[selected];
  if (at === undefined) return $("detail").replaceChildren();
  const explained = await explanationsOf(at);
  if (view[selected] !== at) return undefined;
  const golds = wanted(at).join(" · ") || empty(examples.references[at].length ? "(empty)" : "no answer");
  const asked = question(at);
  const back = el("button", { type: "button", class: "close", onclick: closeDetail }, "← back to the list");
  $("detail").replaceChildren(
    back,
    el("h3", {}, asked || golds),
    ...pictures(at),
    factList([...(asked ? [["references", golds]] : []), ...columnsOf(at)]),
    ...systems.map((_, system) => answer(system, at, explained[system])),
  );
  $("detail").scrollTop = 0;
  return undefined;
}

function columnsOf(at) {
  const slices = data.slices.map(({ column, codes, values }) => [column, shown(values[codes[at]].label)]);
  const others = Object.entries(examples.columns).filter(([name]) => name !== "question");
  return [["id", text(examples.ids[at])], ...slices, ...others.map(([name, column]) => [name, shown(column[at])])];
}

const factList = (facts) =>
  el(
    "dl",
    { class: "facts" },
    facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );

function pictures(at) {
  const image = (place) => {
    const source = $(`image-${place}`),
      alt = `picture of example ${examples.ids[at]}`;
    return el("img", { src: `data:${source.type};base64,${source.textContent}`, alt });
  };
  const places = data.images[at] || [];
  return places.length ? [el("figure", {}, places.map(image))] : [];
}

function answer(system, at, explained) {
  const badges = data.scores.map((name, score) => badge(examples.scores[system][score][at], score, name));
  return el(
    "section",
    { class: "answer", "data-system": colour(system) },
    el("div", { class: "top" }, nameOf(system), badges),
    el("div", { class: "words" }, saidBy(system, at)),
    explained ? explanation(explained) : null,
  );
}

function explanation({ facts, tables }) {
  const lines = Object.values(tables).flat();
  const compared = lines.filter((line) => "matched" in line);
  const best =
    compared.find((line) => line.reference === facts["best reference"]) ||
    compared.reduce((a, b) => (a && a.f1 >= b.f1 ? a : b), undefined);
  const told = Object.entries(facts).filter(([name, value]) => {
    const repeated = name === "normalised" && Array.isArray(facts.tokens) && facts.tokens.join(" ") === value;
    return name !== "prediction" && !repeated;
  });
  const parts = Object.values(tables).filter((each) => each.length);
  return [
    factList(told.map(([name, value]) => [name, factValue(name, value, best && best.matched)])),
    ...parts.map((each) => explanationTable(each, best)),
  ];
}

function factValue(name, value, matched) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.length) return tokens(value.map(text), name === "tokens" ? matched : "");
  if (name === "normalised" && value && matched !== undefined) return tokens(value.split(" "), matched);
  return Array.isArray(value) ? empty("(none)") : shown(value);
}

// Words, those of the matched ones marked as often as they were matched.
function tokens(words, matched) {
  const left = new Map();
  for (const word of matched ? matched.split(" ") : []) left.set(word, (left.get(word) || 0) + 1);
  return words.map((word) => {
    const match = left.get(word) > 0;
    if (match) left.set(word, left.get(word) - 1);
    return el("span", { class: match ? "token match" : "token" }, word);
  });
}

// The lines of a table, equal ones joined; the column "matched" is shown by marks in the column "normalised".
function explanationTable(lines, best) {
  const marks = "matched" in lines[0] && "normalised" in lines[0];
  const names = Object.keys(lines[0]).filter((name) => !marks || name !== "matched");
  const groups = new Map();
  for (const line of lines) {
    const key = JSON.stringify({ ...line, annotator: 0 });
    groups.set(key, [...(groups.get(key) || []), line]);
  }
  const kind = (name) => (lines.every((line) => /number|boolean/.test(typeof line[name])) ? "number" : "text");
  const cell = (same, name, at) => {
    const times = at === 0 && same.length > 1 && name !== "annotator" ? ` ×${same.length}` : "";
    return el("td", { class: kind(name) }, cellValue(same, name, marks), el("span", { class: "quiet" }, times));
  };
  const rows = [...groups.values()].map((same) =>
    el(
      "tr",
      { class: isBest(same, best) ? "best" : null },
      names.map((name, at) => cell(same, name, at)),
    ),
  );
  const head = names.map((name) => el("th", { class: kind(name) }, name));
  return el("div", { class: "scroll" }, table(head, rows));
}

const isBest = (same, best) => same[0].agrees === true || (best && best.matched && same.includes(best));

function cellValue(same, name, marks) {
  const value = same[0][name];
  if (name === "annotator") return same.map((line) => line.annotator).join(", ");
  if (marks && name === "normalised" && value) return tokens(value.split(" "), same[0].matched);
  if (typeof value === "boolean") return value ? "✓" : "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toFixed(4).replace(/0+$/, "");
  if (!Array.isArray(value)) return shown(value);
  const numbers = value.every((item) => typeof item === "number");
  return numbers ? value.map((item) => item.toFixed(2)).join(" ") : tokens(value.map(text), "");
}
