/**
 * Runs inside a new realm, before any other script: removes what is not in the lists, and freezes the rest, so that no call of an
 * application leaves anything behind for the next one.
 *
 * The realm gets the source of this function. It may use nothing from outside of itself but the language.
 */

export interface Lists {
  readonly globals: readonly string[];
  readonly math: readonly string[];
  /** By the path of the holder from the global object; "*" is every member. */
  readonly removed: Readonly<Record<string, readonly string[]>>;
}

/** Throws when the engine does not let a name go. */
export function lockDown({ globals, math, removed }: Lists): void {
  const { deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { defineProperty, freeze } = Object;
  const realm: object = globalThis;

  const member = (holder: unknown, name: string): unknown =>
    name === '__proto__' ? getPrototypeOf(holder as object) : (holder as Record<string, unknown>)[name];

  function remove(holder: object, name: string | symbol): void {
    if (!deleteProperty(holder, name)) throw new TypeError(`this engine does not let ${String(name)} go`);
  }

  /** Objects that only syntax reaches. */
  function fromSyntax(): unknown[] {
    const lists = [[].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator]()];
    const functions = [() => {}, function* () {}, async () => {}, async function* () {}];
    return [
      ...lists,
      [].values().map(() => 0),
      Iterator.from({ next: () => ({ done: true, value: 0 }) }),
      ...functions,
    ].map((each) => getPrototypeOf(each));
  }

  function freezeAll(first: readonly unknown[]): void {
    const waiting = [...first];
    const seen = new Set<unknown>([realm]);
    while (waiting.length > 0) {
      const each = waiting.pop();
      if (each === null || (typeof each !== 'object' && typeof each !== 'function') || seen.has(each)) continue;
      seen.add(each);
      freeze(each);
      waiting.push(getPrototypeOf(each));
      for (const key of ownKeys(each)) {
        const found = getOwnPropertyDescriptor(each, key);
        waiting.push(found?.value, found?.get, found?.set);
      }
    }
  }

  for (const [path, names] of Object.entries(removed)) {
    const holder = path.split('.').reduce(member, realm as unknown) as object;
    for (const name of names[0] === '*' ? ownKeys(holder) : names) remove(holder, name);
  }
  const exact = Object.fromEntries(math.map((name) => [name, member(Math, name)]));
  defineProperty(realm, 'Math', { value: exact });
  // Stacks name files and places in them, which two builds of one script may place otherwise.
  Error.stackTraceLimit = 0;
  const globalValues = ownKeys(realm).map((key) => getOwnPropertyDescriptor(realm, key)?.value);
  freezeAll([getPrototypeOf(realm), ...globalValues, ...fromSyntax()]);
  const retained = new Set(globals);
  for (const key of ownKeys(realm)) if (typeof key !== 'string' || !retained.has(key)) remove(realm, key);
  freeze(realm);
}
