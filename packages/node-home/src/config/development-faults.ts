/** Faults that a development network sets at a node, by a message of the parent process (`development.faults`). */
export interface Faults {
  readonly corruptSignatures: boolean;
  /** 64 hexadecimal digits each; all other links are restored. */
  readonly cutPeers: readonly string[];
}

export interface FaultMessage {
  readonly type: 'faults';
  readonly faults: Faults;
}
