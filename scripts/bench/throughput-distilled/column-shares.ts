/** What a session of the bench signs of a header: as the SDK checks it (Z12), over columns instead of objects. */
import { type BatchHeader, type RowColumns, rowsRootOf } from '@slipstream/distilled';
import type { HeaderWithColumns, HeaderWithPaths } from '@slipstream/distilled/stream';
import { bytesEqual } from '@slipstream/primitives';
import { checkHeaderWithPaths } from '../../../packages/client/src/distillery/header-check.ts';
import type { PendingRow } from '../../../packages/client/src/distillery/pending-rows.ts';
import { amountOf, expiryMsOf, FEE_CAP, payeeOf, pendingNumber, type RunRows, rowOf } from './run-rows.ts';

export interface ColumnShare {
  readonly header: BatchHeader;
  /** Of the own rows, in the batch. */
  readonly positions: Uint16Array;
  /** Their numbers; NOT_PENDING: none of this run, or it ended. */
  readonly numbers: Uint32Array;
  /** Senders, ascending, each once. */
  readonly signers: readonly number[];
  readonly without: readonly number[];
}

export const NOT_PENDING = 0xffff_ffff;
const NOT_OWN = 0xffff_ffff;

/** By index: its place among the accounts of the bench. */
export interface OwnPlaces {
  of(index: number): number | undefined;
}

export function ownPlaces(places: readonly number[], indexOf: (place: number) => number): OwnPlaces {
  const table = new Uint32Array(Math.max(0, ...places.map(indexOf)) + 1).fill(NOT_OWN);
  for (const place of places) table[indexOf(place)] = place;
  return {
    of: (index) => {
      const place = table[index];
      return place === NOT_OWN ? undefined : place;
    },
  };
}

/** Throws for a broker that lies. */
export function checkColumns({ header, rows }: HeaderWithColumns, own: OwnPlaces, run: RunRows): ColumnShare {
  if (rows.count !== header.rows || !bytesEqual(rowsRootOf(rows), header.root)) throw new Error('a false root');
  const positions = new Uint16Array(rows.count);
  const numbers = new Uint32Array(rows.count);
  const signers: number[] = [];
  const without: number[] = [];
  let count = 0;
  for (let from = 0; from < rows.count; ) {
    const sender = rows.senders[from] as number;
    const place = own.of(sender);
    let isSound = true;
    let at = from;
    for (; at < rows.count && rows.senders[at] === sender; at++) {
      if (place === undefined) continue;
      const number = pendingNumber(run, place, rows.sequences[at] as number) ?? NOT_PENDING;
      if (number !== NOT_PENDING && !isAsSent(rows, at, run, number))
        throw new Error(`row ${at} is not as it was sent`);
      isSound &&= number !== NOT_PENDING && isWithinLimits(header, run, number);
      positions[count] = at;
      numbers[count++] = number;
    }
    if (place !== undefined) (isSound ? signers : without).push(sender);
    from = at;
  }
  return { header, positions: positions.slice(0, count), numbers: numbers.slice(0, count), signers, without };
}

function isAsSent(rows: RowColumns, at: number, run: RunRows, number: number): boolean {
  return (
    rows.recipients[at] === run.accounts[payeeOf(run, number)]?.index &&
    rows.amounts[2 * at] === amountOf(number) &&
    rows.amounts[2 * at + 1] === 0 &&
    rows.tags[at] === 0
  );
}

function isWithinLimits(header: BatchHeader, run: RunRows, number: number): boolean {
  return header.expiryMs <= expiryMsOf(run, number) && header.feeCap <= FEE_CAP;
}

/** By the SDK's own check: few rows. Throws for a broker that lies. */
export function checkPaths(shown: HeaderWithPaths, own: OwnPlaces, run: RunRows): ColumnShare {
  const numberOf = (sender: number, sequence: number): number | undefined => {
    const place = own.of(sender);
    return place === undefined ? undefined : pendingNumber(run, place, sequence);
  };
  const checked = checkHeaderWithPaths(shown, {
    isOwn: (sender) => own.of(sender) !== undefined,
    find: (sender, sequence) => {
      const number = numberOf(sender, sequence);
      return number === undefined ? undefined : shownRow(run, number);
    },
  });
  if (!checked.ok) throw new Error(checked.error);
  const { header, places, signers, without } = checked.value;
  return {
    header,
    positions: Uint16Array.from(places, ({ position }) => position),
    numbers: Uint32Array.from(places, ({ row }) => {
      return row === undefined ? NOT_PENDING : (numberOf(row.row.sender, row.row.sequence) ?? NOT_PENDING);
    }),
    signers,
    without,
  };
}

function shownRow(run: RunRows, number: number): PendingRow {
  return pendingRow(run, number, () => {});
}

/** As the SDK holds it. */
export function pendingRow(run: RunRows, number: number, settle: PendingRow['settle']): PendingRow {
  const expiryMs = expiryMsOf(run, number);
  const signature = run.signatures.subarray(64 * number, 64 * (number + 1));
  return {
    row: rowOf(run, number),
    expiryMs,
    feeCap: FEE_CAP,
    straggler: { expiryMs, feeCap: FEE_CAP, signature },
    settle,
    sentAtMs: undefined,
    retryAtMs: 0,
    mayRun: false,
    isProving: false,
    lastReason: undefined,
    seen: [],
  };
}
