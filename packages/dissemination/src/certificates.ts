/**
 * Certificates: the chunk certificates that hold, as far as this node knows; each is verified once.
 *
 *   own, from a peer, in a block --> quorum of signers? --> known? --> verify --> kept until the chunk is committed
 */
import type { PeerKey, Priority, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type ChunkCertificate,
  type ChunkId,
  type Committee,
  chunkAckMessage,
  decodeFrame,
  type GenesisHash,
  hexOf,
  isQuorum,
  weightOf,
} from '@slipstream/types';
import type { Reports } from './components.ts';
import type { DisseminationLimits } from './limits.ts';

export interface Certificates {
  /** A `chunkCertified` frame, kind byte included. Settles when it is judged. */
  onFrame(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** One that was formed here. */
  add(chunkId: ChunkId, certificate: ChunkCertificate): void;
  of(hex: string): ChunkCertificate | undefined;
  /** Undefined when it holds, else what is wrong with it. */
  faultOf(chunkId: ChunkId, certificate: ChunkCertificate): Promise<string | undefined>;
  forget(hex: string): void;
}

export interface CertificatesParts {
  readonly verifier: Pick<Verifier, 'checkCertificate'>;
  readonly reports: Reports;
  /** Nobody asks for the certificate of a committed chunk any more. */
  isCommitted(hex: string): boolean;
  /** A chunk has a certificate now; called once a chunk. */
  certified(chunkId: ChunkId, certificate: ChunkCertificate): void;
}

export function createCertificates(
  { verifier, reports, isCommitted, certified }: CertificatesParts,
  { committee, genesisHash }: { readonly committee: Committee; readonly genesisHash: GenesisHash },
  { certificatesMax }: Pick<DisseminationLimits, 'certificatesMax'>,
): Certificates {
  /** Oldest first. */
  const known = new Map<string, ChunkCertificate>();
  const underCheck = new Set<string>();

  function keep(chunkId: ChunkId, { signers, aggregate }: ChunkCertificate): void {
    const hex = hexOf(chunkId);
    if (known.has(hex)) return;
    const certificate = { signers, aggregate: aggregate.slice() };
    known.set(hex, certificate);
    if (known.size > certificatesMax) known.delete(known.keys().next().value as string);
    certified(chunkId, certificate);
  }

  function hasQuorum({ signers }: ChunkCertificate): boolean {
    const last = signers[signers.length - 1];
    return last !== undefined && last < committee.members.length && isQuorum(weightOf(signers, committee), committee);
  }

  function isKnown(hex: string, { signers, aggregate }: ChunkCertificate): boolean {
    const had = known.get(hex);
    if (had === undefined || had.signers.length !== signers.length) return false;
    return had.signers.every((signer, i) => signer === signers[i]) && bytesEqual(had.aggregate, aggregate);
  }

  async function faultOf(
    chunkId: ChunkId,
    certificate: ChunkCertificate,
    priority: Priority = 'block',
  ): Promise<string | undefined> {
    if (!hasQuorum(certificate)) return 'a chunk certificate lacks a quorum';
    if (isKnown(hexOf(chunkId), certificate)) return undefined;
    const message = chunkAckMessage(genesisHash, chunkId);
    if (!(await verifier.checkCertificate({ message, ...certificate }, priority))) {
      return 'a chunk certificate does not hold';
    }
    keep(chunkId, certificate);
    return undefined;
  }

  async function onFrame(from: PeerKey, frame: Uint8Array): Promise<void> {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunkCertified') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a chunk certificate' : decoded.error.message);
      return;
    }
    const { chunkId, certificate } = decoded.value.value;
    const hex = hexOf(chunkId);
    const underWay = `${from} ${hex}`; // a bad one of another peer must not keep the good one out
    if (known.has(hex) || isCommitted(hex) || underCheck.has(underWay)) return;
    underCheck.add(underWay);
    const id = chunkId.slice() as ChunkId;
    const fault = await faultOf(id, certificate, 'chunk').finally(() => underCheck.delete(underWay));
    if (fault !== undefined) reports.offence(from, 'invalid-certificate', `of chunk ${hex}: ${fault}`);
  }

  return {
    onFrame,
    add: keep,
    of: (hex) => known.get(hex),
    faultOf,
    forget: (hex) => void known.delete(hex),
  };
}
