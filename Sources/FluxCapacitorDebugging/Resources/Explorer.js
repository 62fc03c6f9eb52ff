
// MARK: The flow

const $ = (id) => document.getElementById(id);
function element(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}
function duration(nanoseconds) {
  return nanoseconds < 1e6 ? (nanoseconds / 1e3).toFixed(1) + " µs"
    : (nanoseconds / 1e6).toFixed(2) + " ms";
}
// Returns the number of elements at the start of a sorted list that fulfill a condition.
function countWhere(list, isBefore) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle])) low = middle + 1; else high = middle;
  }
  return low;
}
// Returns the place of a dispatch in a list of dispatches, or -1.
function placeOf(one, list = shown) {
  const place = one ? countWhere(list, (other) => other.number < one.number) : -1;
  return list[place] === one ? place : -1;
}

// `all` contains the dispatches, which this page numbers. `variables` contains each variable with its changes, at
// the index of the variable's number.
let all, shown, selected, variables, types, stores, links, longest, position;
let lastNumber = 0;
// `isFollowing` is true if the page selects each new dispatch. `wanted` has the sequence numbers of the dispatches
// that the page selects and pins again after a restart.
let isFollowing, wanted;
// The dispatch that the page compares with the selected dispatch.
let pinned;
function reset() {
  wanted = {
    selected: shown && selected !== shown.at(-1) ? selected?.sequence : undefined,
    pinned: pinned?.sequence,
  };
  [all, variables, types, stores, links, longest] = [[], [], new Set(), new Set(), new Map(), 1];
  [position, shown, selected, pinned] = [0, all, undefined, undefined];
}
const label = (variable) => variable.store + "." + variable.name;
// Adds a line of the picture from a node of a column to a node of the next column.
const link = (column, from, to) => links.set(JSON.stringify([column, from, to]), { column, from, to });

// Receives an update, which the type `PageUpdate` describes.
function receive(update) {
  if (update.title !== undefined) {
    reset();
    $("title").textContent = document.title = update.title;
  }
  if (selected === shown.at(-1)) isFollowing = true;
  update.variables.forEach(({ number, store, name, value, observers }) => {
    variables[number] ??= { number, store, name, first: value ?? "t", history: [] };
    variables[number].observers = observers;
    stores.add(store);
    link(2, store, number);
  });
  while (all.length && all.at(-1).sequence > update.after) forgetLast();
  update.dispatches.forEach(add);
  forgetFirst(all.findIndex((one) => one.sequence >= update.first));
  position = update.position;
  showOnly($("filter").value);
  if (pinned && placeOf(pinned, all) < 0) pinned = undefined;
  selectAgain();
}
function selectAgain() {
  const find = (sequence) => all.find((one) => one.sequence === sequence);
  const isPassed = (sequence) => all.at(-1)?.sequence >= sequence;
  // After a restart, the page can receive the pinned and the selected dispatch in a later update.
  if (isPassed(wanted.pinned)) [pinned, wanted.pinned] = [find(wanted.pinned), undefined];
  if (wanted.selected !== undefined) {
    selected = find(wanted.selected);
    if (isPassed(wanted.selected)) wanted.selected = undefined;
  } else if (isFollowing || placeOf(selected, all) < 0) {
    selected = isLive ? shown.at(-1) : all[0];
  }
}
function add(one) {
  one.number = lastNumber += 1;
  one.created ??= [];
  one.released ??= [];
  // A dispatch identifies its variables by number, because two variables can have the same name.
  one.changed = one.changes.map((change) => change.number);
  for (const change of one.changes) {
    const { history } = variables[change.number];
    // The old value in a variable's first change is the variable's initial value.
    if (!history.length) variables[change.number].first = change.old ?? variables[change.number].first;
    change.old ??= history.at(-1)?.change.new ?? variables[change.number].first;
    change.new ??= change.old;
    change.parts ??= [{ path: "", old: change.old, new: change.new }];
    history.push({ number: one.number, change });
  }
  // A bar grows with the square root of the duration, because a few dispatches take much longer than most.
  longest = Math.max(longest, Math.sqrt(one.nanoseconds));
  types.add(one.type);
  link(0, one.type, "Dispatcher");
  one.stores.forEach((store) => {
    stores.add(store);
    link(1, "Dispatcher", store);
  });
  all.push(one);
}
function forgetLast() {
  const one = all.pop();
  for (const number of one.changed) {
    const { history } = variables[number];
    if (history.at(-1)?.number === one.number) history.pop();
  }
}
function forgetFirst(count) {
  for (const one of all.splice(0, Math.max(0, count))) {
    for (const number of one.changed) {
      const variable = variables[number];
      if (variable.history[0]?.number === one.number) variable.first = variable.history.shift().change.new;
    }
  }
}
// Returns the value of a variable after the dispatch with a number, and the number of the last change.
function valueAt(variable, number) {
  const entry = variable.history[countWhere(variable.history, (entry) => entry.number <= number) - 1];
  return entry ? { changed: entry.number, value: entry.change.new } : { changed: -1, value: variable.first };
}

// MARK: The timeline

const timeline = $("timeline");
const rowHeight = 30;
function showOnly(text) {
  const wanted = text.toLowerCase();
  shown = wanted ? all.filter((one) => searched(one).includes(wanted)) : all;
}
function searched(one) {
  const stores = [...one.stores, ...one.created, ...one.released];
  one.search ??= [text(one.state), one.type, ...stores, ...one.changed.map((number) => label(variables[number]))]
    .join("\n").toLowerCase();
  return one.search;
}
function drawTimeline() {
  $("count").textContent = shown.length === all.length
    ? `${all.length} dispatches` : `${shown.length} of ${all.length} dispatches`;
  $("space").style.height = shown.length * rowHeight + "px";
  const first = Math.max(0, Math.floor(timeline.scrollTop / rowHeight) - 10);
  const last = Math.min(shown.length, first + Math.ceil(timeline.clientHeight / rowHeight) + 20);
  const rows = [];
  for (let place = first; place < last; place += 1) rows.push(timelineRow(shown[place], place));
  $("space").replaceChildren(...rows);
  timeline.setAttribute("aria-activedescendant", selected ? `row-${selected.number}` : "");
}
function timelineRow(one, place) {
  const row = element("div", undefined, "row");
  row.id = `row-${one.number}`;
  if (isLive && one.sequence > position) row.classList.add("future");
  if (isLive && one.sequence === position) row.classList.add("here");
  if (one === pinned) row.classList.add("pinned");
  row.style.top = place * rowHeight + "px";
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", one === selected);
  row.setAttribute("aria-setsize", shown.length);
  row.setAttribute("aria-posinset", place + 1);
  row.dataset.place = place;
  const bar = element("span", undefined, "bar");
  bar.style.width = 100 * Math.sqrt(one.nanoseconds) / longest + "%";
  row.append(element("span", one.sequence, "number"), element("span", text(one.state, 200), "state"),
    element("span", duration(one.nanoseconds), "duration"), bar);
  return row;
}
timeline.addEventListener("scroll", () => requestAnimationFrame(drawTimeline));
addEventListener("resize", drawTimeline);
timeline.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) select(shown[row.dataset.place]);
});
$("filter").addEventListener("input", () => {
  showOnly($("filter").value);
  timeline.scrollTop = 0;
  if (shown.length && placeOf(selected) < 0) select(shown[0]); else drawTimeline();
});

// MARK: The keyboard

addEventListener("keydown", (event) => {
  // The browser has its own shortcuts.
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const isTyping = target.matches("input[type=search]");
  if (event.key === "Escape") escape(isTyping ? target : undefined);
  else if (isTyping) pressWhileTyping(event, target);
  else if (Object.hasOwn(shortcuts, event.key)) {
    event.preventDefault();
    shortcuts[event.key]();
  } else if (event.key === "Enter" && !target.closest("button, input") && isLive && selected) jump();
  // The slider and a tree handle the arrow keys themselves.
  else if (!target.closest("nav, [role=tree]")) pressStep(event);
});
const shortcuts = {
  "/": () => $("filter").focus(),
  s: () => $("search").focus(),
  p: () => togglePin(),
};
function escape(field) {
  if (field) field.blur(); else if (pinned) togglePin();
}
function pressWhileTyping(event, field) {
  if (field === $("filter") && ["ArrowDown", "ArrowUp"].includes(event.key)) pressStep(event);
  else if (field === $("search") && ["ArrowDown", "Enter"].includes(event.key)) {
    event.preventDefault();
    $("stores").querySelector(".found, [role=treeitem]")?.focus();
  }
}
function pressStep(event) {
  const place = placeOf(selected);
  const steps = {
    ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + 20, PageUp: place - 20,
    Home: 0, End: shown.length - 1,
  };
  if (!Object.hasOwn(steps, event.key) || !shown.length) return;
  event.preventDefault();
  select(shown[Math.min(shown.length - 1, Math.max(0, steps[event.key]))]);
}

// MARK: One dispatch

function select(one) {
  selected = one;
  draw();
}
// Draws the parts that may have changed. A newly selected dispatch scrolls into view, unless the page follows
// new dispatches and the user has scrolled away from the end of the list.
let drawn, drawnPin, drawnLinks;
function draw() {
  const isOther = drawn !== selected || drawnPin !== pinned;
  const isAtEnd = timeline.scrollTop + timeline.clientHeight >= $("space").offsetHeight - rowHeight;
  if (drawn !== selected && selected && (isAtEnd || !isFollowing)) {
    // The list gets its new height before it scrolls.
    $("space").style.height = shown.length * rowHeight + "px";
    const top = placeOf(selected) * rowHeight;
    const bottom = top + rowHeight - timeline.clientHeight;
    if (top >= 0) timeline.scrollTop = Math.min(top, Math.max(bottom, timeline.scrollTop));
  }
  drawTimeline();
  const count = links.size + variables.length;
  if (isOther || drawnLinks !== count) drawDetails();
  [drawn, drawnPin, drawnLinks] = [selected, pinned, count];
  isFollowing = false;
}
// The selected value before the first dispatch.
const nothing = { number: 0, changes: [], stores: [], created: [], released: [], changed: [] };
function drawDetails() {
  const one = selected ?? nothing;
  $("about").textContent = one === nothing ? "Nothing has been dispatched."
    : `${one.type} · ${one.time} · ${duration(one.nanoseconds)} · ${one.file}:${one.line}`;
  trees.state.draw(one === nothing ? [] : [valueItem("state", undefined, one.state, { room: 1_000 })]);
  drawChanges(one);
  drawFlow(one);
  trees.stores.draw(storeItems(one));
}

const trees = {
  state: new FoldingTree($("state"), "State", (item) => nameCopyButton($("copy-state"), item)),
  changes: new FoldingTree($("changes"), "Changes"),
  stores: new FoldingTree($("stores"), "Stores", (item) => nameCopyButton($("copy-stores"), item)),
};
function nameCopyButton(button, item) {
  button.textContent = item?.label === undefined ? "Copy as JSON" : `Copy ${item.label} as JSON`;
}
$("copy-state").onclick = () => copy(trees.state.selectedItem?.json ?? (selected && (() => toJSON(selected.state))));
$("copy-stores").onclick = () => copy(trees.stores.selectedItem?.json ?? (() => toJSON(treeOfStores())));
$("search").addEventListener("input", () => {
  search($("search").value);
  drawDetails();
});

// MARK: The stores

function variablesByStore() { return Map.groupBy(variables, (variable) => variable.store); }

function storeItems({ number }) {
  const items = [...variablesByStore()].map(([store, contents]) => {
    const found = contents.map((variable) => variableItem(variable, number));
    const shown = query && !isFound(store, "t") ? found.filter((item) => item.isHere || item.isOpen) : found;
    return {
      key: `${query && "?"}store/${store}`, label: store, className: "store", isOpen: true,
      count: shown.length,
      value: (isOpen) => isOpen ? "" : element("span", `${contents.length} variables`, "soft"),
      children: () => shown,
      json: () => toJSON(treeOfStore(contents, number)),
    };
  });
  if (!query) return items;
  const found = items.filter((item) => item.count);
  return found.length ? found : [{ key: "?", className: "soft", value: () => "No value contains the text." }];
}
function variableItem(variable, number) {
  const { changed, value } = valueAt(variable, number);
  const className = "variable" + (changed === number ? " changed" : "");
  return valueItem(`variable/${variable.number}`, variable.name, value, { className });
}
const treeOfStore = (contents, number) =>
  ["d", "", 0, ...contents.flatMap((variable) => [variable.name, valueAt(variable, number).value])];
const treeOfStores = () => ["d", "", 0, ...[...variablesByStore()].flatMap(([store, contents]) =>
  [store, treeOfStore(contents, (selected ?? nothing).number)])];

// MARK: The changes

function drawChanges(one) {
  const items = pinned ? comparedItems(one)
    : [...storeChangeItems(one), ...one.changes.map((change) => changeItem(variables[change.number], change))];
  const note = pinned ? "Both moments have the same values." : "Nothing has changed.";
  $("changes-title").textContent = pinned ? "Differences" : "Changes";
  $("compared").textContent = pinned ? `Compared with dispatch ${pinned.sequence}` : "";
  $("pin").textContent = pinned ? "Unpin" : "Pin";
  $("pin").setAttribute("aria-pressed", Boolean(pinned));
  $("pin").disabled = one === nothing;
  trees.changes.draw(items.length || one === nothing ? items
    : [{ key: "nothing", className: "soft", value: () => note }]);
}
// Returns the stores that were created and released before the dispatch.
function storeChangeItems({ created, released }) {
  const item = (line, className) => ({ key: line, className, value: () => [element("span", line, className)] });
  return [...released.map((store) => item(`− ${store} was released`, "old")),
    ...created.map((store) => item(`+ ${store} was created`, "new"))];
}
function changeItem(variable, { parts, rest = [], old, new: value }) {
  const key = `change/${variable.number}`;
  const [first] = parts;
  const isOneValue = parts.length === 1 && first.path === "" && !first.isCount;
  const isPlain = isOneValue && !hasParts(first.old) && !hasParts(first.new) && areSame(first.old, old);
  const wholes = () => [
    valueItem(`${key}/before`, "− before", old, { className: "whole old" }),
    valueItem(`${key}/after`, "+ after", value, { className: "whole new" }),
  ];
  const isEqual = !parts.length && !rest.length;
  const listed = isOneValue ? [] : parts;
  return {
    key, label: label(variable), className: "change",
    // The path of the first part continues the name of the variable.
    separator: first?.path && !isNew(first) ? "" : ": ",
    value: (isOpen) => isOpen && !isOneValue ? summary(parts.filter((part) => part.isCount && !part.path), [])
      : isEqual ? `${text(value, 300)}, which is equal` : summary(parts, rest),
    children: isPlain || isEqual ? undefined : () => [
      ...listed.map((part) => partItem(`${key}/${part.path}/${part.new === undefined}`, part)),
      ...rest.map((phrase) => ({ key: `${key}/${phrase}`, className: "soft", value: () => `… ${phrase}` })),
      ...wholes(),
    ],
    json: () => toJSON(value),
  };
}
// A changed part. A new or removed part with parts of its own folds like its value.
function partItem(key, { path, old, new: value, isCount }) {
  if (isCount) return { key, label: path || undefined, className: "count", value: () => countNodes(old, value) };
  const trees = [old, value].map((tree, place) =>
    tree !== undefined && valueItem(`${key}/${place}`, place ? "+" : "−", tree, { className: place ? "new" : "old" }));
  const children = trees.filter((item) => item);
  const isFolding = children.some((item) => item.children);
  return {
    key, label: path, className: "part",
    value: (isOpen) => isOpen ? "" : [
      ...(old !== undefined ? [element("span", `− ${text(old, 200)}`, "old")] : []),
      ...(value !== undefined ? [element("span", `+ ${text(value, 200)}`, "new")] : []),
    ],
    children: isFolding ? () => children : undefined,
    json: () => toJSON(value ?? old),
  };
}
const countNodes = (old, value) =>
  [element("span", text(old), "old"), " → ", element("span", text(value), "new")];

// Returns one line with the first changed parts.
function summary(parts, rest) {
  const nodes = parts.slice(0, 3).flatMap((part, place) => [...(place ? [", "] : []), ...partNodes(part)]);
  if (!parts.length) return rest.join(", ");
  return parts.length > 3 || rest.length ? [...nodes, ", …"] : nodes;
}
function partNodes({ path, old, new: value, isCount }) {
  const prefix = path ? [element("span", `${path}: `, "soft")] : [];
  if (isCount) return [...prefix, ...countNodes(old, value)];
  // The text of a new or removed element names the element better than its path.
  if (old === undefined) return [element("span", `+ ${named(path, value)}`, "new")];
  if (value === undefined) return [element("span", `− ${named(path, old)}`, "old")];
  const room = path ? 60 : 120;
  return [...prefix, element("span", text(old, room), "old"), " → ", element("span", text(value, room), "new")];
}
const isNew = (part) => part.old === undefined || part.new === undefined;
const named = (path, tree) => hasParts(tree) && tree[0] === "f" ? brief(tree) : `${path}: ${brief(tree)}`;

// MARK: The comparison with the pinned dispatch

function togglePin() {
  pinned = pinned || !selected ? undefined : selected;
  draw();
}
$("pin").onclick = togglePin;

function comparedItems(one) {
  return variables.flatMap((variable) => {
    const [before, after] = [valueAt(variable, pinned.number), valueAt(variable, one.number)];
    if (before.changed === after.changed) return [];
    const [old, value] = [before.value, after.value];
    const change = isWhole(old) && isWhole(value) ? { parts: difference(old, value), rest: [] }
      : changesBetween(variable, before.changed, after.changed);
    return change.parts.length || change.rest.length ? [changeItem(variable, { ...change, old, new: value })] : [];
  });
}
// Joins the changes between two moments. The trees of a large value can't be compared, because they don't contain
// all parts.
function changesBetween(variable, before, after) {
  const [first, last] = [Math.min(before, after), Math.max(before, after)];
  const start = countWhere(variable.history, (entry) => entry.number <= first);
  const end = countWhere(variable.history, (entry) => entry.number <= last);
  const joined = new JoinedChanges();
  const rest = new Set();
  for (const { change } of variable.history.slice(start, end)) {
    joined.add(change.parts);
    if (change.rest) rest.add("more changes than the page contains");
  }
  return { parts: joined.parts("", before > after), rest: [...rest] };
}

// MARK: The picture

const caption = (node, column) => column < 3 ? node : column === 3 ? label(variables[node])
  : variables[node].observers === 1 ? "1 observer" : `${variables[node].observers} observers`;

function drawFlow(one) {
  const observed = variables.filter((variable) => variable.observers > 0)
    .map((variable) => variable.number);
  const columns = [[...types], ["Dispatcher"], [...stores], [...variables.keys()], observed];
  const places = columns.map((column) => new Map(column.map((node, row) => [node, row])));
  const lit = [new Set([one.type]), new Set(["Dispatcher"]), new Set(one.stores),
    new Set(one.changed), new Set(one.changed)];
  const [width, gap, step] = [210, 60, 34];
  const rows = Math.max(...columns.map((column) => column.length), 1);
  const y = (column, row) => (row + .5) * step * rows / columns[column].length;
  const create = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
    return node;
  };
  const nodes = [];
  const toObservers = observed.map((number) => ({ column: 3, from: number, to: number }));
  [...links.values(), ...toObservers].forEach(({ column, from, to }) => {
    const isLit = lit[column].has(from) && lit[column + 1].has(to);
    const [x, end] = [column * (width + gap) + width, (column + 1) * (width + gap)];
    const [start, finish] = [y(column, places[column].get(from)),
      y(column + 1, places[column + 1].get(to))];
    const path = create("path", { class: isLit ? "lit" : "",
      d: `M${x} ${start} C${x + gap / 2} ${start} ${end - gap / 2} ${finish} ${end} ${finish}` });
    if (isLit) nodes.push(path); else nodes.unshift(path);
  });
  columns.forEach((column, place) => column.forEach((name, row) => {
    const group = create("g", { class: lit[place].has(name) ? "lit" : "" });
    const x = place * (width + gap);
    group.append(create("rect", { x, y: y(place, row) - 12, width, height: 24, rx: 6 }));
    const text = create("text", { x: x + 8, y: y(place, row) + 4 });
    const shownName = caption(name, place);
    text.textContent = shownName.length > 28 ? shownName.slice(0, 27) + "…" : shownName;
    const title = create("title", {});
    title.textContent = shownName;
    group.append(text, title);
    nodes.push(group);
  }));
  $("flow").setAttribute("viewBox", `0 0 ${5 * width + 4 * gap} ${rows * step}`);
  $("flow").replaceChildren(...nodes);
}
