// The script that runs before a page is drawn: the reader's choice of light or dark, and of °C or °F, which the browser
// keeps. Without it, pages are as the system wants them, and in °C.
"use strict";
(() => {
  const root = document.documentElement;
  const get = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const set = (name, value) => {
    try { if (value) localStorage.setItem(name, value); else localStorage.removeItem(name); } catch { }
  };
  let theme = get("theme"), isFahrenheit = get("unit") === "F";
  const showTheme = () => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };
  showTheme();
  root.dataset.unit = isFahrenheit ? "F" : "C";

  // Numbers in °C as such in °F. An axis has both, and the stylesheet shows the chosen one.
  const convert = (text) => text.replace(/-?\d+(\.\d+)?/g, (number) =>
    (Number(number) * 1.8 + 32).toFixed((number.split(".")[1] || "").length)).replace("°C", "°F");
  const shown = new WeakMap();
  const showUnits = () => {
    root.dataset.unit = isFahrenheit ? "F" : "C";
    for (const element of document.querySelectorAll("[data-c]")) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const kept = shown.get(node), isShown = kept && kept.shown === node.data;
        if (isShown && !isFahrenheit) node.data = kept.text;
        if (isShown || !isFahrenheit) continue;
        const text = node.data;
        node.data = convert(text);
        shown.set(node, { text, shown: node.data });
      }
    }
  };
  window.blekeep = { showUnits, taste: (text, isCelsius) => isCelsius && isFahrenheit ? convert(text) : text };

  addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("taste");
    const button = (name, text, act) => {
      const made = document.createElement("button");
      made.id = name;
      const show = () => { made.textContent = text(); };
      made.addEventListener("click", () => { act(); show(); });
      show();
      place.append(made);
    };
    button("theme", () => "Theme: " + (theme || "as the system"), () => {
      theme = { light: "dark", dark: null }[theme || ""];
      if (theme === undefined) theme = "light";
      set("theme", theme);
      showTheme();
    });
    button("unit", () => "Temperatures: " + (isFahrenheit ? "°F" : "°C"), () => {
      isFahrenheit = !isFahrenheit;
      set("unit", isFahrenheit ? "F" : null);
      showUnits();
      document.dispatchEvent(new Event("blekeep-shown"));
    });
    showUnits();
  });
  // What was seen last stays to be seen without a connection, where the page is served securely.
  if (navigator.serviceWorker && isSecureContext) addEventListener("load", () => {
    setTimeout(async () => {
      try {
        await navigator.serviceWorker.register("/worker.js");
        (await navigator.serviceWorker.ready).active.postMessage(location.href);
      } catch { }
    }, 2000);
  });
})();
