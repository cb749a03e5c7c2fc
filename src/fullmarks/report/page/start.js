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
  drawNavigation(sections);
  drawHistograms();
  if (data.slices.length) drawSlices();
  showAddress();
  if (section) goTo(section);
  addEventListener("resize", () => {
    drawHistograms();
    drawRows();
  });
  addEventListener("popstate", showAddress);
  narrow.addEventListener("change", closeDetail);
  document.addEventListener("keydown", pageKey);
  document.documentElement.dataset.ready = "yes";
  setTimeout(prepareSearch, 100);
}

start();
