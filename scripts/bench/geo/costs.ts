/** Costs of a member's work, in ms of one thread: measured at the start (measure-costs.ts), or zero. */

/** Main thread: frames by kind, answers of the verifier thread, finished fsyncs, timers. */
export const WORK_KINDS = ['consensus', 'proposal', 'heartbeat', 'other', 'answer', 'synced', 'timer'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

export interface Costs {
  readonly signMs: number;
  /** Verifier thread: a proposal's signature or one vote's. */
  readonly proposalCheckMs: number;
  /** Verifier thread: a quorum of so many votes, with decoding. */
  quorumMs(votes: number): number;
  /** Verifier thread: the sum of so many votes that were all checked before. */
  sumMs(votes: number): number;
  /** Verifier thread: an aggregate of so many signers. */
  certificateMs(signers: number): number;
  /** Verifier thread: one Ed25519 signature. */
  readonly accountMs: number;
  /** Round trip to the verifier thread, without work. */
  readonly hopMs: number;
  readonly syncMs: number;
  /** Main thread: an event of the core with its effects, without sending. */
  workMs(kind: WorkKind): number;
  /** Main thread: one frame to or from one peer (encryption, framing, system calls). */
  readonly frameOutMs: number;
  readonly frameInMs: number;
}

export const NO_COSTS: Costs = {
  signMs: 0,
  proposalCheckMs: 0,
  quorumMs: () => 0,
  sumMs: () => 0,
  certificateMs: () => 0,
  accountMs: 0,
  hopMs: 0,
  syncMs: 0,
  workMs: () => 0,
  frameOutMs: 0,
  frameInMs: 0,
};

/** Almost zero: each piece of work is a separate event, so that it can be measured. */
const APART_MS = 1e-6;

export const METERING_COSTS: Costs = {
  ...NO_COSTS,
  signMs: APART_MS,
  hopMs: APART_MS,
  workMs: () => APART_MS,
  frameOutMs: APART_MS,
};
