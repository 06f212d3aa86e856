/**
 * The files of a snapshot, from many peers at once: each file from one peer, so that a wrong one has one to blame.
 *
 *   waiting --peer with a free hand--> pieces, in order --checksums--> kept      wrong: the peer is blocked, the file waits again
 *
 * Files that an earlier attempt fetched are checked and kept, also across restarts; from one snapshot to the next they are gone on with.
 */
import type { Clock, Compression, Disk, DiskFile, PeerKey } from '@slipstream/ports';
import { isSnapshotFile, type SnapshotFile, type StateSnapshot } from '@slipstream/state';
import type { GenesisHash, StateDigest } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import type { Sources } from './sources.ts';
import { PIECE_BYTES, unpackPiece } from './wire.ts';

/** Below the requests that a server lets wait for one peer (requests/client.ts). */
const FILES_PER_PEER = 8;
/** With no peer left to ask for this long, the attempt ends. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;
const FILE_DIGITS = 16;

export interface FetchComponents {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly sources: Sources;
  readonly compression: Pick<Compression, 'decompress'>;
  /** Bytes of files that are whole and checked, and of pieces on the way. */
  readonly onBytes: (bytes: number, from: 'peer' | 'disk') => void;
}

export interface FetchSetting {
  readonly directory: string;
  readonly snapshot: StateSnapshot;
  readonly stateDigest: StateDigest;
  readonly genesisHash: GenesisHash;
  readonly history: number;
}

/** Throws SyncError `state-incomplete` when no peer serves what is missing. */
export async function fetchFiles(components: FetchComponents, setting: FetchSetting): Promise<void> {
  const { clock, sources } = components;
  const waiting = await missingFiles(components, setting);
  const busy = new Map<PeerKey, number>();
  const running = new Set<Promise<void>>();
  let idleSinceMs = clock.monotonicMs();

  function start(file: SnapshotFile, peer: PeerKey): void {
    busy.set(peer, (busy.get(peer) ?? 0) + 1);
    const run = fetchFile(components, setting, file, peer).then((whole) => {
      if (!whole) waiting.push(file);
      busy.set(peer, (busy.get(peer) ?? 1) - 1);
      running.delete(run);
    });
    running.add(run);
  }

  try {
    await fetchAll();
  } finally {
    // Whatever ended it: nothing writes any more when the caller goes on.
    await Promise.allSettled(running);
  }

  async function fetchAll(): Promise<void> {
    while (waiting.length > 0 || running.size > 0) {
      const peers = sources.available();
      for (const peer of peers) {
        while ((busy.get(peer) ?? 0) < FILES_PER_PEER && waiting.length > 0)
          start(waiting.shift() as SnapshotFile, peer);
      }
      if (running.size > 0) {
        idleSinceMs = clock.monotonicMs();
        await (waiting.length > 0 ? Promise.race([...running, pause()]) : Promise.race(running));
      } else if (clock.monotonicMs() - idleSinceMs > PATIENCE_MS) {
        const message = `state sync: no peer serves the ${waiting.length} files that are missing; the next start goes on from here`;
        throw new SyncError('state-incomplete', message, { missing: waiting.length });
      } else {
        await pause();
      }
    }
  }

  /** A peer that failed is left alone for a while: then it is asked again, whatever others let wait for. */
  function pause(): Promise<void> {
    return new Promise((resolve) => void clock.after(PAUSE_MS, resolve));
  }
}

export const pathOf = ({ directory }: Pick<FetchSetting, 'directory'>, { file }: SnapshotFile): string =>
  `${directory}/${String(file).padStart(FILE_DIGITS, '0')}.log`;

/** The largest first: the last one on its way is then small. */
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
 * False when this peer did not bring it. What is here of an earlier snapshot is the beginning of it, since log files only grow: then
 * only the rest is asked for, or a state that takes longer to fetch than a snapshot is served for would begin again each time.
 */
async function fetchFile(
  components: FetchComponents,
  setting: FetchSetting,
  file: SnapshotFile,
  peer: PeerKey,
): Promise<boolean> {
  const { disk, sources, onBytes } = components;
  const path = pathOf(setting, file);
  const keptBytes = (await disk.size(path)) ?? 0;
  const from = keptBytes < file.bytes ? keptBytes : 0;
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
      // Of a file that was continued it is unknown which part is wrong: it is fetched whole.
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
  { sources, compression, onBytes }: FetchComponents,
  { stateDigest }: FetchSetting,
  { file, opened, from }: { readonly file: SnapshotFile; readonly opened: DiskFile; readonly from: number },
  peer: PeerKey,
): Promise<boolean> {
  for (let at = from; at < file.bytes; ) {
    const ask = { query: 'snapshotPiece', id: stateDigest, from: file.file, to: at } as const;
    const packed = (await sources.ask(peer, ask))?.chunks[0];
    if (packed === undefined) {
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
  }
  return true;
}
