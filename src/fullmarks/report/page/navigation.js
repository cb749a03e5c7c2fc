// The bar of sections stays in sight and tells which one is being read.
function drawNavigation(sections) {
  const links = sections.map(({ id }) =>
    el("a", { href: `#${id}`, onclick: (event) => follow(event, id) }, id[0].toUpperCase() + id.slice(1)),
  );
  $("sections").append(...links);
  document.querySelector(".skip").addEventListener("click", (event) => follow(event, "examples"));
  const inSight = new Set();
  const watcher = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) inSight[isIntersecting ? "add" : "delete"](target);
      const current = sections.find((each) => inSight.has(each));
      if (!current) return;
      links.forEach((link, at) => {
        if (sections[at] === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
      $("sections").scrollLeft = links[sections.indexOf(current)].offsetLeft - 60;
    },
    { rootMargin: "-70px 0px -55% 0px" },
  );
  for (const each of sections) {
    each.setAttribute("tabindex", -1);
    watcher.observe(each);
  }
}

// The filters stay in the address beside the section.
function follow(event, id) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  section = id;
  noteView(true);
  goTo(id);
}

function goTo(id) {
  $(id).scrollIntoView();
  $(id).focus({ preventScroll: true });
}
