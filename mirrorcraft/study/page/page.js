// Moves through the replays; without it the page shows everything but the moving marks.
for (const replay of document.querySelectorAll(".replay")) {
  const range = replay.querySelector("input[type=range]");
  const output = replay.querySelector("output");
  const steps = [...replay.querySelectorAll(".steps li")];
  const now = replay.querySelector(".now");
  const cursor = replay.querySelector(".cursor");
  const start = now && [now.getAttribute("cx"), now.getAttribute("cy")];
  function show(k) {
    range.value = k;
    output.textContent = `${k} of ${steps.length}`;
    steps.forEach((step, i) => step.classList.toggle("current", i + 1 === k));
    const step = steps[k - 1];
    if (step) {
      const list = step.parentElement;
      list.scrollTop = step.offsetTop - list.offsetTop - list.clientHeight / 3;
    }
    if (now) {
      const place = step && step.dataset.x ? [step.dataset.x, step.dataset.z] : start;
      now.setAttribute("cx", place[0]);
      now.setAttribute("cy", place[1]);
    }
    if (cursor) {
      const x = Number(cursor.dataset.left) + k * Number(cursor.dataset.each);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  }
  range.addEventListener("input", () => show(Number(range.value)));
  steps.forEach((step, i) => step.querySelector("button").addEventListener("click", () => show(i + 1)));
}
