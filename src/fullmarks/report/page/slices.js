// Slices: the scores by the values of a column.
const slicing = { column: 0, score: 0, key: null, down: true };

function slicesSection() {
  slicing.score = data.main;
  const set = (name) => (event) => {
    slicing[name] = Number(event.target.value);
    drawSlices();
  };
  const columns = data.slices.map((slice, at) => [at, `${slice.column} (${slice.values.length})`]);
  const column = choice("slice-column", "Column", columns, set("column"));
  const score = choice(
    "slice-score",
    "Score",
    data.scores.map((name, at) => [at, name]),
    set("score"),
  );
  score.lastChild.value = slicing.score;
  const tested = several()
    ? ` Differences have intervals for ${data.scores[data.main]}, which hold for all slices at once.`
    : "";
  const note = `Choose a value to see its examples.${tested}`;
  return el(
    "section",
    { id: "slices" },
    heading("Slices", note, column, score),
    el("div", { class: "card" }, scroller("Scores by slice", { class: "tall pinned", id: "slice-table" })),
  );
}

function sliceColumns() {
  const { score } = slicing,
    base = data.baseline;
  const of = (value, system) => value.scores[system][score][0];
  const difference = (value, system) => minus(of(value, system), of(value, base));
  const scores = systems.map((_, system) => ({
    key: `score-${system}`,
    title: nameOf(system),
    of: (value) => of(value, system),
    cell: (value) => withEnds(number(of(value, system)), value.scores[system][score]),
  }));
  const rivals = systems.map((_, system) => system).filter((system) => system !== base);
  const differences = rivals.map((system) => ({
    key: `difference-${system}`,
    title: systems.length > 2 ? `${systems[system].name} − ${systems[base].name}` : "difference",
    of: (value) => difference(value, system),
    cell: (value) => {
      const [, low, high, p, alone, draws] = (score === data.main && value.differences[system]) || [];
      const title = hasValue(p) ? `p ${pValue(alone, draws)}, Holm-corrected over all slices ${pValue(p, draws)}${draws ? `; * the smallest that ${count(draws)} random permutations can show` : ""}` : null;
      const tone = toneOf(gain(difference(value, system), score), p);
      return withEnds(el("span", { class: tone, title }, signed(difference(value, system))), [0, low, high]);
    },
  }));
  return [
    { key: "label", title: data.slices[slicing.column].column },
    { key: "n", title: "n", of: (value) => value.n, cell: (value) => count(value.n) },
    ...scores,
    ...differences,
  ];
}

const withEnds = (value, [, low, high]) => [value, " ", el("span", { class: "interval" }, ends(low, high))];

const turned = (order) => (slicing.down ? -order : order);
const letters = new Intl.Collator("en", { numeric: true });

function byLabel({ label }, { label: other }) {
  const numbers = typeof label === "number" && typeof other === "number";
  return turned(numbers ? label - other : letters.compare(text(label), text(other)));
}

// Values without a number come last, whatever the order.
const byNumber = (of) => (a, b) => turned(minus(of(a), of(b)) ?? 0) || hasValue(of(b)) - hasValue(of(a));

function drawSlices() {
  const columns = sliceColumns();
  const by = columns.find((column) => column.key === slicing.key);
  const values = data.slices[slicing.column].values.map((value, code) => ({ ...value, code }));
  if (by) values.sort(by.key === "label" ? byLabel : byNumber(by.of));
  const sort = (column, at) => {
    slicing.down = slicing.key === column.key ? !slicing.down : column.key !== "label";
    slicing.key = column.key;
    drawSlices();
    $("slice-table").querySelectorAll("th button")[at].focus();
  };
  const head = columns.map((column, at) => {
    const direction = column !== by ? null : slicing.down ? "descending" : "ascending";
    const arrow = column !== by ? "" : slicing.down ? " ↓" : " ↑";
    const button = el("button", { type: "button", onclick: () => sort(column, at) }, column.title, arrow);
    return el("th", { "aria-sort": direction }, button);
  });
  const rows = values.map((value) => {
    const show = () => explore({ score: slicing.score, slices: { [slicing.column]: value.code } });
    const link = el("button", { type: "button", class: "link", onclick: show }, shown(value.label));
    const [, ...others] = columns;
    return el(
      "tr",
      {},
      rowHead({ title: labelOf(value) }, link),
      others.map((column) => el("td", {}, column.cell(value))),
    );
  });
  $("slice-table").replaceChildren(table(`Scores by ${data.slices[slicing.column].column}`, head, rows));
  requestAnimationFrame(() => cue($("slice-table")));
}
