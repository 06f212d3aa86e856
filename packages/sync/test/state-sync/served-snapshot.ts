/** A snapshot on a disk, and the peers that serve it. */
import type { Disk, PeerKey } from '@slipstream/ports';
import { createLifetime } from '@slipstream/simulator';
import { listSnapshots, type StateSnapshot } from '@slipstream/state';
import { asId, type GenesisHash, type StateDigest } from '@slipstream/types';
import { commitBatch, newDisk, open, put, TINY } from '../../../state/test/builders.ts';

export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
export const STATE_DIGEST = asId<StateDigest>(new Uint8Array(32).fill(3));
export const [HONEST, OTHER, LIAR, SILENT] = ['honest', 'other', 'liar', 'silent'] as unknown as PeerKey[] as [
  PeerKey,
  PeerKey,
  PeerKey,
  PeerKey,
];

export async function served(valueBytes = 10_000): Promise<{ readonly snapshot: StateSnapshot; readonly disk: Disk }> {
  const simulated = newDisk();
  const { store } = await open(simulated, {
    parameters: { ...TINY, deadBytesMax: 1_000_000, moveBytesMax: 1_000_000 },
    snapshots: { directory: 'snapshots', every: 5, keep: 1 },
  });
  for (let i = 1; i <= 5; i++) {
    const values = Array.from({ length: 40 }, (_, key) => put(`key ${i} ${key}`, String(i).repeat(valueBytes)));
    await commitBatch(store, `0${i}`, values);
  }
  const disk = simulated.mount(createLifetime());
  const [snapshot] = await listSnapshots(disk, 'snapshots');
  if (snapshot === undefined) throw new Error('no snapshot');
  return { snapshot, disk };
}
