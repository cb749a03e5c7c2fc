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
  const [explained, context] = await Promise.all([explanationsOf(at), contextOf(at)]);
  if (view[selected] !== at) return undefined;
  const golds = referencesOf(at);
  const asked = question(at);
  const back = el("button", { type: "button", class: "close", onclick: closeDetail }, "← back to the list");
  const wasInside = $("detail").contains(document.activeElement);
  $("detail").replaceChildren(
    back,
    el("h3", {}, asked || golds),
    ...pictures(at),
    factList([...(asked ? [["references", golds]] : []), ...columnsOf(at)]),
    ...(context ? [contextPart(at, context)] : []),
    ...systems.map((_, system) => answer(system, at, explained[system])),
  );
  $("detail").scrollTop = 0;
  showFirstMark();
  if (wasInside) $("detail").focus({ preventScroll: true });
  return undefined;
}

function columnsOf(at) {
  const slices = data.slices.map(({ column, codes, values }) => [column, [codes[at]].flat().map((code) => shown(values[code].label)).join(", ")]);
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
  const own = [...data.scores.keys()].filter((score) => hasValue(examples.scores[system][score][at]));
  const badges = own.map((score) => badge(examples.scores[system][score][at], score, data.scores[score]));
  return el(
    "section",
    { class: "answer", ...markOf(system) },
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
  const parts = Object.entries(tables).filter(([, each]) => each.length);
  return [
    factList(told.map(([name, value]) => [name, factValue(name, value, best && best.matched)])),
    ...parts.map(([name, each]) => explanationTable(name, each, best)),
  ];
}

function factValue(name, value, matched) {
  if (typeof value === "number") return el("span", { title: value }, isShare(name) ? scaled(value) : figure(value));
  if (Array.isArray(value) && value.length) return tokens(value.map(item), name === "tokens" ? matched : "");
  if (name === "normalised" && value && matched !== undefined) return tokens(value.split(" "), matched);
  return Array.isArray(value) ? empty("(none)") : shown(value);
}

const item = (value) => (typeof value === "number" ? figure(value) : text(value));

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
function explanationTable(title, lines, best) {
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
    const content = el("div", { class: "fold" }, cellValue(same, name, marks), el("span", { class: "quiet" }, times));
    return at ? el("td", { class: kind(name) }, content) : rowHead({ class: kind(name) }, content);
  };
  const rows = [...groups.values()].map((same) =>
    el(
      "tr",
      { class: isBest(same, best) ? "best" : null },
      names.map((name, at) => cell(same, name, at)),
    ),
  );
  const head = names.map((name) => el("th", { class: kind(name) }, name));
  return scroller(title, {}, table(title, head, rows));
}

const isBest = (same, best) => same[0].agrees === true || (best && best.matched && same.includes(best));

function cellValue(same, name, marks) {
  const value = same[0][name];
  if (name === "annotator") return same.map((line) => line.annotator).join(", ");
  if (marks && name === "normalised" && value) return tokens(value.split(" "), same[0].matched);
  if (typeof value === "boolean") return value ? "✓" : "–";
  if (typeof value === "number") return isShare(name) ? scaled(value) : figure(value);
  if (!Array.isArray(value)) return shown(value);
  const numbers = value.every((each) => typeof each === "number");
  return numbers ? value.map((each) => each.toFixed(2)).join(" ") : tokens(value.map(text), "");
}
