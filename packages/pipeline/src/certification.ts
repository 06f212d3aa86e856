/**
 * Certification: compares local state digests with state certificates.
 *
 * Digests chain, so a matching certificate certifies every ancestor too. One that differs is divergence: this node, or more than a third
 * of the committee, is wrong, so the node stops (P4).
 */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, type Hex, hexOf, type StateCertificate } from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';

interface CertificationComponents {
  readonly graph: BlockGraph;
  readonly complete: (entry: BlockEntry, stage: 'certify') => void;
  readonly onDiverged: (entry: BlockEntry, certified: StateCertificate) => void;
}

export interface Certification {
  /** Takes a verified certificate above the committed height, whose block may be missing or not executed yet. */
  certified(certificate: StateCertificate): void;
  /** A new block, for which a certificate may wait. */
  added(entry: BlockEntry): void;
  digested(entry: BlockEntry): void;
  /** A certificate that still waits for a block up to this height belongs to another chain: divergence. */
  committed(entry: BlockEntry): void;
}

/** Certificates that wait for their block. A node further behind receives the rest again as it syncs. */
const EARLY_CERTIFICATES_MAX = 1024;

export function createCertification({ graph, complete, onDiverged }: CertificationComponents): Certification {
  const early = new Map<Hex<BlockId>, StateCertificate>();

  function check(entry: BlockEntry): void {
    const { certificate, digest } = entry;
    if (certificate === undefined || digest === undefined) return;
    if (!bytesEqual(certificate.subject.stateDigest, digest)) onDiverged(entry, certificate);
    else if (entry.done.has('digest')) certifyLineage(entry, certificate);
  }

  function certifyLineage(entry: BlockEntry, certificate: StateCertificate): void {
    const better = (at: BlockEntry) =>
      (at.certifiedBy?.subject.height ?? Number.POSITIVE_INFINITY) > certificate.subject.height;
    const lineage = graph.lineage(entry).filter(better).reverse();
    for (const at of lineage) at.certifiedBy = certificate;
    for (const at of lineage) complete(at, 'certify');
  }

  function attach(entry: BlockEntry, certificate: StateCertificate): void {
    entry.certificate ??= certificate;
    check(entry);
  }

  /** Evicts the highest: the lowest are needed first. */
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
