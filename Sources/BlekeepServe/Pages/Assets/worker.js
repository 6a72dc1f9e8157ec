// The service worker: keeps the pages as they were seen last, for when the server can't be reached.
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
