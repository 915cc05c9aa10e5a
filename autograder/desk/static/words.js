// One key for each thing to do; without this, Tab, Space and Enter do the same.
"use strict";
(() => {
  const form = document.querySelector("form.marking");
  const typing = (target) => target.matches("textarea, select, input:not([type=checkbox])");

  const add = () => {
    const sum = form && form.querySelector("output.sum");
    if (!sum) return;
    const ticked = [...form.querySelectorAll("[name=item]:checked")];
    const all = ticked.reduce((total, item) => total + Number(item.dataset.points), 0);
    const points = Math.min(Number(form.dataset.most), Math.max(0, all));
    const typed = form.elements.points.value.trim();
    sum.textContent = typed || !ticked.length ? "" : `= ${Math.round(points * 100) / 100}`;
  };

  const act = (element) => {
    if (element.matches("textarea, input:not([type=checkbox])")) element.focus();
    else {
      const fold = element.closest("details");
      if (fold && !element.matches("summary")) fold.open = true;
      element.click();
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form) form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
    const digit = /^Digit([1-9])$/.exec(event.code);
    const key = digit && event.shiftKey ? `Shift+${digit[1]}` : event.key;
    const found = document.querySelector(`[data-press="${CSS.escape(key)}"]`);
    if (found) {
      event.preventDefault();
      act(found);
      add();
    }
  });
  if (form) {
    form.addEventListener("input", add);
    add();
  }
})();
