/** What a mutation is. How its changes find the code that they break is told in edits.ts. */

export interface Mutation {
  readonly name: string;
  /** What is broken. */
  readonly about: string;
  readonly changes: readonly Change[];
  /** Scenarios that should notice, the quickest first. */
  readonly scenarios: readonly string[];
  /** Committee size. Default: 4. */
  readonly size?: number;
}

type Code = (...holes: never[]) => unknown;

/** One expression that is replaced by another. It is read, never run: edits.ts takes it from the syntax tree. */
export interface Change {
  /** The folder that holds the expression, exactly once: in which of its files does not matter. */
  readonly within: string;
  /**
   * The function that holds it, itself or by its name, where the folder has the same expression more than once. A list: each
   * inside the one before.
   */
  readonly inside?: Code | string | readonly (Code | string)[];
  /** All places that have the expression are changed. Default: it is a fault when there is more than one. */
  readonly everywhere?: true;
  /**
   * An arrow function that returns the expression and its replacement. A parameter stands for any expression, and for the same
   * one wherever it occurs; imported names and names of properties stand for themselves.
   */
  readonly replace: (...holes: never[]) => Pair | Promise<Pair>;
}

type Pair = readonly [expression: unknown, replacement: unknown];
