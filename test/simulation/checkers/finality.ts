/** One final chain, one digest per height, certified implies final. */
import { toHex } from '@slipstream/primitives';
import type { Check, ReportedEvent, Watched } from './watched.ts';

export interface FinalityRecord {
  /** By height, from the first report. */
  readonly finalByHeight: ReadonlyMap<number, string>;
  finalHeightOf(peer: string): number;
  certifiedHeightOf(peer: string): number;
  /** At any node, virtual ms. */
  finalAtMs(height: number): number | undefined;
  /** Of epoch 0; undefined until reported. */
  notarizedIn(view: number): string | undefined;
  report(peer: string, event: ReportedEvent, nowMs: number, check: Check): void;
}

export function createFinalityRecord(watched: Watched): FinalityRecord {
  const finalByHeight = new Map<number, string>([[0, toHex(watched.genesisId)]]);
  const finalAt = new Map<number, number>();
  const lastFinal = new Map<string, number>();
  const lastCertified = new Map<string, number>();
  const certifiedByHeight = new Map<number, { readonly id: string; readonly digest: string }>();
  /** By epoch and view. */
  const notarizedByView = new Map<string, string>();

  function onFinal(peer: string, height: number, id: string, nowMs: number, check: Check): void {
    check((finalByHeight.get(height) ?? id) === id, 'agreement: one final block a height', { peer, height });
    check((certifiedByHeight.get(height)?.id ?? id) === id, 'certified implies final', { peer, height });
    if (!finalAt.has(height)) finalAt.set(height, nowMs);
    finalByHeight.set(height, id);
    lastFinal.set(peer, Math.max(lastFinal.get(peer) ?? 0, height));
  }

  function onCertified(peer: string, height: number, id: string, digest: string, check: Check): void {
    const known = certifiedByHeight.get(height) ?? { id, digest };
    check(known.id === id, 'one block is certified a height', { peer, height });
    check(known.digest === digest, 'state digests are equal at equal heights', { peer, height });
    check((finalByHeight.get(height) ?? id) === id, 'certified implies final', { peer, height });
    certifiedByHeight.set(height, known);
    lastCertified.set(peer, Math.max(lastCertified.get(peer) ?? 0, height));
  }

  return {
    finalByHeight,
    finalHeightOf: (peer) => lastFinal.get(peer) ?? 0,
    certifiedHeightOf: (peer) => lastCertified.get(peer) ?? 0,
    finalAtMs: (height) => finalAt.get(height),
    notarizedIn: (view) => notarizedByView.get(`0/${view}`),
    report(peer, { type, fields }, nowMs, check) {
      if (type === 'block.final') {
        onFinal(peer, Number(fields.height), String(fields.blockId), nowMs, check);
      } else if (type === 'block.certified') {
        onCertified(peer, Number(fields.height), String(fields.blockId), String(fields.stateDigest), check);
      } else if (type === 'block.notarized') {
        const view = `${fields.epoch}/${fields.view}`;
        const id = String(fields.blockId);
        check((notarizedByView.get(view) ?? id) === id, 'at most one block is notarized a view', { peer, view });
        notarizedByView.set(view, id);
      }
    },
  };
}
