/**
 * Reads that a light client answers: what a node says counts with a proof that holds alone.
 *
 *   read --> a node --proof--> holds? --yes--> answer
 *               ^                 \--no--> false-proof: excluded --\
 *               \---------------- next node <--no answer-----------/     none left: ClientError `unproven`
 *
 * That something does not exist is proven by proofs of state only, never by an answer of "unknown".
 */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import type { AnswerOf, BlockView } from '@slipstream/schema';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import type { ProvenRead } from '../proven-values.ts';
import { verifyDirectoryProof } from '../verify-directory.ts';
import { verifyProof } from '../verify-proof.ts';
import { verifyRowProof } from '../verify-row-proof.ts';
import { verifyStateProof } from '../verify-state-proof.ts';
import { askBlockProof, type BlockProof, verifyBlocks } from './block-proof.ts';
import type { Check, JudgedFault, LightChain } from './chain.ts';
import type { LightNode } from './node.ts';

/** How a kind of proof is read and verified. */
export interface ProofReader<A, T> {
  /** Of one node, whose answer is not trusted. Throws ClientError. */
  ask(client: Client, options: CallOptions): Promise<A>;
  /**
   * All but the aggregates, which are verified in the worker: by `committees.aggregateHolds`, as the verifiers of this package do. It must say
   * no to a proof of anything but what was asked for.
   */
  verify(answer: A, committees: EpochCommittees): Result<T, { readonly message: string }>;
  /** Of a proof of present state: one below an earlier one is not taken. Undefined: what it proves never changes. */
  readonly presentHeight?: (value: T) => number;
}

export interface Proven<T> {
  readonly value: T;
  /** URL of the node that proved it. */
  readonly node: string;
}

interface ReadComponents {
  readonly chain: LightChain;
  /** That may be asked, the best first. */
  readonly nodes: () => readonly LightNode[];
  /** A present state below is too old. */
  readonly presentHeightMin: () => number;
  /** Throws ClientError `closed` or `forked`. */
  readonly checkOpen: () => void;
}

export type Prove = <A, T>(reader: ProofReader<A, T>, options?: CallOptions) => Promise<Proven<T>>;

/** Above the checks of one answer. A node could keep a caller waiting with handovers. */
const FOLLOW_MS_MAX = 30_000;

export function createProve({ chain, nodes, presentHeightMin, checkOpen }: ReadComponents): Prove {
  let presentHeight = 0;

  async function judge<A, T>(reader: ProofReader<A, T>, answer: A, node: LightNode) {
    const judged = await chain.judge((committees) => reader.verify(answer, committees));
    if (!isAhead(judged, chain)) return judged;
    await chain.follow(node, AbortSignal.timeout(FOLLOW_MS_MAX));
    return chain.judge((committees) => reader.verify(answer, committees));
  }

  /** Text: why this node's answer does not count. */
  async function readOf<A, T>(
    reader: ProofReader<A, T>,
    node: LightNode,
    options: CallOptions,
  ): Promise<Proven<T> | string> {
    try {
      const judged = await judge(reader, await reader.ask(node.client, options), node);
      checkOpen();
      if (!judged.ok) {
        if (judged.error.unknownEpoch === undefined) node.fault('false-proof', judged.error.message);
        return judged.error.message;
      }
      const height = reader.presentHeight?.(judged.value);
      if (height === undefined) return { value: judged.value, node: node.url };
      if (height < Math.max(presentHeight, presentHeightMin())) return `it is of height ${height}: too old`;
      presentHeight = height;
      return { value: judged.value, node: node.url };
    } catch (error) {
      if (!(error instanceof ClientError) || ENDING.has(error.code)) throw error;
      return error.message;
    }
  }

  return async (reader, options = {}) => {
    checkOpen();
    const reasons: Record<string, string> = {};
    for (const node of nodes()) {
      const read = await readOf(reader, node, options);
      if (typeof read === 'object') return read;
      reasons[node.url] = read;
    }
    const text = Object.entries(reasons).map(([url, reason]) => `${url}: ${reason}`);
    throw new ClientError('unproven', `no node proves it: ${text.join('; ') || 'none can be asked now'}`, { reasons });
  };
}

/** It is of an epoch after those that are known. */
function isAhead(judged: Result<unknown, JudgedFault<unknown>>, { committees }: LightChain): boolean {
  return !judged.ok && (judged.error.unknownEpoch ?? 0) > committees.newest().epoch;
}

export type Judge = <T, E extends { readonly message: string }>(
  check: Check<T, E>,
) => Promise<Result<T, JudgedFault<E>>>;

/** Judges what the caller has: no node is blamed for it. Nodes are asked for handovers that it needs, and blamed for false ones. */
export function createJudge({ chain, nodes, checkOpen }: Omit<ReadComponents, 'presentHeightMin'>): Judge {
  return async (check) => {
    checkOpen();
    let judged = await chain.judge(check);
    for (const node of nodes()) {
      if (!isAhead(judged, chain)) break;
      try {
        await chain.follow(node, AbortSignal.timeout(FOLLOW_MS_MAX));
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (error.code === 'malformed-answer') node.fault('false-handover', error.message);
      }
      judged = await chain.judge(check);
    }
    checkOpen();
    return judged;
  };
}

const ENDING: ReadonlySet<string> = new Set(['aborted', 'bad-argument', 'closed', 'forked']);

export type VerifiedReceipt = Extract<ReturnType<typeof verifyProof>, { readonly ok: true }>['value'];
export type VerifiedRowReceipt = Extract<ReturnType<typeof verifyRowProof>, { readonly ok: true }>['value'];
export type VerifiedEntry = Extract<ReturnType<typeof verifyDirectoryProof>, { readonly ok: true }>['value'];
type AnswerOfCall<C extends keyof Client> = Client[C] extends (...args: never[]) => Promise<infer A> ? A : never;

export function receiptReader(id: string): ProofReader<AnswerOfCall<'proof'>, VerifiedReceipt> {
  return {
    ask: (client, options) => client.proof(id, options),
    verify: (proof, committees) => verifyProof(proof, committees, id),
  };
}

export function rowReader(id: string): ProofReader<AnswerOfCall<'rowProof'>, VerifiedRowReceipt> {
  return {
    ask: (client, options) => client.rowProof(id, options),
    verify: (proof, committees) => verifyRowProof(proof, committees, id),
  };
}

/** Entries never change, so an old proof is as good. */
export function directoryReader(index: number): ProofReader<AnswerOfCall<'directory'>, VerifiedEntry> {
  return {
    ask: (client, options) => client.directory(index, options),
    verify({ ssz }, committees) {
      const verified = verifyDirectoryProof(ssz, committees);
      if (!verified.ok) return fail({ message: verified.error });
      return verified.value.index === index ? verified : fail({ message: `it is of entry ${verified.value.index}` });
    },
  };
}

/** Of present state, so an older one than a proven one does not count. */
export function stateReader<T extends { readonly height: number }>({
  key,
  read,
}: ProvenRead<T>): ProofReader<AnswerOf<'stateProofs'>, T> {
  return {
    ask: (client, options) => client.call('stateProofs', { body: { keys: [to0x(key)] }, ...options }),
    verify(proof, committees) {
      const verified = verifyStateProof(proof, committees, [key]);
      return verified.ok ? ok(read(verified.value)) : verified;
    },
    presentHeight: ({ height }) => height,
  };
}

/** A block whose id is certified, or that of a descendant. */
export function blockReader(height: number): ProofReader<BlockProof, BlockView['block']> {
  return {
    ask: (client, options) => askBlockProof(client, height, options),
    verify(proof, committees) {
      const verified = verifyBlocks(proof, committees);
      if (!verified.ok) return verified;
      const [block] = proof.blocks;
      return block?.height === height ? ok(block) : fail({ message: `it is of height ${block?.height}` });
    },
  };
}
