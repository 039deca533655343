(function () {
  const find = document.querySelector(".find");
  if (!find) return;
  find.hidden = false;
  const words = find.querySelector("input");
  const fault = find.querySelector("select");
  const count = find.querySelector("[data-count]");
  const students = [...document.querySelectorAll(".student")];
  const show = () => {
    const wanted = words.value.trim().toLowerCase();
    let shown = 0;
    for (const one of students) {
      const fits = (!wanted || one.dataset.words.includes(wanted))
        && (!fault.value || one.dataset.faults.split(" ").includes(fault.value));
      one.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} / ${students.length}`;
  };
  words.addEventListener("input", show);
  fault.addEventListener("change", show);
  window.addEventListener("hashchange", () => {  // a link to a student that is filtered away
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.hidden) { words.value = ""; fault.value = ""; show(); target.scrollIntoView(); }
  });
  show();
})();
