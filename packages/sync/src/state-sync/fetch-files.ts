/**
 * Fetches a snapshot's files from many peers at once, each file from one peer, so that a wrong file has one peer to blame.
 *
 *   waiting --peer below its limit--> pieces, in order --checksums match--> retained
 *      ^------too slow (piece-rates.ts)---/             \--mismatch--> peer blocked, file waits again
 *
 * Files of an earlier attempt are checked and reused, also across restarts; an older snapshot's file is continued.
 */
import type { Clock, Compression, Disk, DiskFile, PeerKey } from '@slipstream/ports';
import { isSnapshotFile, type SnapshotFile, type StateSnapshot } from '@slipstream/state';
import type { GenesisHash, StateDigest } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { createPieceRates, type PieceRates } from './piece-rates.ts';
import type { Sources } from './sources.ts';
import { PIECE_BYTES, unpackPiece } from './wire.ts';

const PAUSE_MS = 100;
const FILE_DIGITS = 16;

interface FetchComponents {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly sources: Sources;
  readonly compression: Pick<Compression, 'decompress'>;
  readonly onBytes: (bytes: number, from: 'peer' | 'disk') => void;
}

interface PieceComponents extends FetchComponents {
  readonly rates: PieceRates;
  /** Another peer may bring the file sooner, or the attempt is over. */
  readonly isAbandoned: (peer: PeerKey) => boolean;
}

interface FetchSetting {
  readonly directory: string;
  readonly snapshot: StateSnapshot;
  readonly stateDigest: StateDigest;
  readonly genesisHash: GenesisHash;
  readonly history: number;
}

/** Throws SyncError `state-incomplete`. */
export async function fetchFiles(components: FetchComponents, setting: FetchSetting): Promise<void> {
  const { clock, sources } = components;
  const waiting = await missingFiles(components, setting);
  const busy = new Map<PeerKey, number>();
  const running = new Set<Promise<void>>();
  const heldBy = (peer: PeerKey) => busy.get(peer) ?? 0;
  const rates = createPieceRates(clock, heldBy);
  const isAbandoned = (peer: PeerKey) => rates.isOver() || heldBy(peer) > rates.limitOf(peer, sources.available());

  function start(file: SnapshotFile, peer: PeerKey): void {
    busy.set(peer, heldBy(peer) + 1);
    const run = fetchFile({ ...components, rates, isAbandoned }, setting, file, peer).then((whole) => {
      if (!whole) waiting.push(file);
      busy.set(peer, heldBy(peer) - 1);
      if (heldBy(peer) === 0) rates.idle(peer);
      running.delete(run);
    });
    running.add(run);
  }

  try {
    await fetchAll();
  } finally {
    // Also after an error: nothing may write into the files once the caller continues.
    await Promise.allSettled(running);
  }

  async function fetchAll(): Promise<void> {
    while (waiting.length > 0 || running.size > 0) {
      const hopeless = rates.isHopeless();
      if (hopeless && running.size === 0) {
        const message = `state sync: no peer serves the ${waiting.length} files that are missing; the next start goes on from here`;
        throw new SyncError('state-incomplete', message, { missing: waiting.length });
      }
      if (!hopeless) startWaiting();
      await (waiting.length > 0 && !hopeless ? Promise.race([...running, pause()]) : Promise.race(running));
    }
  }

  function startWaiting(): void {
    const available = sources.available();
    for (const peer of available) {
      const limit = rates.limitOf(peer, available);
      while (heldBy(peer) < limit && waiting.length > 0) start(waiting.shift() as SnapshotFile, peer);
    }
  }

  /** A failed peer becomes available again, even while other requests are under way. */
  function pause(): Promise<void> {
    return new Promise((resolve) => void clock.after(PAUSE_MS, resolve));
  }
}

export const pathOf = ({ directory }: Pick<FetchSetting, 'directory'>, { file }: SnapshotFile): string =>
  `${directory}/${String(file).padStart(FILE_DIGITS, '0')}.log`;

/** The largest first, so that the last transfers are small. */
async function missingFiles({ disk, onBytes }: FetchComponents, setting: FetchSetting): Promise<SnapshotFile[]> {
  const missing: SnapshotFile[] = [];
  for (const file of setting.snapshot.files) {
    const path = pathOf(setting, file);
    if ((await disk.size(path)) === file.bytes && (await isSound(disk, path, setting, file)))
      onBytes(file.bytes, 'disk');
    else missing.push(file);
  }
  return missing.sort((a, b) => b.bytes - a.bytes);
}

async function isSound(disk: Disk, path: string, setting: FetchSetting, file: SnapshotFile): Promise<boolean> {
  const opened = await disk.open(path);
  try {
    return await isSnapshotFile(opened, setting.snapshot, file, setting);
  } finally {
    await opened.close();
  }
}

/**
 * False: the peer did not bring the file. Log files only grow, so an earlier snapshot's file is a prefix: otherwise a state that takes
 * longer to fetch than a snapshot is served would never complete.
 */
async function fetchFile(
  components: PieceComponents,
  setting: FetchSetting,
  file: SnapshotFile,
  peer: PeerKey,
): Promise<boolean> {
  const { disk, sources, onBytes } = components;
  const path = pathOf(setting, file);
  const retainedBytes = (await disk.size(path)) ?? 0;
  const from = retainedBytes < file.bytes ? retainedBytes : 0;
  const part = from > 0 ? path : `${path}.part`;
  const opened = await disk.open(part, { create: true });
  try {
    await opened.truncate(from);
    if (!(await fetchPieces(components, setting, { file, opened, from }, peer))) {
      await opened.truncate(from);
      return false;
    }
    await opened.sync();
    if (!(await isSnapshotFile(opened, setting.snapshot, file, setting))) {
      // The wrong part of a continued file is unknown: the next attempt fetches it whole.
      if (from === 0) sources.block(peer, `served file ${file.file} of the snapshot with wrong bytes`);
      await opened.truncate(0);
      return false;
    }
  } finally {
    await opened.close();
  }
  onBytes(from, 'disk');
  if (part !== path) await disk.rename(part, path);
  sources.succeeded(peer);
  return true;
}

async function fetchPieces(
  { sources, compression, onBytes, rates, isAbandoned }: PieceComponents,
  { stateDigest }: FetchSetting,
  { file, opened, from }: { readonly file: SnapshotFile; readonly opened: DiskFile; readonly from: number },
  peer: PeerKey,
): Promise<boolean> {
  for (let at = from; at < file.bytes; ) {
    const request = { query: 'snapshotPiece', id: stateDigest, from: file.file, to: at } as const;
    rates.asked(peer);
    const answer = await sources.ask(peer, request);
    const packed = answer?.chunks[0];
    if (packed === undefined) {
      rates.missed(peer, answer !== undefined);
      sources.failed(peer);
      return false;
    }
    const piece = unpackPiece(packed, compression);
    const expected = Math.min(PIECE_BYTES, file.bytes - at);
    if (piece?.length !== expected) {
      sources.block(peer, `served a piece of ${piece?.length ?? 'undecodable'} bytes in place of ${expected}`);
      return false;
    }
    await opened.write(at, [piece]);
    at += piece.length;
    onBytes(piece.length, 'peer');
    rates.brought(peer);
    if (at < file.bytes && isAbandoned(peer)) return false;
  }
  return true;
}
