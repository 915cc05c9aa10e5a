// Sorts the tables of the page by a click on a heading; without it they are as they were written.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const compare = (one, other) => {
        const [a, b] = [Number.parseFloat(one), Number.parseFloat(other)];
        if (Number.isNaN(a) || Number.isNaN(b)) {
          return Number.isNaN(a) - Number.isNaN(b) || one.localeCompare(other);
        }
        return a - b;
      };
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort((one, other) => (down ? -1 : 1) * compare(one[0], other[0]));
      body.append(...rows.map((pair) => pair[1]));
    });
  });
}
