/// The script that runs before a page is drawn: the reader's choice of light or dark, and of °C or °F, which the browser
/// keeps. Without it, pages are as the system wants them, and in °C.
enum TasteScript {
    static let text = #"""
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

          // Numbers in °C as such in °F. The labels of an axis get a decimal more, as they aren't round any more.
          const convert = (text, more) => text.replace(/-?\d+(\.\d+)?/g, (number) => {
            const decimals = Math.min(3, (number.split(".")[1] || "").length + more);
            const text = (Number(number) * 1.8 + 32).toFixed(decimals);
            return more ? String(Number(text)) : text;
          }).replace("°C", "°F");
          const shown = new WeakMap();
          const showUnits = () => {
            for (const element of document.querySelectorAll("[data-c]")) {
              const more = element.matches(".scale") ? 1 : 0;
              const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
              for (let node = texts.nextNode(); node; node = texts.nextNode()) {
                const kept = shown.get(node), isShown = kept && kept.shown === node.data;
                if (isShown && !isFahrenheit) node.data = kept.text;
                if (isShown || !isFahrenheit) continue;
                const text = node.data;
                node.data = convert(text, more);
                shown.set(node, { text, shown: node.data });
              }
            }
          };
          window.blekeep = { showUnits, taste: (text, isCelsius) => isCelsius && isFahrenheit ? convert(text, 0) : text };

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
            setTimeout(() => navigator.serviceWorker.register("/worker.js").catch(() => { }), 2000);
          });
        })();

        """#
}

/// The service worker: keeps each page as it was seen last, for when the server can't be reached.
enum WorkerScript {
    static let text = #"""
        "use strict";
        const kept = "blekeep";
        addEventListener("install", () => skipWaiting());
        addEventListener("activate", (event) => event.waitUntil(clients.claim()));
        addEventListener("fetch", (event) => {
          const { request } = event, { pathname, origin } = new URL(request.url);
          const isFile = /\.(css|js|svg|webmanifest)$/.test(pathname);
          if (request.method !== "GET" || origin !== location.origin || request.mode !== "navigate" && !isFile) return;
          event.respondWith((async () => {
            const pages = await caches.open(kept);
            try {
              const answer = await fetch(request);
              if (answer.ok) {
                await pages.put(request, answer.clone());
                const keys = await pages.keys();
                if (keys.length > 40) await Promise.all(keys.slice(0, keys.length - 40).map((key) => pages.delete(key)));
              }
              return answer;
            } catch {
              return await pages.match(request) || await pages.match("/") || Response.error();
            }
          })());
        });

        """#
}
