/**
 * Breadth first, so that a violation has a shortest history.
 *
 * Of a visited state only its name stays, and that of the state before it. A history is found again from its names, so steps are put into
 * words only for the history that is shown.
 */
export interface Model<State> {
  readonly first: State;
  /** Equal at most for states that differ only by the order of members and blocks. */
  readonly nameOf: (state: State) => string;
  readonly stepsFrom: (state: State) => readonly Step<State>[];
  /** A property that does not hold in this state. */
  readonly violated: (state: State) => string | undefined;
}

export interface Step<State> {
  readonly state: State;
  readonly what: () => string;
}

export interface Exploration {
  /** Without those that differ only by names. */
  readonly states: number;
  /** False: `statesMax` or a violation ended it. */
  readonly complete: boolean;
  readonly violation: { readonly property: string; readonly history: readonly string[] } | undefined;
}

export function explore<State>(model: Model<State>, statesMax: number): Exploration {
  const { first, nameOf, stepsFrom, violated } = model;
  const before = new Map<string, string | undefined>([[nameOf(first), undefined]]);
  let layer = [first];
  while (layer.length > 0) {
    const next: State[] = [];
    for (const state of layer) {
      const property = violated(state);
      const name = nameOf(state);
      if (property !== undefined) {
        const history = historyOf(model, namesUpTo(name, before));
        return { states: before.size, complete: false, violation: { property, history } };
      }
      for (const step of stepsFrom(state)) {
        const found = nameOf(step.state);
        if (before.has(found)) continue;
        if (before.size >= statesMax) return { states: before.size, complete: false, violation: undefined };
        before.set(found, name);
        next.push(step.state);
      }
    }
    layer = next;
  }
  return { states: before.size, complete: true, violation: undefined };
}

/** Without the first state's. */
function namesUpTo(last: string, before: ReadonlyMap<string, string | undefined>): string[] {
  const names: string[] = [];
  for (let name = last, earlier = before.get(name); earlier !== undefined; earlier = before.get(name)) {
    names.push(name);
    name = earlier;
  }
  return names.reverse();
}

/** Takes the same steps as the exploration did: of each state the first one that leads to the next name. */
function historyOf<State>({ first, nameOf, stepsFrom }: Model<State>, names: readonly string[]): string[] {
  let state = first;
  return names.map((name) => {
    const step = stepsFrom(state).find((one) => nameOf(one.state) === name);
    if (step === undefined) throw new Error('the names of a history lead from state to state');
    state = step.state;
    return step.what();
  });
}
