// Keeps a list up to date while its box is ticked and the page can be seen. Without scripts, reloading does the same.
"use strict";

const EVERY = 3000; // milliseconds

function live() {
  const box = document.querySelector("[data-live]");
  const part = document.querySelector("[data-refreshed]");
  if (!box || !part) return;
  box.closest("label").hidden = false;
  box.checked = localStorage.getItem("live") === "on";
  box.addEventListener("change", () => {
    localStorage.setItem("live", box.checked ? "on" : "off");
    if (box.checked) refresh(part);
  });
  setInterval(() => {
    // What has the keyboard's focus, or is being marked, stays as it is.
    const busy = part.contains(document.activeElement) || !getSelection().isCollapsed;
    if (box.checked && !document.hidden && !busy) refresh(part);
  }, EVERY);
}

async function refresh(part) {
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-refreshed]");
    if (fresh) part.replaceChildren(...fresh.childNodes);
    else location.reload(); // the login has expired
  } catch {
    // Viewgate does not answer now: what is shown stays.
  }
}

live();
