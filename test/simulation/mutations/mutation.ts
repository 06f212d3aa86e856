/** Mutations. edits.ts finds the code that their changes break. */

export interface Mutation {
  readonly name: string;
  /** The broken rule. */
  readonly about: string;
  readonly changes: readonly Change[];
  /** Scenarios that should detect it, the quickest first. */
  readonly scenarios: readonly string[];
  /** Committee size. Default: 4. */
  readonly size?: number;
}

type Code = (...holes: never[]) => unknown;

/** One expression and its replacement. The code is never run: edits.ts reads its syntax tree. */
export interface Change {
  /** The folder that contains the expression exactly once, in any file. */
  readonly within: string;
  /** The enclosing function or its name, if the expression occurs more than once in the folder. A list: each inside the one before. */
  readonly inside?: Code | string | readonly (Code | string)[];
  /** Changes all places with the expression. Default: more than one place is a fault. */
  readonly everywhere?: true;
  /**
   * An arrow function that returns the expression and its replacement. A parameter stands for any expression, the same one at each use;
   * imported names and property names stand for themselves.
   */
  readonly replace: (...holes: never[]) => Pair | Promise<Pair>;
}

type Pair = readonly [expression: unknown, replacement: unknown];
