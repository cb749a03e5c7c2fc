// The beginning: unpack the data, draw every section, listen.
async function start() {
  $("theme").addEventListener("click", switchTheme);
  $("help-button").addEventListener("click", () => $("help").showModal());
  if (!("DecompressionStream" in window)) {
    $("loading").textContent = "This browser cannot unpack the report: it needs DecompressionStream (2023 or later).";
    return;
  }
  data = await unpack("data");
  ({ examples, systems } = data);
  examples.unanswered = examples.unanswered.map((places) => new Set(places));
  digits = data.scale >= 10 ? 2 : 4;
  $("subtitle").textContent = `${data.protocol} · ${countExamples(data.n)} · fullmarks ${data.version}`;
  const sections = [
    scoresSection(),
    several() ? comparisonSection() : null,
    distributionsSection(),
    data.slices.length ? slicesSection() : null,
    examplesSection(),
  ].filter(Boolean);
  $("main").replaceChildren(...sections);
  $("sections").append(...sections.map(({ id }) => el("a", { href: `#${id}` }, id[0].toUpperCase() + id.slice(1))));
  drawHistograms();
  if (data.slices.length) drawSlices();
  explore({}, false);
  addEventListener("resize", () => {
    drawHistograms();
    drawRows();
  });
  addEventListener("popstate", uncover);
  narrow.addEventListener("change", closeDetail);
  document.addEventListener("keydown", pageKey);
  document.documentElement.dataset.ready = "yes";
  setTimeout(prepareSearch, 100);
}

start();
