// The script of all pages: shows ages and the reader's times, and follows new readings. Without it, pages reload.
"use strict";
(() => {
  const main = document.getElementById("main"), page = window.blekeep;
  const live = document.getElementById("live"), news = document.getElementById("news");

  // Times: in the reader's zone, and ages as they pass.
  const clock = new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" });
  const day = new Intl.DateTimeFormat([], { dateStyle: "medium" });
  const minute = new Intl.DateTimeFormat([], { timeStyle: "short", hourCycle: "h23" });
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [0, "s"]];
  const span = (seconds) => {
    const [length, unit] = units.find(([length]) => seconds >= length) || [0, "s"];
    return Math.floor(seconds / (length || 1)) + "\u00a0" + unit;
  };
  const moment = (time, now) =>
    (time.toDateString() === now.toDateString() ? "" : day.format(time) + ", ") + clock.format(time);
  const forms = {
    age: (time, now) => span(Math.max(0, (now - time) / 1000)) + " ago",
    span: (time, now) => "for " + span(Math.max(0, (now - time) / 1000)),
    wait: (time, now) => time > now ? "in " + span((time - now) / 1000) : "now",
    moment,
    tick: (time) => minute.format(time),
    midnight: (time) => minute.format(time) === "00:00" ? dayOfMonth(time) : minute.format(time),
  };
  const dayOfMonth = (time) => [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  // The gateway's clock may differ from this one.
  let ahead = 0;
  // The worker has given a page of the past.
  const isOld = () => "kept" in main.dataset;
  const compareClocks = () => {
    const difference = Number(main.dataset.now) - Date.now();
    ahead = isOld() || Math.abs(difference) <= 5000 ? 0 : difference;
  };
  const showTimes = (all) => {
    const now = new Date(Date.now() + ahead);
    for (const element of document.querySelectorAll("[data-as]")) {
      const form = element.dataset.as;
      if (!all && !["age", "span", "wait"].includes(form)) continue;
      const time = new Date(element.getAttribute("datetime") || element.dataset.time);
      const text = forms[form](time, now);
      if (element.textContent !== text) element.textContent = text;
      if (all && element.localName === "time") element.title = day.format(time) + ", " + clock.format(time);
    }
  };

  // Makes one element like another, and keeps what is the same: the focus, and what a screen reader reads.
  let isPartial = false;
  const morph = (old, next) => {
    if (next.dataset && "same" in next.dataset) return;
    if (old.nodeType !== 1) {
      if (old.data !== next.data) old.data = next.data;
      return;
    }
    const isShown = "as" in old.dataset && old.getAttribute("datetime") === next.getAttribute("datetime")
      && old.dataset.time === next.dataset.time && old.dataset.as === next.dataset.as;
    if (isShown) return;
    // What the user has opened stays open.
    const isOpen = old.localName === "details" && old.open;
    for (const { name } of [...old.attributes]) {
      if (!next.hasAttribute(name) && !(isOpen && name === "open")) old.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const known = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const same = child.id && known.get(child.id);
      // The server thinks that this part is here.
      if (!same && child.dataset && "same" in child.dataset) { isPartial = true; continue; }
      if (same) {
        if (same === at) at = at.nextSibling; else old.insertBefore(same, at);
        morph(same, child);
      } else if (at && !at.id && !child.id && at.nodeName === child.nodeName) {
        morph(at, child);
        at = at.nextSibling;
      } else {
        old.insertBefore(child, at);
      }
    }
    while (at) {
      const rest = at.nextSibling;
      at.remove();
      at = rest;
    }
  };

  // What a screen reader says: changes of states, and nothing else.
  const states = () => new Map([...document.querySelectorAll("[data-state]")].map(
    (card) => [card.id, [card.dataset.name, card.dataset.state]]));
  const tellChanges = (before) => {
    const changes = [...states()].filter(([id, [, state]]) => before.has(id) && before.get(id)[1] !== state);
    if (changes.length) news.textContent = changes.map(([, [name, state]]) => name + ": " + state).join(", ");
  };

  const show = (text) => {
    const next = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    if (!next) return;
    if (next.dataset.version !== main.dataset.version) return location.reload();
    const before = states(), focus = document.activeElement;
    morph(main, next);
    compareClocks();
    showTimes(true);
    tellChanges(before);
    page.showUnits();
    document.dispatchEvent(new Event("blekeep-shown"));
    if (focus && focus.isConnected && document.activeElement !== focus) focus.focus({ preventScroll: true });
    if (isPartial) { isPartial = false; main.dataset.edition = 0; isStale = true; }
  };

  // Shows another view of the page, which is its address.
  const showAddress = () => {
    const path = location.pathname === "/" ? "/overview" : location.pathname;
    main.dataset.live = "/fragment" + path + location.search;
    main.dataset.edition = 0;
    if (request) request.abort();
    isBusy = false;
    refresh();
  };
  page.moment = moment;
  page.go = (url, replaces) => {
    history[replaces ? "replaceState" : "pushState"](null, "", url);
    showAddress();
  };

  // The newest content: after new readings, and now and then for what is no reading.
  const pause = 700, period = 5000, retry = 2000;
  let kept = Date.now(), timer = 0, whole = Date.now(), last = 0, isBusy = false, isStale = false, source = null, request = null;
  const setLive = (isConnected) => {
    const isStale = "stale" in main.dataset;
    document.documentElement.classList.toggle("lost", !isConnected);
    document.documentElement.classList.toggle("still", isStale);
    const lost = isOld() ? "No connection, as of " + moment(new Date(Number(main.dataset.now)), new Date()) : "Connection lost, reconnecting…";
    const text = !isConnected ? lost : isStale ? "Not polling" : "Live";
    if (live.textContent !== text) live.textContent = text;
  };
  const plan = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(refresh, delay);
  };
  const refresh = async () => {
    if (isBusy) { isStale = true; return; }
    isBusy = true;
    isStale = false;
    last = Date.now();
    let next = period;
    const mine = request = new AbortController();
    const late = setTimeout(() => mine.abort(), 15000);
    try {
      const slow = [...document.querySelectorAll("[data-every]")].map((part) => Number(part.dataset.every));
      const isDue = slow.length && Date.now() - whole >= Math.min(...slow) * 1000;
      if (isDue) whole = Date.now();
      const path = main.dataset.live, edition = isDue ? 0 : main.dataset.edition;
      const answer = await fetch(path + (path.includes("?") ? "&" : "?") + "after=" + edition,
        { cache: "no-store", signal: mine.signal });
      if (!answer.ok) throw new Error(answer.status);
      const text = await answer.text();
      if (mine !== request) return;
      show(text);
      setLive(true);
      follow();
      const worker = navigator.serviceWorker && navigator.serviceWorker.controller;
      if (worker && Date.now() - kept > 60000) {
        kept = Date.now();
        worker.postMessage(location.href);
      }
    } catch {
      // Another view was asked for meanwhile.
      if (mine !== request) return;
      setLive(false);
      next = retry;
    }
    clearTimeout(late);
    isBusy = false;
    // The page was hidden meanwhile.
    if (document.hidden) stop(); else plan(isStale ? pause : next);
  };
  const soon = () => {
    if (isBusy) isStale = true; else plan(Math.max(100, last + pause - Date.now()));
  };
  const follow = () => {
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource("/events");
    source.onmessage = (event) => {
      const device = main.dataset.device;
      if (!device || JSON.parse(event.data).address === device) soon();
    };
    source.onerror = () => { if (!document.hidden) soon(); };
  };
  const stop = () => {
    clearTimeout(timer);
    if (source) source.close();
    source = null;
  };

  compareClocks();
  showTimes(true);
  setInterval(showTimes, 1000, false);
  document.documentElement.classList.add("script");
  // On paper, an age needs a time.
  addEventListener("beforeprint", () => {
    const shown = document.querySelector("#printed time"), now = new Date(isOld() ? Number(main.dataset.now) : Date.now() + ahead);
    if (shown) shown.textContent = day.format(now) + ", " + clock.format(now);
  });
  if (!main.dataset.live) return;
  setLive(!isOld());
  follow();
  plan(isOld() ? retry : period);
  document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); else refresh(); });
  addEventListener("popstate", showAddress);
  // The overview is searched while the user types.
  let typing = 0;
  const search = (event, delay) => {
    const form = event.target.closest("#filter");
    if (!form) return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      const usual = { sort: "state" };
      const query = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value && usual[name] !== value));
      page.go("/" + (String(query) && "?" + query), true);
    }, delay);
  };
  main.addEventListener("input", (event) => search(event, 250));
  main.addEventListener("submit", (event) => {
    if (event.target.id !== "filter") return;
    event.preventDefault();
    search(event, 0);
  });
  main.addEventListener("click", (event) => {
    const link = event.target.closest("#summary .counts a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    page.go(link.getAttribute("href"));
  });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
})();
