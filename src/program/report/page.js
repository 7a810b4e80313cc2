/* What the pictures of the page do under a pointer: a click on a line of the key shows and hides its curves, a pointer
 * near a curve tells the values there, and a rectangle drawn with the mouse becomes the whole picture. Without this
 * script the page lacks nothing else. Its texts come from the page and enter it as texts. */
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg", NEAR = 30, DRAGGED = 8;
  const PAIR = /(-?[\d.]+),(-?[\d.]+)/g; // places; the shape of a mark has no comma

  function make(parent, name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  /* 1570, 0.0213, 1.71·10⁻⁶ */
  function shown(value, digits = 3) {
    const size = Math.abs(value);
    if (value === 0 || (size >= 1e-3 && size < 1e6))
      return String(Number.isInteger(value) ? value : +value.toPrecision(digits));
    const [factor, power] = value.toExponential(digits - 1).split("e");
    return (+factor === 1 ? "" : +factor + "·") + "10" +
      String(+power).replace(/./g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(c)]);
  }

  function ticks(begin, end, logarithmic) {
    const found = [];
    if (logarithmic && end / begin > 10) {
      const first = Math.floor(Math.log10(begin)), last = Math.ceil(Math.log10(end));
      const step = Math.ceil((last - first) / 8);
      for (let power = first; power <= last; power++)
        for (const digit of last - first < 3 ? [1, 2, 5] : [1])
          if (power % step === 0)
            found.push(digit * 10 ** power);
    } else {
      const power = 10 ** Math.floor(Math.log10((end - begin) / 6));
      const step = power * [1, 2, 5, 10].find(f => (end - begin) / (f * power) <= 6);
      for (let k = Math.ceil(begin / step); k * step <= end; k++)
        found.push(+(k * step).toPrecision(12));
    }
    return found.filter(value => value >= begin && value <= end);
  }

  function switches(svg) {
    const keys = svg.querySelectorAll("g.key");
    if (keys.length > 0)
      svg.setAttribute("role", "group");
    for (const key of keys) {
      const toggle = () => {
        const off = key.classList.toggle("off");
        key.setAttribute("aria-pressed", String(!off));
        for (const part of svg.querySelectorAll(`[data-kernel="${key.dataset.kernel}"]:not(.key)`))
          part.classList.toggle("hidden", off);
      };
      key.classList.add("switch");
      key.setAttribute("role", "button");
      key.setAttribute("tabindex", "0");
      key.setAttribute("aria-pressed", "true");
      key.addEventListener("click", toggle);
      key.addEventListener("keydown", event => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          toggle();
        }
      });
    }
  }

  function panel(svg, number) {
    const figure = svg.closest("figure"), fixed = svg.querySelectorAll(".axes"), {dataset} = fixed[0];
    const [left, right, upper, lower, x0, x1, y0, y1, xLog, yLog, shift] =
      dataset.panel.split(" ").map(Number);
    const whole = {left, right, top: upper, bottom: lower};
    let view = whole, begun = null;

    /* Places of the whole picture, and of the part of it that fills the panel. */
    const across = (x, from, to) =>
      to.left + (x - from.left) * (to.right - to.left) / (from.right - from.left);
    const down = (y, from, to) =>
      to.top + (y - from.top) * (to.bottom - to.top) / (from.bottom - from.top);
    const between = (share, begin, end, logarithmic) =>
      logarithmic ? begin * (end / begin) ** share : begin + share * (end - begin);
    const xValue = x => between((x - left) / (right - left), x0, x1, xLog);
    const yValue = y => between((lower - y) / (lower - upper), y0, y1, yLog);
    const share = (value, begin, end, logarithmic) =>
      logarithmic ? Math.log(value / begin) / Math.log(end / begin) : (value - begin) / (end - begin);

    const clip = make(make(svg, "clipPath", {id: `clip${number}`}), "rect",
                      {x: left, y: upper - 6, width: right - left, height: lower - upper + 12});
    const moved = [...svg.querySelectorAll(".curve, .marks, .band, .level")].map(path =>
      ({path, d: path.getAttribute("d")}));
    const curves = [...svg.querySelectorAll(".curve")].map(path => ({
      path, title: path.querySelector("title").textContent,
      points: [...path.getAttribute("d").matchAll(PAIR)].map(pair => [+pair[1], +pair[2]])}));
    let axes = null; // of a part of the picture

    function write(text, anchor, at) {
      make(axes, "text", {...at, "text-anchor": anchor, "font-size": 14}).textContent = text;
    }

    function tick(x, y, text, anchor) {
      make(axes, "path", {d: anchor === "end" ? `M${x},${y} h-6` : `M${x},${y} v6`,
                          stroke: "currentColor"});
      write(text, anchor, anchor === "end" ? {x: x - 10, y: y + 5} : {x, y: y + 24});
    }

    function show(part) {
      view = part;
      const grown = view !== whole;
      for (const {path, d} of moved) {
        path.setAttribute("d", !grown ? d : d.replace(PAIR, (pair, x, y) =>
          across(+x, view, whole).toFixed(2) + "," + down(+y, view, whole).toFixed(2)));
        path.setAttribute("clip-path", `url(#${clip.parentNode.id})`);
      }
      for (const child of fixed)
        child.classList.toggle("hidden", grown);
      button.hidden = !grown;
      axes?.remove();
      axes = null;
      if (!grown)
        return;
      axes = make(svg, "g", {});
      make(axes, "path", {d: `M${left},${upper} V${lower} H${right}`, fill: "none",
                          stroke: "currentColor"});
      write(dataset.x, "middle", {x: (left + right) / 2, y: lower + 52});
      write(dataset.y, "middle", {transform: `translate(16 ${(upper + lower) / 2}) rotate(-90)`});
      for (const value of ticks(xValue(view.left) - shift, xValue(view.right) - shift, xLog))
        tick(across(left + share(value + shift, x0, x1, xLog) * (right - left), view, whole),
             lower, shown(value, 6), "middle");
      for (const value of ticks(yValue(view.bottom), yValue(view.top), yLog))
        tick(left, down(lower - share(value, y0, y1, yLog) * (lower - upper), view, whole),
             shown(value, 6), "end");
    }

    const tools = document.createElement("div"), button = document.createElement("button");
    tools.className = "tools";
    button.type = "button";
    button.textContent = "Whole picture";
    button.hidden = true;
    button.addEventListener("click", () => show(whole));
    tools.append(button);
    figure.prepend(tools);

    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    figure.append(tip);
    const spot = make(svg, "circle", {r: 5, fill: "none", stroke: "currentColor", "stroke-width": 2,
                                      class: "hidden"});
    const chosen = make(svg, "rect", {fill: "currentColor", opacity: 0.15, class: "hidden"});
    const area = make(svg, "rect", {x: left, y: upper, width: right - left, height: lower - upper,
                                    fill: "none", "pointer-events": "all", class: "grown"});

    function place(event) {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return {x: Math.min(Math.max(at.x, left), right),
              y: Math.min(Math.max(at.y, upper), lower)};
    }

    function nearest(at) {
      let best = null, least = NEAR;
      for (const curve of curves) {
        if (curve.path.classList.contains("hidden"))
          continue;
        for (const [x, y] of curve.points) {
          const distance = Math.hypot(across(x, view, whole) - at.x, down(y, view, whole) - at.y);
          if (distance < least) {
            least = distance;
            best = {curve, x, y};
          }
        }
      }
      return best;
    }

    function tell(event, at) {
      const found = nearest(at);
      tip.hidden = !found;
      spot.classList.toggle("hidden", !found);
      if (!found)
        return;
      const value = yValue(found.y), ulps = dataset.y === "ulps";
      spot.setAttribute("cx", across(found.x, view, whole));
      spot.setAttribute("cy", down(found.y, view, whole));
      tip.textContent = `${found.curve.title}: ${dataset.x} ` +
        `${Math.round(xValue(found.x) - shift)}, ${dataset.y} ` +
        shown(ulps && value < 1 ? 0 : !yLog ? Math.round(value) : value);
      const box = figure.getBoundingClientRect(), x = event.clientX - box.left;
      tip.style.top = `${event.clientY - box.top + 16}px`;
      tip.style.left = x < box.width / 2 ? `${x + 12}px` : "auto";
      tip.style.right = x < box.width / 2 ? "auto" : `${box.width - x + 12}px`;
    }

    function outline(at) {
      chosen.setAttribute("x", Math.min(at.x, begun.x));
      chosen.setAttribute("width", Math.abs(at.x - begun.x));
      chosen.setAttribute("y", Math.min(at.y, begun.y));
      chosen.setAttribute("height", Math.abs(at.y - begun.y));
    }

    area.addEventListener("pointermove", event => {
      const at = place(event);
      tell(event, at);
      if (begun)
        outline(at);
    });
    area.addEventListener("pointerleave", () => {
      tip.hidden = true;
      spot.classList.add("hidden");
    });
    area.addEventListener("pointerdown", event => {
      if (event.pointerType === "touch") /* a finger scrolls: it asks for values, and draws nothing */
        tell(event, place(event));
      if (event.pointerType === "touch" || event.button !== 0)
        return;
      event.preventDefault();
      area.setPointerCapture(event.pointerId);
      begun = place(event);
      outline(begun);
      chosen.classList.remove("hidden");
    });
    area.addEventListener("pointerup", event => {
      const at = place(event), from = begun;
      begun = null;
      chosen.classList.add("hidden");
      if (!from || Math.abs(at.x - from.x) < DRAGGED || Math.abs(at.y - from.y) < DRAGGED)
        return;
      show({left: across(Math.min(at.x, from.x), whole, view),
            right: across(Math.max(at.x, from.x), whole, view),
            top: down(Math.min(at.y, from.y), whole, view),
            bottom: down(Math.max(at.y, from.y), whole, view)});
    });
    area.addEventListener("dblclick", () => show(whole));
  }

  document.querySelectorAll("figure svg").forEach((svg, number) => {
    switches(svg);
    if (svg.querySelector("[data-panel]"))
      panel(svg, number);
  });
})();
