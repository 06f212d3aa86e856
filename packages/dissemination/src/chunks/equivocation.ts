/** Equivocation: two chunks of one producer under one sequence of an epoch (D8). */
import type { Reports } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { UnopenedChunk } from './chunk.ts';
import type { ChunkStore } from './chunk-store.ts';
import type { HeaderCheck } from './header-check.ts';
import type { SeenHeader } from './seen-headers.ts';

interface Equivocation {
  /** Another chunk of this producer and sequence, perhaps not signed by it. */
  rivalOf(chunk: UnopenedChunk): SeenHeader | undefined;
  /** Whether the producer sent or signed it. */
  isSound(known: SeenHeader): Promise<boolean>;
  /** Reports evidence when both are signed. `isDirect`: the second came from its producer. */
  report(first: SeenHeader, second: UnopenedChunk, isDirect: boolean): Promise<void>;
}

interface EquivocationParts {
  readonly store: Pick<ChunkStore, 'firstHeader'>;
  readonly drops: DropCounter;
  readonly reports: Reports;
  readonly isSigned: HeaderCheck;
  readonly committees: Pick<Committees, 'of'>;
}

export function createEquivocation({ store, drops, reports, isSigned, committees }: EquivocationParts): Equivocation {
  async function isSound(known: SeenHeader): Promise<boolean> {
    return known.origin === 'producer' || (await isSigned(known, known.id));
  }

  function rivalOf({ header, hex }: UnopenedChunk): SeenHeader | undefined {
    const first = store.firstHeader(header);
    return first === undefined || first.hex === hex ? undefined : first;
  }

  async function report(first: SeenHeader, chunk: UnopenedChunk, isDirect: boolean): Promise<void> {
    const { header, signature, id } = chunk;
    const peer = committees.of(header.epoch)?.peerOf(header.producer);
    const [firstSigned, secondSigned] = await Promise.all([isSigned(first, first.id), isSigned(chunk, id)]);
    if (peer === undefined) return; // the epoch is over
    if (firstSigned && secondSigned) {
      drops.add('chunk-equivocation');
      reports.equivocation({
        offender: header.producer,
        peer,
        first: { header: first.header, signature: first.signature },
        second: { header, signature },
      });
    } else if (isDirect) {
      const detail = `two chunks of sequence ${header.sequence}, not both signed`;
      reports.offence(peer, secondSigned ? 'invalid-chunk' : 'invalid-signature', detail);
    }
  }

  return { rivalOf, isSound, report };
}
