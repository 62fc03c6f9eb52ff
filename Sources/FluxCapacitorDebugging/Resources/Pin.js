
// MARK: The changes of several dispatches

// The changes of a value by several dispatches, joined into the changes between two moments.
class JoinedChanges {
  // The changed parts by their paths, and the changed lists whose elements have no ids. A path with a count has its
  // own key.
  joined = new Map();

  // Adds the changed parts of one dispatch.
  add(parts) {
    // The `places` of a part tell where its path has the position of an element instead of an id or a key.
    const listOf = (part) => part.places?.length ? part.path.slice(0, part.places[0]) : undefined;
    for (const [path, list] of Map.groupBy(parts, listOf)) {
      if (path === undefined) list.forEach((part) => this.addPart(part));
      else this.addElements(path, elementChanges(list));
    }
  }

  addPart(part) {
    const { path, old, isCount } = part;
    const outer = this.outer(path);
    if (outer) {
      if (!isCount) outer.replace(path, part.new, old === undefined);
      return;
    }
    const key = isCount ? `${path} count` : path;
    const former = this.joined.get(key);
    this.joined.set(key, former ? { ...part, old: former.old } : part);
  }

  addElements(path, { removed, inserted, changed }) {
    const outer = this.outer(`${path}[`);
    if (outer) {
      const own = (element) => `${path}[${element.position}]${element.path}`;
      removed.forEach((element) => outer.replace(own(element)));
      inserted.forEach((element) => outer.replace(own(element), element.new, true));
      changed.forEach((element) => outer.replace(own(element), element.new, element.old === undefined));
      return;
    }
    const key = `${path} list`;
    if (!this.joined.has(key)) this.joined.set(key, new JoinedList(path));
    this.joined.get(key).add(removed, inserted, changed);
  }

  // Returns the earlier changed part that contains the part at a path, if any.
  outer(path) {
    for (let end = path.length - 1; end >= 0; end -= 1) {
      const part = /[.[]/.test(path[end]) && this.joined.get(path.slice(0, end));
      if (!part) continue;
      return { replace: (path, value, isNew) => { part.new = replacing(part.new, path.slice(end), value, isNew); } };
    }
    return undefined;
  }

  // Returns the value before all changes, from the value after them.
  before(tree) {
    return [...this.joined.values()].reduce((tree, part) =>
      part instanceof JoinedList || part.isCount ? tree : replacing(tree, part.path, part.old), tree);
  }

  // Returns the changed parts from the first moment to the second moment, or the other way round.
  parts(path, isReversed) {
    return [...this.joined.values()].flatMap((part) => {
      if (part instanceof JoinedList) return part.parts(path, isReversed);
      const isSame = part.isCount ? `${part.old} elements` === part.new : areSame(part.old, part.new);
      return isSame ? [] : [{ ...(isReversed ? reversed(part) : part), path: path + part.path }];
    });
  }
}

// The changes of a list whose elements have no ids. The slots stand for the elements in their order: a slot with a
// `value` for a new element, and another slot for `count` elements from the position `first` on.
class JoinedList {
  slots = [{ first: 0, count: Infinity }];
  removed = [];

  constructor(path) { this.path = path; }

  add(removed, inserted, changed) {
    for (const { position, old } of removed) {
      const [slot] = this.slots.splice(this.isolate(position), 1);
      if (slot.value === undefined) this.removed.push({ first: slot.first, old: slot.changes?.before(old) ?? old });
    }
    for (const element of inserted) this.slots.splice(this.split(element.position), 0, { value: element.new });
    for (const [position, parts] of Map.groupBy(changed, (element) => element.position)) {
      const slot = this.slots[this.isolate(position)];
      if (slot.value === undefined) (slot.changes ??= new JoinedChanges()).add(parts);
      else for (const part of parts) slot.value = replacing(slot.value, part.path, part.new, part.old === undefined);
    }
  }

  // Returns the place of the slot that begins at a position.
  split(position) {
    for (let place = 0, rest = position; ; place += 1) {
      const { first, count = 1 } = this.slots[place];
      if (rest === 0) return place;
      if (rest < count) {
        this.slots.splice(place, 1, { first, count: rest }, { first: first + rest, count: count - rest });
        return place + 1;
      }
      rest -= count;
    }
  }

  // Returns the place of the slot of one element.
  isolate(position) {
    const place = this.split(position);
    this.split(position + 1);
    return place;
  }

  parts(prefix, isReversed) {
    const path = (position) => `${prefix}${this.path}[${position}]`;
    const turned = (part) => isReversed ? reversed(part) : part;
    const parts = this.removed.sort((one, other) => one.first - other.first)
      .map(({ first, old }) => turned({ path: path(first), old }));
    let position = 0;
    for (const { first, count = 1, value, changes } of this.slots) {
      if (value !== undefined) parts.push(turned({ path: path(position), new: value }));
      if (changes) parts.push(...changes.parts(path(isReversed ? first : position), isReversed));
      position += count;
    }
    return parts;
  }
}

// Returns the changed elements of a list in the order in which they must be joined, with their positions.
function elementChanges(parts) {
  const elements = parts.map((part) => {
    const [start, ...places] = part.places;
    const end = part.path.indexOf("]", start) + 1;
    return {
      ...part, position: Number(part.path.slice(start + 1, end - 1)), path: part.path.slice(end),
      places: places.map((place) => place - end),
    };
  });
  const isRemoved = (element) => element.path === "" && element.new === undefined;
  const isInserted = (element) => element.path === "" && element.old === undefined;
  return {
    // A removed element has its former position, and another element has its new position.
    removed: elements.filter(isRemoved).sort((one, other) => other.position - one.position),
    inserted: elements.filter(isInserted).sort((one, other) => one.position - other.position),
    changed: elements.filter((element) => !isRemoved(element) && !isInserted(element)),
  };
}

function reversed({ path, old, new: value, isCount }) {
  return isCount ? { path, old: value.replace(" elements", ""), new: `${old} elements`, isCount }
    : { path, old: value, new: old };
}
