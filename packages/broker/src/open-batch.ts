/** A batch before it is signed: its rows in order, its header, and who is asked for a share. */
import { type BatchHeader, batchIdOf, columnsOf, createRowTree, type RowColumns, rowAt } from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import type { ChainView, Session } from './components.ts';
import { compareRows, type RowEntry } from './row-entry.ts';

export interface OpenBatch {
  readonly header: BatchHeader;
  readonly batchId: Uint8Array;
  /** Of the batch id, hex. */
  readonly name: string;
  readonly entries: readonly RowEntry[];
  readonly rows: RowColumns;
  readonly tree: ReturnType<typeof createRowTree>;
  /** Positions by the newest session of their senders, ascending; also those that need no share. */
  readonly positions: ReadonlyMap<Session, readonly number[]>;
  /** Senders whose share is asked for, ascending. */
  readonly asked: ReadonlyMap<Session, Uint32Array>;
  /** What a share of a session that is asked stands for, ascending: also those of its senders that need none. */
  readonly covered: ReadonlyMap<Session, Uint32Array>;
}

interface BatchTerms {
  readonly genesisHash: GenesisHash;
  readonly broker: PeerKey;
  readonly number: number;
  readonly expiryMs: number;
}

export function openBatch(
  unordered: readonly RowEntry[],
  { epoch, knownAt, feeCap }: ChainView,
  { genesisHash, broker, number, expiryMs }: BatchTerms,
): OpenBatch {
  const entries = unordered.toSorted(compareRows);
  const rows = columnsOf(entries.map(({ row }) => row));
  const tree = createRowTree(rows);
  const header: BatchHeader = {
    kind: 'transfer',
    epoch,
    broker,
    number,
    knownAt,
    expiryMs,
    feeCap,
    rows: entries.length,
    root: tree.root,
  };
  const batchId = batchIdOf(genesisHash, header);
  const { positions, asked, covered } = partsOf(entries);
  return { header, batchId, name: toHex(batchId), entries, rows, tree, positions, asked, covered };
}

function partsOf(entries: readonly RowEntry[]): Pick<OpenBatch, 'positions' | 'asked' | 'covered'> {
  const positions = new Map<Session, number[]>();
  const asked = new Map<Session, number[]>();
  const covered = new Map<Session, number[]>();
  for (const [position, { session, account, row, isAlone }] of entries.entries()) {
    // A client checks that it sees all rows of a sender, so those of an older stream are shown with the newer ones (Q2).
    const newest = account.session ?? session;
    listOf(positions, newest).push(position);
    if (!newest.isOpen) continue;
    addSender(listOf(covered, newest), row.sender);
    if (!isAlone) addSender(listOf(asked, newest), row.sender);
  }
  return { positions, asked: arraysOf(asked), covered: arraysOf(covered) };
}

/** Ascending ones, each once. */
function addSender(senders: number[], sender: number): void {
  if (senders.at(-1) !== sender) senders.push(sender);
}

function arraysOf(lists: ReadonlyMap<Session, readonly number[]>): ReadonlyMap<Session, Uint32Array> {
  return new Map([...lists].map(([session, senders]) => [session, Uint32Array.from(senders)]));
}

function listOf(lists: Map<Session, number[]>, session: Session): number[] {
  const known = lists.get(session);
  if (known !== undefined) return known;
  const list: number[] = [];
  lists.set(session, list);
  return list;
}

/** Own rows by sender, with the position of the first. */
export function ownPlaces(rows: RowColumns, positions: readonly number[]) {
  const places: { readonly sender: number; readonly first: number; count: number }[] = [];
  for (const position of positions) {
    const { sender } = rowAt(rows, position);
    const last = places.at(-1);
    if (last?.sender === sender) last.count++;
    else places.push({ sender, first: position, count: 1 });
  }
  return places;
}
