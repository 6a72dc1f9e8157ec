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

        """#
}

/// The service worker: keeps the pages as they were seen last, for when the server can't be reached.
enum WorkerScript {
    static let text = #"""
        "use strict";
        const kept = "blekeep", most = 40;
        const isFile = (url) => /\.(css|js|svg|png|webmanifest)$/.test(new URL(url).pathname);
        const keep = async (request, answer) => {
          const pages = await caches.open(kept);
          // Of a file, one version.
          if (isFile(request.url)) await pages.delete(request, { ignoreSearch: true });
          await pages.put(request, answer);
          const keys = (await pages.keys()).filter((key) => !isFile(key.url));
          await Promise.all(keys.slice(0, -most).map((key) => pages.delete(key)));
        };
        // A page as it is now, with the files that it uses. The first one was there before the worker.
        const keepPage = async (address) => {
          const url = new URL(address, location.href);
          if (url.origin !== location.origin) return;
          url.hash = "";
          const answer = await fetch(url, { headers: { Accept: "text/html" } });
          if (!answer.ok) return;
          const text = await answer.clone().text();
          await keep(new Request(url), answer);
          const pages = await caches.open(kept);
          for (const [, path] of text.matchAll(/ (?:href|src)="(\/[^"?]+\?v=[^"]+)"/g)) {
            if (await pages.match(path)) continue;
            const file = await fetch(path);
            if (file.ok) await keep(new Request(path), file);
          }
        };
        // The page must say that it is old.
        const aged = async (answer) => {
          const headers = new Headers(answer.headers);
          headers.delete("Content-Encoding");
          headers.delete("Content-Length");
          return new Response((await answer.text()).replace("<main ", "<main data-kept "), { headers });
        };
        addEventListener("install", () => skipWaiting());
        addEventListener("activate", (event) => event.waitUntil(clients.claim()));
        addEventListener("message", (event) => event.waitUntil(keepPage(event.data).catch(() => { })));
        addEventListener("fetch", (event) => {
          const { request } = event, isPage = request.mode === "navigate";
          if (request.method !== "GET" || new URL(request.url).origin !== location.origin || !isPage && !isFile(request.url)) return;
          event.respondWith((async () => {
            try {
              const answer = await fetch(request);
              // A download is no page.
              const isShown = !isPage || (answer.headers.get("Content-Type") || "").startsWith("text/html");
              if (answer.ok && isShown) event.waitUntil(keep(request, answer.clone()).catch(() => { }));
              return answer;
            } catch {
              const pages = await caches.open(kept), found = await pages.match(request, { ignoreVary: true });
              if (found) return isPage ? aged(found) : found;
              const isKnown = isPage && new URL(request.url).pathname !== "/" && await pages.match("/", { ignoreVary: true });
              return isKnown ? Response.redirect("/") : Response.error();
            }
          })());
        });

        """#
}
