/**
 * Vouching: which digests here a quorum agrees with.
 *
 * Digests chain, so a state certificate that equals the local digest of its block vouches for every ancestor's too. One that
 * differs is divergence: this node, or more than a third of the committee, is wrong, and going on could only hide it (P4).
 */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, type Hex, hexOf, type StateCertificate } from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';

export interface VouchingComponents {
  readonly graph: BlockGraph;
  readonly complete: (entry: BlockEntry, stage: 'certify') => void;
  readonly onDiverged: (entry: BlockEntry, certified: StateCertificate) => void;
}

export interface Vouching {
  /** A verified certificate above the committed height; its block may not be here, or not be executed, yet. */
  certified(certificate: StateCertificate): void;
  /** The block is new here: an earlier certificate may be waiting for it. */
  added(entry: BlockEntry): void;
  digested(entry: BlockEntry): void;
  /** A certificate that still waits for a block of this height, or of one below, is of another chain: that is divergence too. */
  committed(entry: BlockEntry): void;
}

/** Certificates that wait for their blocks. A node further behind than this learns of the rest again as it syncs. */
const EARLY_CERTIFICATES_MAX = 1024;

export function createVouching({ graph, complete, onDiverged }: VouchingComponents): Vouching {
  const early = new Map<Hex<BlockId>, StateCertificate>();

  function check(entry: BlockEntry): void {
    const { certificate, digest } = entry;
    if (certificate === undefined || digest === undefined) return;
    if (!bytesEqual(certificate.subject.stateDigest, digest)) onDiverged(entry, certificate);
    else if (entry.done.has('digest')) vouch(entry, certificate);
  }

  function vouch(entry: BlockEntry, certificate: StateCertificate): void {
    const better = (at: BlockEntry) =>
      (at.vouchedBy?.subject.height ?? Number.POSITIVE_INFINITY) > certificate.subject.height;
    const lineage = graph.lineage(entry).filter(better).reverse();
    for (const at of lineage) at.vouchedBy = certificate;
    for (const at of lineage) complete(at, 'certify');
  }

  function attach(entry: BlockEntry, certificate: StateCertificate): void {
    entry.certificate ??= certificate;
    check(entry);
  }

  /** The lowest are the next to be needed: the highest goes. */
  function keepEarly(id: Hex<BlockId>, certificate: StateCertificate): void {
    early.set(id, certificate);
    if (early.size <= EARLY_CERTIFICATES_MAX) return;
    let highest = id;
    for (const [other, { subject }] of early) {
      if (subject.height > (early.get(highest) as StateCertificate).subject.height) highest = other;
    }
    early.delete(highest);
  }

  return {
    certified(certificate) {
      const id = hexOf(certificate.subject.blockId);
      const entry = graph.get(id);
      if (entry) attach(entry, certificate);
      else keepEarly(id, certificate);
    },
    added(entry) {
      const certificate = early.get(entry.id);
      if (certificate === undefined) return;
      early.delete(entry.id);
      attach(entry, certificate);
    },
    digested: check,
    committed(entry) {
      for (const [id, certificate] of early) {
        if (certificate.subject.height > entry.block.height) continue;
        early.delete(id);
        onDiverged(entry, certificate);
      }
    },
  };
}
