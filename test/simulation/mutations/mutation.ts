export interface Mutation {
  readonly name: string;
  readonly about: string;
  readonly changes: readonly Change[];
  /** That should detect it, the quickest first. */
  readonly scenarios: readonly string[];
  /** Of the committee. Default: 4. */
  readonly size?: number;
}

type Code = (...holes: never[]) => unknown;

/** One expression and its replacement. The code never runs: edits.ts reads its syntax tree. */
export interface Change {
  /** Contains the expression exactly once. */
  readonly within: string;
  /** The enclosing function, if the folder has the expression more than once. A list: each inside the one before. */
  readonly inside?: Code | string | readonly (Code | string)[];
  /** Changes all places. Default: more than one is a fault. */
  readonly everywhere?: true;
  /**
   * Returns the expression and its replacement. A parameter stands for any expression, the same at each use; imported and property names
   * stand for themselves.
   */
  readonly replace: (...holes: never[]) => Pair | Promise<Pair>;
}

type Pair = readonly [expression: unknown, replacement: unknown];
