// The script of pages with plots: the value at a moment, and zooming and panning, by pointer, touch and keyboard. Whatever
// it shows is an address, which the links and the form beside the plots reach, too.
"use strict";
(() => {
  const page = window.blekeep, main = document.getElementById("main");
  const least = 60000, most = 10 * 365 * 86400000;
  // The moment that is read, in milliseconds since 1970; it is the same in all plots. Only the plot that is used says
  // what its marks mean.
  let at = null, used = 0;

  const graphs = () => [...main.querySelectorAll(".graph[data-from]")];
  const span = (graph) => [Number(graph.dataset.from), Number(graph.dataset.to)];
  const known = new WeakMap();
  const points = (graph) => [...graph.parentNode.querySelectorAll(".points")].map((part) => {
    const text = part.dataset.points, found = known.get(part);
    if (found && found.text === text) return found;
    const from = span(graph)[0];
    const list = text.split(/(?=[;|])/).filter(Boolean).map((entry) => {
      const [time, mean, low, high] = entry.replace(/^[;|]/, "").split(" ");
      return { time: from + 1000 * time, mean, low, high, isAfterGap: entry[0] === "|" };
    });
    const made = { text, label: part.dataset.label, list };
    known.set(part, made);
    return made;
  });

  // The number of a series at a moment: that of the nearest point, and none within a gap.
  const value = (series, time, [from, to]) => {
    const { list } = series;
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].time < time) low = middle + 1; else high = middle;
    }
    const after = list[low], before = list[low - 1];
    if (!after && !before) return null;
    const near = !before || after && after.time - time < time - before.time ? after : before;
    const isFar = Math.abs(near.time - time) > (to - from) / 100;
    return isFar && (!after || !before || after.isAfterGap) ? null : near;
  };

  const element = (name, style, parent) => {
    const made = document.createElement(name);
    made.className = style;
    parent.append(made);
    return made;
  };
  const part = (graph, name, style) => graph.querySelector("." + style) || element(name, style, graph);
  const area = (graph) => {
    const box = graph.querySelector(".area").getBoundingClientRect(), outer = graph.getBoundingClientRect();
    return { left: box.left - outer.left, width: box.width, x: box.left };
  };
  // A mark may be narrower than a finger, or a pointer's step.
  const marksOf = (graph) => [...graph.querySelectorAll(".area > rect")].map((mark) => {
    const [from, to] = span(graph), [start, length] = ["x", "width"].map((name) => parseFloat(mark.getAttribute(name)) / 100);
    return { from: from + start * (to - from), to: from + (start + length) * (to - from), room: (to - from) / 150, text: mark.textContent };
  });
  const texts = (graph, time) => {
    const all = points(graph), unit = graph.dataset.unit, now = new Date(main.dataset.now * 1);
    const found = all.map((series) => [series, value(series, time, span(graph))]);
    const near = found.map(([, point]) => point).filter(Boolean);
    const shown = near.length === 1 ? near[0].time : time;
    const lines = found.map(([series, point]) => {
      const range = point && point.low ? ` (${point.low} to ${point.high})` : "";
      const text = page.taste(point ? `${point.mean} ${unit}${range}` : "no value", unit === "°C");
      return all.length > 1 ? `${series.label}: ${text}` : text;
    });
    const marks = marksOf(graph).filter((mark) => time >= mark.from - mark.room && time <= mark.to + mark.room)
      .map((mark) => mark.text);
    // Marks of many devices would hide the plot.
    const notes = [...new Set(marks)], more = notes.length - 4;
    if (more > 1) notes.splice(4, more, `and ${more} more`);
    return { shown, time: page.moment(new Date(shown), now), lines, notes };
  };

  const draw = () => {
    for (const [place, graph] of graphs().entries()) {
      graph.setAttribute("tabindex", "0");
      graph.setAttribute("role", "slider");
      const [from, to] = span(graph);
      graph.setAttribute("aria-valuemin", from);
      graph.setAttribute("aria-valuemax", to);
      const isShown = at !== null && at >= from && at <= to;
      graph.setAttribute("aria-valuenow", Math.round(isShown ? at : to));
      if (!isShown) {
        graph.setAttribute("aria-valuetext", "no moment chosen; press the arrow keys");
        for (const old of graph.querySelectorAll(".cross, .moment")) old.remove();
        continue;
      }
      const { shown, time, lines, notes } = texts(graph, at);
      const { left, width } = area(graph), share = (shown - from) / (to - from);
      const cross = part(graph, "div", "cross"), box = part(graph, "div", "moment");
      cross.style.left = left + share * width + "px";
      box.replaceChildren();
      element("b", "", box).textContent = time;
      for (const line of lines) element("span", "", box).textContent = line;
      const said = place === used ? notes : [];
      for (const note of said) element("span", "note", box).textContent = note;
      const isRight = share > 0.5;
      box.style.left = isRight ? "" : left + share * width + 8 + "px";
      box.style.right = isRight ? graph.clientWidth - left - share * width + 8 + "px" : "";
      graph.setAttribute("aria-valuetext", [time, ...lines, ...said].join(", "));
    }
  };

  // Another time, as an address.
  const canGo = () => main.querySelector(".ranges") !== null;
  const go = (from, to) => {
    if (!canGo()) return;
    const now = Number(main.dataset.now), middle = (from + to) / 2;
    const half = Math.min(most, Math.max(least, to - from)) / 2;
    [from, to] = [middle - half, middle + half];
    if (from >= now) return;
    const iso = (time) => new Date(Math.round(time / 1000) * 1000).toISOString().replace(".000", "");
    const query = new URLSearchParams(location.search);
    for (const name of ["range", "from", "to"]) query.delete(name);
    query.set("from", iso(from));
    if (to < now) query.set("to", iso(to));
    page.go(location.pathname + "?" + query);
  };
  const zoom = (graph, factor, center) => {
    const [from, to] = span(graph), middle = center === null ? (from + to) / 2 : center;
    go(middle - (middle - from) * factor, middle + (to - middle) * factor);
  };
  const pan = (graph, share) => {
    const [from, to] = span(graph), way = (to - from) * share;
    go(from + way, to + way);
  };

  // Pointers: one reads or drags, two pinch.
  const pointers = new Map();
  let start = null;
  const timeAt = (graph, x, [from, to] = span(graph)) => {
    const { x: left, width } = area(graph);
    return from + Math.max(0, Math.min(1, (x - left) / width)) * (to - from);
  };
  const graphOf = (event) => event.target.closest && event.target.closest(".graph[data-from]");
  const preview = (graph, [from, to]) => {
    const [first, last] = span(graph), lines = graph.querySelector(".lines");
    const x = (from - first) / (last - first) * 1000, width = (to - from) / (last - first) * 1000;
    lines.setAttribute("viewBox", `${x} 0 ${width} 160`);
  };
  const pinched = (graph) => {
    const [one, two] = [...pointers.values()], [from, to] = span(graph), { x: left, width } = area(graph);
    const before = [one.first, two.first].map((x) => from + (x - left) / width * (to - from));
    const after = [one.x, two.x].map((x) => (x - left) / width);
    if (Math.abs(after[1] - after[0]) < 0.02 || before[0] === before[1]) return null;
    const length = (before[1] - before[0]) / (after[1] - after[0]);
    const begin = before[0] - after[0] * length;
    return length > 0 ? [begin, begin + length] : null;
  };
  main.addEventListener("pointerdown", (event) => {
    const graph = graphOf(event);
    if (!graph || event.button > 0) return;
    if (!pointers.size) start = null;
    pointers.set(event.pointerId, { first: event.clientX, x: event.clientX });
    graph.setPointerCapture(event.pointerId);
    if (pointers.size === 1) start = { graph, x: event.clientX, isPan: event.shiftKey, isTouch: event.pointerType === "touch" };
    if (pointers.size === 2) for (const pointer of pointers.values()) pointer.first = pointer.x;
    used = graphs().indexOf(graph);
    at = timeAt(graph, event.clientX);
    draw();
  });
  main.addEventListener("pointermove", (event) => {
    const graph = start ? start.graph : graphOf(event);
    if (!graph || !graph.isConnected) return;
    const pointer = pointers.get(event.pointerId);
    if (pointer) pointer.x = event.clientX;
    if (pointers.size === 2 && canGo()) {
      start.range = pinched(graph) || start.range;
      if (start.range) preview(graph, start.range);
      return;
    }
    if (start && !start.isTouch && !start.range && canGo()) {
      const way = event.clientX - start.x;
      if (start.isPan) {
        const [from, to] = span(graph), moved = way / area(graph).width * (to - from);
        preview(graph, [from - moved, to - moved]);
      } else if (Math.abs(way) > 6) {
        const box = part(graph, "div", "chosen"), { x: left, left: inner, width } = area(graph);
        const [one, two] = [start.x, event.clientX].map((x) => Math.max(0, Math.min(width, x - left))).sort((a, b) => a - b);
        box.style.left = inner + one + "px";
        box.style.width = two - one + "px";
      }
    }
    used = graphs().indexOf(graph);
    at = timeAt(graph, event.clientX);
    draw();
  });
  const release = (event, isDone) => {
    if (!pointers.delete(event.pointerId) || !start) return;
    const { graph, range, x, isPan, isTouch } = start;
    if (pointers.size) return;
    start = null;
    for (const box of main.querySelectorAll(".chosen")) box.remove();
    if (!isDone) { preview(graph, span(graph)); return; }
    const way = event.clientX - x;
    if (range) return go(...range);
    if (isTouch || Math.abs(way) <= 6) return;
    if (isPan) return pan(graph, -way / area(graph).width);
    const [one, two] = [x, event.clientX].map((place) => timeAt(graph, place)).sort((a, b) => a - b);
    go(one, two);
  };
  main.addEventListener("pointerup", (event) => release(event, true));
  main.addEventListener("pointercancel", (event) => release(event, false));
  main.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "mouse" || start || event.relatedTarget && event.relatedTarget.closest(".graph[data-from]")) return;
    if (document.activeElement && document.activeElement.matches(".graph")) return;
    at = null;
    draw();
  });

  // Keys: arrows read, with Shift they pan, and + and - zoom.
  main.addEventListener("keydown", (event) => {
    const graph = event.target;
    if (!graph.matches(".graph[data-from]") || event.ctrlKey || event.altKey || event.metaKey) return;
    used = graphs().indexOf(graph);
    const way = { ArrowLeft: -1, ArrowRight: 1, PageDown: -20, PageUp: 20 }[event.key];
    const [from, to] = span(graph);
    const all = [...points(graph).flatMap((series) => series.list.map((point) => point.time)), ...marksOf(graph).map((mark) => mark.from)];
    const times = [...new Set(all)].sort((a, b) => a - b);
    if (way && event.shiftKey) pan(graph, Math.sign(way) / 4);
    else if (way && times.length) {
      const next = times.findIndex((time) => time >= (at === null ? to : at));
      const place = at === null ? times.length - (way < 0 ? 1 : 0) : (next < 0 ? times.length : next) + way;
      at = times[Math.max(0, Math.min(times.length - 1, place))];
    } else if (event.key === "Home") at = times[0] || from;
    else if (event.key === "End") at = times[times.length - 1] || to;
    else if (event.key === "+" || event.key === "=") zoom(graph, 0.5, at);
    else if (event.key === "-") zoom(graph, 2, at);
    else if (event.key === "Escape") at = null;
    else return;
    event.preventDefault();
    draw();
  });
  main.addEventListener("dblclick", (event) => { const graph = graphOf(event); if (graph) zoom(graph, 2, at); });

  // The links and the form of the time change the address in place, too.
  main.addEventListener("click", (event) => {
    const link = event.target.closest(".ranges a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    page.go(link.getAttribute("href"));
  });
  document.addEventListener("blekeep-shown", draw);
  addEventListener("resize", draw);
  draw();
})();
