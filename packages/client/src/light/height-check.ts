/** Reads the certificates of a height from a node and verifies them. */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { CertificateJson, HeightCertificates } from '@slipstream/schema';
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import { createCertificateVerifier } from '../verify-certificate.ts';
import type { CertifiedHeight } from './certified-heights.ts';
import type { LightChain } from './chain.ts';
import type { Fork } from './followed-handovers.ts';
import type { NodeFaultCode } from './options.ts';

export type HeightVerdict =
  | { readonly type: 'certified'; readonly certified: CertifiedHeight; readonly tookMs: number }
  /** Not yet, not any more, or no answer. */
  | { readonly type: 'missing'; readonly detail: string }
  /** It does not hold, because the node follows another certified chain since a handover. */
  | { readonly type: 'forked'; readonly fork: Fork }
  | { readonly type: 'false'; readonly code: NodeFaultCode; readonly detail: string; readonly tookMs: number };

interface HeightSource {
  readonly url: string;
  readonly client: Pick<Client, 'certificates' | 'handovers'>;
}

export async function checkHeight(
  source: HeightSource,
  height: number,
  chain: LightChain,
  signal: AbortSignal,
): Promise<HeightVerdict> {
  const verdict = await judgeHeight(source, height, chain, signal);
  if (verdict.type !== 'false') return verdict;
  const looked = await reading(() => chain.forkOf(source, signal), verdict.code);
  const fork = looked.type === 'read' ? looked.value : undefined;
  return fork === undefined ? verdict : { type: 'forked', fork };
}

async function judgeHeight(
  source: HeightSource,
  height: number,
  chain: LightChain,
  signal: AbortSignal,
): Promise<HeightVerdict> {
  const { url, client } = source;
  const found = await reading(() => client.certificates(height, { signal }), 'false-certificate');
  if (found.type !== 'read') return found;
  const { value: certificates } = found;
  const epoch = certificates.state?.epoch;
  if (epoch === undefined) return { type: 'missing', detail: `no state certificate of height ${height} so far` };
  if (epoch > chain.committees.newest().epoch) {
    const followed = await reading(() => chain.follow(source, signal), 'false-handover');
    if (followed.type !== 'read') return followed;
  }
  const startMs = performance.now();
  const judged = await chain.judge((committees) => certifiedIn(certificates, height, committees));
  const tookMs = performance.now() - startMs;
  if (judged.ok) {
    const certified = { ...judged.value, node: url, certificates, atMs: Date.now() };
    return { type: 'certified', certified, tookMs };
  }
  const { message, unknownEpoch } = judged.error;
  if (unknownEpoch !== undefined) return { type: 'missing', detail: message };
  return { type: 'false', code: 'false-certificate', detail: `height ${height}: ${message}`, tookMs };
}

type Reading<T> = { readonly type: 'read'; readonly value: T } | Exclude<HeightVerdict, { readonly type: 'certified' }>;

async function reading<T>(read: () => Promise<T>, code: NodeFaultCode): Promise<Reading<T>> {
  try {
    return { type: 'read', value: await read() };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === 'malformed-answer') return { type: 'false', code, detail: error.message, tookMs: 0 };
    return { type: 'missing', detail: error.message };
  }
}

export type CertifiedParts = Omit<CertifiedHeight, 'node' | 'certificates' | 'atMs'>;

/** The finalization may be missing: a block is also final by that of a descendant. */
export function certifiedIn(
  { height, blockId, finalization, state }: HeightCertificates,
  asked: number,
  committees: EpochCommittees,
): Result<CertifiedParts, { readonly message: string }> {
  if (height !== asked) return fail({ message: `the answer is of height ${height}` });
  const verifier = createCertificateVerifier(committees);
  if (!verifier.ok) return fail({ message: verifier.error });
  const verified = (certificate: CertificateJson) => verifier.value.verify(certificate);
  if (state?.kind !== 'certify' || state.height !== height || state.blockId !== blockId) {
    return fail({ message: 'its state certificate is of another height, block or kind' });
  }
  const checked = verified(state);
  if (!checked.ok) return fail({ message: checked.error });
  if (finalization !== null) {
    if (finalization.kind !== 'finalize' || finalization.blockId !== blockId || finalization.view !== state.view) {
      return fail({ message: 'its finalization is of another block, view or kind' });
    }
    const final = verified(finalization);
    if (!final.ok) return fail({ message: final.error });
  }
  const { epoch, view, stateDigest } = state;
  return ok({
    height,
    epoch,
    view,
    blockId,
    stateDigest: stateDigest as string,
    finalization: finalization !== null,
  });
}
