"use strict";
(function () {
  const root = document.documentElement;
  const tools = document.querySelector(".tools");
  if (tools) tools.hidden = false;

  // -- dark and light: as the system says, until the reader chooses --------------------------------
  const theme = document.querySelector('[data-do="theme"]');
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const kept = {
    get() { try { return localStorage.getItem("grade-theme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("grade-theme", value); } catch { /* a private window */ } },
  };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => { if (theme) theme.textContent = dark() ? theme.dataset.light : theme.dataset.dark; };
  const before = kept.get();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  show();
  system.addEventListener("change", show);
  if (theme) theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    kept.set(root.dataset.theme);
    show();
  });

  // -- folding -------------------------------------------------------------------------------------
  const folds = () => [...document.querySelectorAll("details")];
  const fold = document.querySelector('[data-do="fold"]');
  let open = false;
  if (fold) fold.addEventListener("click", () => {
    open = !open;
    for (const one of folds()) one.open = open;
    fold.textContent = open ? fold.dataset.close : fold.dataset.open;
  });
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = folds().filter((one) => !one.open);
    for (const one of closed) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
