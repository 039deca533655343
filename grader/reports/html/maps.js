(function () {
  // -- maps: a cell under the pointer, the finger or the arrow keys is told and shown in all three --
  for (const figure of document.querySelectorAll(".picture")) {
    const tables = [...figure.querySelectorAll(".map")];
    const readout = figure.querySelector(".readout");
    const hint = readout.textContent;
    const rows = (table) => [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")]);
    const grids = tables.map(rows);
    const place = (cell) => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    let lit = [];

    const clear = () => { for (const cell of lit) cell.classList.remove("on"); lit = []; };
    const tell = (cell) => {
      const [r, c] = place(cell);
      clear();
      lit = grids.map((grid) => grid[r] && grid[r][c]).filter(Boolean);
      for (const one of lit) one.classList.add("on");
      const row = cell.parentElement.querySelector("th").textContent;
      const column = tables[0].tHead.rows[0].cells[c + 1].textContent;
      readout.textContent = `${figure.dataset.row} ${row}, ${figure.dataset.column} ${column}: `;
      lit.forEach((one, index) => {
        const value = document.createElement("strong");
        value.textContent = one.getAttribute("aria-label");
        const name = one.closest("table").dataset.panel;
        readout.append(`${index ? " · " : ""}${name} `, value);
      });
      const why = ["future", "padding", "other"].find((name) => cell.classList.contains(name));
      if (why) readout.append(` · ${figure.dataset[why]}`);
    };
    const walk = (event, grid, cell) => {
      const [r, c] = place(cell);
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
        Home: [0, -c], End: [0, grid[r].length - 1 - c] };
      const step = steps[event.key];
      const next = step && grid[r + step[0]] && grid[r + step[0]][c + step[1]];
      if (!step) return;
      event.preventDefault();
      if (next) { cell.tabIndex = -1; next.tabIndex = 0; next.focus(); }
    };
    tables.forEach((table, index) => {
      const grid = grids[index];
      if (grid[0] && grid[0][0]) grid[0][0].tabIndex = 0;
      const cellOf = (event) => event.target.closest("td[role]");
      table.addEventListener("pointerover", (event) => { const cell = cellOf(event); if (cell) tell(cell); });
      table.addEventListener("click", (event) => { const cell = cellOf(event); if (cell) tell(cell); });
      table.addEventListener("focusin", (event) => { const cell = cellOf(event); if (cell) tell(cell); });
      table.addEventListener("keydown", (event) => { const cell = cellOf(event); if (cell) walk(event, grid, cell); });
      table.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse" && !table.contains(document.activeElement)) { clear(); readout.textContent = hint; }
      });
    });
  }
})();
