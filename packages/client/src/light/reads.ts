/**
 * Reads that a light client answers: what a node says counts with a proof that holds alone.
 *
 *   read --> a node --proof--> holds? --yes--> answer
 *               ^                 \--no--> false-proof: excluded --\
 *               \---------------- next node <--no answer-----------/     none left: ClientError `unproven`
 *
 * That something does not exist is proven by proofs of state only, never by an answer of "unknown".
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import { type BlockView, blockFromJson, type HeightCertificates } from '@slipstream/schema';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import { verifyDirectoryProof } from '../verify-directory.ts';
import { verifyProof } from '../verify-proof.ts';
import { verifyRowProof } from '../verify-row-proof.ts';
import type { LightChain } from './chain.ts';
import { certifiedIn } from './height-check.ts';
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
    const { unknownEpoch = 0 } = judged.ok ? {} : judged.error;
    if (unknownEpoch <= chain.committees.newest().epoch) return judged;
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

/** A block whose id is certified. */
export function blockReader(
  height: number,
): ProofReader<{ readonly certificates: HeightCertificates; readonly block: BlockView }, BlockView['block']> {
  return {
    async ask(client, options) {
      const [certificates, block] = await Promise.all([
        client.certificates(height, options),
        client.block(height, options),
      ]);
      if (certificates.state === null) {
        throw new ClientError('not-ready', `there is no state certificate of height ${height} so far`);
      }
      return { certificates, block };
    },
    verify({ certificates, block: { block } }, committees) {
      const certified = certifiedIn(certificates, height, committees);
      if (!certified.ok) return certified;
      const read = blockFromJson(block);
      if (!read.ok) return fail({ message: read.error });
      return block.id === certified.value.blockId ? ok(block) : fail({ message: `block ${block.id} is another one` });
    },
  };
}
