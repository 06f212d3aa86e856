export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** Uniform in [0, 1). */
  unit(): number;
}
