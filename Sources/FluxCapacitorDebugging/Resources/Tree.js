
// MARK: Trees that fold

// An item of a tree has these properties:
// - `key` identifies the item in its tree, for all dispatches.
// - `label` and `className` are optional. The `separator` between the label and the value is ": " by default.
// - `value(isOpen)` returns the value as a text, or as a list of nodes.
// - `children()` returns the items inside. An item without `children` doesn't fold.
// - `isOpen` tells whether the item is open until the user folds it.
// - `json()` returns the item as JSON.

// The keys of the items that the user has folded or opened. The items stay so for all dispatches.
const flipped = new Set();

class FoldingTree {
  // The key of the item that the user has selected.
  selected;

  constructor(root, name, onSelect = () => {}) {
    Object.assign(this, { root, onSelect });
    root.setAttribute("role", "tree");
    root.setAttribute("aria-label", name);
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.press(event));
    root.addEventListener("focusin", (event) => this.focused(event.target));
  }

  get nodes() { return [...this.root.querySelectorAll("[role=treeitem]")]; }

  get selectedItem() { return this.nodes.find((node) => node.item.key === this.selected)?.item; }

  draw(items) {
    const hadFocus = this.root.contains(document.activeElement);
    this.root.replaceChildren(...items.map((item) => this.node(item, 1)));
    const nodes = this.nodes;
    const node = nodes.find((node) => node.item.key === this.selected);
    this.mark(node);
    (node ?? nodes[0])?.setAttribute("tabindex", 0);
    // A new dispatch must not move the focus out of the tree.
    if (hadFocus) (node ?? nodes[0] ?? timeline).focus({ preventScroll: true });
    this.onSelect(node?.item);
  }

  // Creates the node of an item. The nodes of its children exist only while the item is open.
  node(item, level) {
    const node = element("li", undefined, item.className);
    node.item = item;
    node.tabIndex = -1;
    node.setAttribute("role", "treeitem");
    node.setAttribute("aria-level", level);
    const isOpen = item.children !== undefined && this.isOpen(item);
    if (item.children) node.setAttribute("aria-expanded", isOpen);
    const line = element("div", undefined, "line");
    const value = element("span", undefined, "value");
    value.append(...[item.value(isOpen)].flat());
    if (item.label !== undefined) {
      const separator = value.textContent ? item.separator ?? ": " : "";
      line.append(element("span", item.label + separator, "label"));
    }
    line.append(value);
    node.append(line);
    node.setAttribute("aria-label", line.textContent.slice(0, 200));
    if (isOpen) {
      const group = element("ul");
      group.setAttribute("role", "group");
      group.append(...item.children().map((child) => this.node(child, level + 1)));
      node.append(group);
    }
    return node;
  }

  isOpen(item) { return flipped.has(item.key) !== Boolean(item.isOpen); }

  toggle(node) {
    if (!node.item.children) return;
    if (!flipped.delete(node.item.key)) flipped.add(node.item.key);
    const other = this.node(node.item, Number(node.getAttribute("aria-level")));
    node.replaceWith(other);
    other.focus({ preventScroll: true });
  }

  focused(node) {
    if (!node.item) return;
    this.selected = node.item.key;
    this.mark(node);
    this.onSelect(node.item);
  }

  // Marks the selected node, which the Tab key reaches.
  mark(node) {
    if (!node) return;
    for (const other of this.root.querySelectorAll("[aria-selected], [tabindex='0']")) {
      other.removeAttribute("aria-selected");
      other.tabIndex = -1;
    }
    node.setAttribute("aria-selected", true);
    node.tabIndex = 0;
  }

  click(event) {
    const line = event.target.closest(".line");
    // A click that ends the selection of a text doesn't fold the item.
    if (!line || String(getSelection())) return;
    line.parentNode.focus({ preventScroll: true });
    this.toggle(line.parentNode);
  }

  press(event) {
    const node = event.target;
    if (!node.item || event.ctrlKey || event.metaKey || event.altKey) return;
    const nodes = this.nodes;
    const place = nodes.indexOf(node);
    const isOpen = node.getAttribute("aria-expanded") === "true";
    const parent = node.parentNode.closest("[role=treeitem]");
    const moves = {
      ArrowDown: () => nodes[place + 1], ArrowUp: () => nodes[place - 1],
      Home: () => nodes[0], End: () => nodes.at(-1),
      ArrowRight: () => isOpen ? nodes[place + 1] : this.toggle(node),
      ArrowLeft: () => isOpen ? this.toggle(node) : parent,
      Enter: () => this.toggle(node), " ": () => this.toggle(node),
      c: () => copy(node.item.json),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    // The page's own keys, such as the arrow keys that step through the dispatches, are for other elements.
    event.stopPropagation();
    const other = moves[event.key]();
    if (other instanceof Element) other.focus();
  }
}

// MARK: Items of values

// The searched text in lower case, or an empty text.
let query = "";
const isFound = (label, tree) => query !== ""
  && `${label}\n${Array.isArray(tree) ? tree[1] : tree.slice(1)}`.toLowerCase().includes(query);
const hasFound = (tree) => query !== ""
  && parts(tree).some(([label, part]) => isFound(label, part) || hasFound(part));
function search(text) {
  // The items that the user has folded or opened during a search don't stay so after the search.
  for (const key of flipped) if (key.startsWith("?")) flipped.delete(key);
  query = text.toLowerCase();
}

function valueItem(key, label, tree, { className = "", name = label ?? "", room = 200 } = {}) {
  const isHere = isFound(name, tree);
  return {
    key: (query && "?") + key, label,
    className: className + (isHere ? " found" : ""),
    isHere, isOpen: hasFound(tree),
    value: (isOpen) => isOpen ? openText(tree) : element("span", text(tree, room), tree[0]),
    children: hasParts(tree) ? () => partItems(key, tree, isHere) : undefined,
    json: () => toJSON(tree),
  };
}
function partItems(key, tree, showsAll) {
  const isList = tree[0] === "e";
  const items = parts(tree).map(([label, part], place) => {
    const shown = label ? (isList ? `[${label}]` : label) : isList ? `[${place}]` : undefined;
    return valueItem(`${key}/${label || place}`, shown, part);
  });
  const found = query && !showsAll ? items.filter((item) => item.isHere || item.isOpen) : items;
  if (tree[2]) {
    const note = `… ${tree[2]} more`;
    found.push({ key: `${key}/…`, className: "soft", value: () => note, json: () => JSON.stringify(note) });
  }
  return found;
}
// An open value shows only its name or its count, because its parts follow.
function openText(tree) {
  if (tree[0] === "f" && tree[1]) return tree[1];
  const count = (tree.length - 3) / 2 + tree[2];
  return element("span", count === 1 ? "1 element" : `${count} elements`, "soft");
}

// MARK: The clipboard

// The last copied text.
let copied = "";
async function copy(json) {
  if (!json) return;
  copied = json();
  const isCopied = await navigator.clipboard?.writeText(copied).then(() => true, () => false)
    || copyWithCommand(copied);
  $("copied").textContent = isCopied ? `Copied ${copied.length} characters.` : "The browser can't copy.";
}
// A browser offers `navigator.clipboard` only in a secure context, and only if the page has the permission.
function copyWithCommand(text) {
  const focus = document.activeElement;
  const area = element("textarea", text);
  area.style.position = "fixed";
  area.style.opacity = 0;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  focus?.focus({ preventScroll: true });
  return isCopied;
}
