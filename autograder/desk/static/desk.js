// What a page does beyond htmx; without it everything still works.

// One key for what has data-key: a link is followed, a field gets the focus. Not while somebody types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const wanted = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
  if (!wanted) return;
  event.preventDefault();
  if (wanted.matches("input, select, textarea")) wanted.focus();
  else wanted.click();
});

// What can be scrolled can be reached by keyboard.
function reachable() {
  for (const each of document.querySelectorAll("pre, .pair, .wide")) {
    const scrolls = each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1;
    if (scrolls && !each.hasAttribute("tabindex")) each.tabIndex = 0;
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
document.addEventListener("toggle", reachable, true);
document.addEventListener("htmx:afterSettle", reachable);

// The map: whose column the pointer is at; a click leads there.
const map = document.querySelector("table.map[data-students]");
if (map) {
  const keys = map.dataset.students.split(" ");
  const said = document.getElementById("column");
  const at = (event) => {
    const box = event.target.closest("svg")?.getBoundingClientRect();
    return box && keys[Math.floor((keys.length * (event.clientX - box.left)) / box.width)];
  };
  map.addEventListener("pointermove", (event) => {
    const key = at(event);
    if (key) said.textContent = key;
  });
  map.addEventListener("click", (event) => {
    const key = at(event);
    if (key) location.href = `/students/${key}`;
  });
}
