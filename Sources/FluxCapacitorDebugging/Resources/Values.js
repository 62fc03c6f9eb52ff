"use strict";

// MARK: Trees of values

// A tree is a string if the value has no parts. Its first character is the form: "n" for a number, a Boolean or
// nil, "s" for a string, and "t" for a description. The value's text follows.
//
// A tree is a list if the value has parts. The list contains the form ("f" for fields, "e" for elements, "d" for a
// dictionary), the name, the number of omitted parts, and then the label and the tree of each part.

const parts = (tree) => {
  const list = [];
  if (Array.isArray(tree)) {
    for (let place = 3; place < tree.length; place += 2) list.push([tree[place], tree[place + 1]]);
  }
  return list;
};
const omittedParts = (tree) => Array.isArray(tree) ? tree[2] : 0;
const hasParts = (tree) => Array.isArray(tree) && (tree.length > 3 || tree[2] > 0);
const isWhole = (tree) => omittedParts(tree) === 0 && parts(tree).every(([, part]) => isWhole(part));
const areSame = (one, other) => one === other
  || Array.isArray(one) && Array.isArray(other) && one.length === other.length
    && one.every((part, place) => areSame(part, other[place]));

// Returns a text as a string literal. Invisible characters and unusual spaces are escaped, except joiners, variation
// selectors and tags after a character that they can change.
const hidden = /[^\S ]|[\x7f-\x9f]|(?=\p{Default_Ignorable_Code_Point})(?:[^\p{Mn}\p{Join_Control}\u{e0020}-\u{e007f}]|(?<=[\0-\x7f]).)/gu;
const literal = (text) => JSON.stringify(text).replace(hidden, (one, at, all) =>
  /\p{Mn}/u.test(one) && /[#*\d]/.test(all[at - 1]) ? one : `\\u{${one.codePointAt(0).toString(16).toUpperCase()}}`);

// Returns the text of a tree as in source code. If the text is longer than `room`, the text ends early.
function text(tree, room = Infinity) {
  if (!Array.isArray(tree)) {
    const own = tree.slice(1);
    const shown = own.length > room ? own.slice(0, room) + "…" : own;
    return tree[0] === "s" ? literal(shown) : shown;
  }
  const [form, name, omitted] = tree;
  let list = "";
  for (const [label, part] of parts(tree)) {
    if (list) list += ", ";
    if (list.length > room) return wrapped(form, name, list + "…");
    list += (form === "e" || !label ? "" : label + ": ") + text(part, room - list.length);
  }
  if (omitted) list += (list && ", ") + `${omitted} more …`;
  return wrapped(form, name, list);
}
function wrapped(form, name, list) {
  if (form === "f") return `${name}(${list})`;
  return form === "d" && !list ? "[:]" : `[${list}]`;
}

// Returns a short text that identifies a value, such as `Repository "octocat/pearl"`.
function brief(tree) {
  if (tree[0] !== "f") return text(tree, 80);
  const leaves = parts(tree).filter(([, part]) => !hasParts(part));
  const named = leaves.find(([label, part]) => part[0] === "s" && /^(name|title|login|text)/i.test(label))
    ?? leaves.find(([label, part]) => part[0] === "s" && !/id$/i.test(label)) ?? leaves[0];
  return named ? `${tree[1]} ${text(named[1], 60)}`.trim() : text(tree, 80);
}

// MARK: JSON

// Returns a tree as JSON. A number keeps all of its digits.
function toJSON(tree, indent = "") {
  if (!Array.isArray(tree)) return leafJSON(tree);
  const [form, name] = tree;
  const list = parts(tree);
  const isCase = form === "f" && name.includes(".");
  const inner = isCase ? indent + "  " : indent;
  const isList = form === "e" || form === "f" && list.length > 0 && list.every(([label]) => !label);
  const contents = isCase && list.length === 1 && isList ? toJSON(list[0][1], inner)
    : isList ? listJSON(list, tree[2], inner) : objectJSON(list, tree[2], inner);
  return isCase ? `{\n${inner}${JSON.stringify(name.replace(/^\./, ""))}: ${contents}\n${indent}}` : contents;
}
function leafJSON(tree) {
  const own = tree.slice(1);
  if (tree[0] !== "n") return JSON.stringify(own);
  if (own === "nil") return "null";
  return /^(-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?|true|false)$/i.test(own) ? own : JSON.stringify(own);
}
function listJSON(list, omitted, indent) {
  const items = list.map(([, part]) => toJSON(part, indent + "  "));
  if (omitted) items.push(JSON.stringify(`… ${omitted} more`));
  return enclosed("[", items, "]", indent);
}
function objectJSON(list, omitted, indent) {
  const items = list.map(([label, part], place) =>
    `${JSON.stringify(keyOf(label || String(place)))}: ${toJSON(part, indent + "  ")}`);
  if (omitted) items.push(`"…": ${JSON.stringify(`${omitted} more`)}`);
  return enclosed("{", items, "}", indent);
}
function enclosed(start, items, end, indent) {
  if (!items.length) return start + end;
  return `${start}\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${end}`;
}
// The label of an entry is the key in its written form, such as a string in quotation marks.
function keyOf(label) {
  if (!label.startsWith('"')) return label;
  try { return JSON.parse(label); } catch { return label.slice(1, -1); }
}

// MARK: The difference between two trees

// Returns the changed parts, each as its path, its old tree if any, its new tree if any, and whether the part is a
// count.
function difference(old, value, path = "") {
  if (areSame(old, value)) return [];
  if (!Array.isArray(old) || !Array.isArray(value) || old[0] !== value[0] || old[1] !== value[1]) {
    return [{ path, old, new: value }];
  }
  const form = old[0];
  const [formers, news] = [entries(old), entries(value)];
  if (!formers || !news) return [...countChange(old, value, path), ...listDifference(old, value, path)];
  const changes = form === "f" ? [] : countChange(old, value, path);
  for (const [label, part] of formers) {
    if (!news.has(label)) changes.push({ path: path + step(old, label), old: part });
  }
  for (const [label, part] of news) {
    const deeper = path + step(old, label);
    if (formers.has(label)) changes.push(...difference(formers.get(label), part, deeper));
    else changes.push({ path: deeper, new: part });
  }
  return form === "e" ? [...changes, ...orderChange(formers, news, path)] : changes;
}
// Returns the parts by their labels, or undefined if a list has elements without ids or with equal ids.
function entries(tree) {
  const list = parts(tree).map(([label, part], place) => [label || (tree[0] === "e" ? "" : `${place}`), part]);
  const map = new Map(list);
  return map.size === list.length && !(tree[0] === "e" && map.has("")) ? map : undefined;
}
function step(tree, label) {
  if (tree[0] !== "f") return `[${label}]`;
  // The payload of an enum case has no label.
  return tree[1].startsWith(".") && /^\d+$/.test(label) ? tree[1] : `.${label}`;
}
// Returns a tree with another part at a path, or without the part if there is no other part. If the part is new, it
// comes before the part that is at the path, or after all parts.
function replacing(tree, path, part, isNew = false) {
  if (path === "") return part;
  if (!Array.isArray(tree)) return tree;
  for (let place = 3; place < tree.length; place += 2) {
    const own = step(tree, tree[place] || String((place - 3) / 2));
    const rest = path.slice(own.length);
    if (!path.startsWith(own) || !/^([.[]|$)/.test(rest)) continue;
    const isInserted = isNew && rest === "";
    const inner = isInserted ? part : replacing(tree[place + 1], rest, part, isNew);
    return [...tree.slice(0, place), ...(inner === undefined ? [] : [isInserted ? "" : tree[place], inner]),
      ...tree.slice(isInserted ? place : place + 2)];
  }
  const [, label] = /^\[(.*)\]$/.exec(path) ?? [];
  return isNew && label && !tree[2] ? [...tree, tree[0] === "e" ? "" : label, part] : tree;
}
function countChange(old, value, path) {
  const [before, after] = [old, value].map((tree) => (tree.length - 3) / 2 + tree[2]);
  return before === after ? [] : [{ path, old: `t${before}`, new: `t${after} elements`, isCount: true }];
}
// Compares lists without ids. The elements before the first change and after the last change are the same.
function listDifference(old, value, path) {
  const [formers, news] = [old, value].map((tree) => parts(tree).map(([, part]) => part));
  const shorter = Math.min(formers.length, news.length);
  let start = 0;
  while (start < shorter && areSame(formers[start], news[start])) start += 1;
  let end = 0;
  while (end < shorter - start && areSame(formers.at(-1 - end), news.at(-1 - end))) end += 1;
  const changes = [];
  for (let place = start; place < Math.max(formers.length, news.length) - end; place += 1) {
    const [former, part] = [place < formers.length - end ? formers[place] : undefined,
      place < news.length - end ? news[place] : undefined];
    const own = `${path}[${place}]`;
    if (former !== undefined && part !== undefined) changes.push(...difference(former, part, own));
    else changes.push({ path: own, old: former, new: part });
  }
  return changes;
}
function orderChange(formers, news, path) {
  const before = [...formers.keys()].filter((label) => news.has(label));
  const after = [...news.keys()].filter((label) => formers.has(label));
  const start = before.findIndex((label, place) => label !== after[place]);
  if (start < 0) return [];
  const order = (labels) => `t${labels.slice(start, start + 5).join(", ")}${labels.length > start + 5 ? ", …" : ""}`;
  return [{ path: `${path} order`, old: order(before), new: order(after) }];
}
