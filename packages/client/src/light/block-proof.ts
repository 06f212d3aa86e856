/**
 * Verifies consecutive blocks by the certificates of the newest of them.
 *
 *   genesis    the genesis file names the first committee
 *   certified  the certificates of the newest block hold
 *   links      each block hashes to its id, and is the parent of the next
 *   digest     the state digest that was said of the newest block is the certified one
 *
 * Receipts and transactions have proofs of their own: these steps say nothing of them.
 */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { type BlockJson, blockFromJson, type HeightCertificates } from '@slipstream/schema';
import type { CallOptions } from '../call-options.ts';
import { trustText } from '../certified-state.ts';
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import { type Rejection, type Step, stepsOf } from '../proof-steps.ts';
import { type CertifiedParts, certifiedIn } from './height-check.ts';

const BLOCK_STEPS = ['genesis', 'certified', 'links', 'digest'] as const;
type BlockStepName = (typeof BLOCK_STEPS)[number];
export type BlockStep = Step<BlockStepName>;

/** As a node answers: nothing of it is trusted. */
export interface BlockProof {
  /** One at least, ascending, each the parent of the next. */
  readonly blocks: readonly BlockJson[];
  /** Of the newest of them, as the node says; null: it says none. */
  readonly stateDigest: string | null;
  /** Of the newest of them. */
  readonly certificates: HeightCertificates;
}

interface VerifiedBlocks {
  /** The newest, with what the certificates say of it. */
  readonly certified: CertifiedParts;
  readonly genesisHash: string;
  readonly steps: readonly BlockStep[];
}

type BlockRejection = Rejection<BlockStepName>;

export function verifyBlocks(
  { blocks, stateDigest, certificates }: BlockProof,
  committees: EpochCommittees,
): Result<VerifiedBlocks, BlockRejection> {
  const passed = [trustText(committees)];
  const newest = blocks.at(-1);
  if (newest === undefined) return rejected('certified', 'there is no block', passed);
  const read = certifiedIn(certificates, newest.height, committees);
  if (!read.ok) return rejected('certified', read.error.message, passed);
  const certified = read.value;
  passed.push(certifiedText(certified));
  const fault = linkFault(blocks, certified.blockId);
  if (fault !== undefined) return rejected('links', fault, passed);
  passed.push(linksText(blocks));
  if (stateDigest !== null && stateDigest !== certified.stateDigest) {
    return rejected('digest', `${stateDigest} was said, ${certified.stateDigest} is certified`, passed);
  }
  passed.push(stateDigest ?? 'none was said');
  return ok({ certified, genesisHash: to0x(committees.genesisHash), steps: stepsOf(BLOCK_STEPS, passed) });
}

function certifiedText({ height, view, epoch, finalization }: CertifiedParts): string {
  const both = finalization ? 'finalization and state certificate' : 'state certificate';
  return `${both} of height ${height}, view ${view}, epoch ${epoch}`;
}

function linksText(blocks: BlockProof['blocks']): string {
  const above = blocks.length - 1;
  return above === 0 ? 'it is the certified block' : `${above} of ${blocks.length} are ancestors of the certified one`;
}

/** Each parent is named by the block after it; the newest by its certificate. */
function linkFault(blocks: BlockProof['blocks'], newestId: string): string | undefined {
  let expected = { id: newestId, height: (blocks.at(-1) as BlockJson).height };
  for (const block of blocks.toReversed()) {
    if (block.height !== expected.height) return `block ${block.id} is of height ${block.height}`;
    if (block.id !== expected.id) return `block ${block.id} is not ${expected.id}, as proven`;
    const read = blockFromJson(block);
    if (!read.ok) return read.error;
    expected = { id: block.parentId, height: block.height - 1 };
  }
  return undefined;
}

function rejected(step: BlockStepName, message: string, passed: readonly string[]): Result<never, BlockRejection> {
  return fail({ step, message, steps: stepsOf(BLOCK_STEPS, passed, { step, message }) });
}

/** A node may lack the state certificate of a block whose descendant has one. */
const DESCENDANTS_MAX = 8;

/** Of `height` up to the first block with a state certificate. Throws ClientError; `not-ready` where none has one. */
export async function askBlockProof(client: Client, height: number, options?: CallOptions): Promise<BlockProof> {
  const blocks: BlockJson[] = [];
  for (let at = height; at <= height + DESCENDANTS_MAX; at++) {
    const [{ block, stateDigest }, certificates] = await Promise.all([
      client.block(at, options),
      client.certificates(at, options),
    ]).catch((error: unknown) => {
      throw at > height && isUnknown(error) ? uncertified(height) : error;
    });
    blocks.push(block);
    if (certificates.state !== null) return { blocks, stateDigest, certificates };
  }
  throw uncertified(height);
}

function isUnknown(error: unknown): boolean {
  return error instanceof ClientError && (error.code === 'block-unknown' || error.code === 'certificate-unknown');
}

function uncertified(height: number): ClientError {
  return new ClientError('not-ready', `no state certificate covers height ${height} so far`);
}
