/** Of an artifact: from now on it may run on this node. */
export type AcceptOutcome =
  | {
      readonly type: 'accepted';
      readonly name: string;
      readonly version: number;
      /** From the newest version that was accepted before, a line each. */
      readonly differences: readonly string[];
    }
  /** It is not here. */
  | { readonly type: 'unknown' }
  | { readonly type: 'refused'; readonly detail: string };
