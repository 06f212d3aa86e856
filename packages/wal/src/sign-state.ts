/**
 * Sign state: a file beside the log that bounds what may have been signed, even when the log is lost.
 *
 * `mark` is a reservation: nothing is signed for a view above it. It moves 64 views ahead at a time (temporary file, fsync, rename,
 * fsync of the folder), so views cost no sync here. `chunkMark` reserves chunk sequences likewise (gaps are legal). `logId` and
 * `logSequence` identify the log and how far it was durable then.
 *
 *   start: openSignState --> openWal --> mayTrust(log) --> same log, reaches logSequence: the log holds everything signed
 *                                          \--> else: views <= mark and chunk sequences <= chunkMark are refused for good
 *   then:  reserve(view) before anything of the view is signed
 *
 * INVARIANT: a refusal is durable before mayTrust returns. A new log that outgrows the old one is never mistaken for it. After a
 * handover the folder signs nothing until a history is imported: the other machine begins above the mark, so at first its messages
 * would not reveal a second instance here.
 */
import { type Disk, DiskError } from '@slipstream/ports';
import { assert, fromUtf8, toHex, utf8 } from '@slipstream/primitives';
import { WalError } from './errors.ts';
import { formatHistory, parseHistory, type SigningHistory } from './history.ts';
import { countField, openSealedJson, sealJson } from './sealed-json.ts';

/** Views per write of the file. A lost log costs at most as many views. */
export const RESERVED_AHEAD = 64;
/** Below this remainder, a background write renews the reservation, so that no view waits for it. */
const RENEW_BELOW = 32;

const FORMAT_VERSION = 1;
const FILE_BYTES_MAX = 4_096;

interface SignStateOptions {
  readonly path: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
}

/** `wal-lost`: the log is gone or too short. `history-imported`: the history of another machine, or a lost one, was imported. */
export const REFUSAL_REASONS = ['wal-lost', 'history-imported'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Signing is refused for these, whatever the log holds. 0: nothing is refused. */
export interface Refusal {
  readonly viewsUpTo: number;
  readonly chunkSequencesUpTo: number;
  /** Undefined when no view is refused. */
  readonly reason: RefusalReason | undefined;
  /** By the operator's decision, refused views up to this one may be nullified by rule 5a (consensus.md). 0: none. */
  readonly nullifiesUpTo: number;
}

export interface Recovery {
  /** Everything that may have been signed is at or below these. */
  readonly mark: number;
  readonly chunkMark: number;
  /** True when the chain is halted: refused views may be nullified. */
  readonly nullifies: boolean;
}

export interface LogPosition {
  readonly logId: string;
  readonly lastSequence: number;
}

interface Reservation {
  readonly view?: number;
  readonly chunkSequence?: number;
  /** The log's current durableSequence. */
  readonly logSequence: number;
}

export interface SignState {
  /** True when another machine signs. */
  readonly isHandedOver: boolean;
  readonly mark: number;
  readonly chunkMark: number;
  readonly logSequence: number;
  /** The result of mayTrust for this log, or for none. Changes nothing. */
  judge(log: LogPosition | undefined): Refusal;
  /**
   * Call after the log's replay and before `reserve`. Returns what is refused from now on: nothing new when the log is that of the last
   * reservation and reaches as far. Rejects with WalError `handed-over`.
   */
  mayTrust(log: LogPosition): Promise<Refusal>;
  /** Resolves once view and chunk sequence are reserved, mostly at once. Rejects with WalError `write-failed`. */
  reserve(reservation: Reservation): Promise<void>;
  /** The text for importHistory. It is out of date once this validator signs again. */
  exportHistory(): string;
  /** Exports the history for the machine that takes over, and durably stops signing in this folder. */
  handOver(): Promise<string>;
  /** Refuses everything that the other machine may have signed. Throws WalError `history-malformed` or `history-foreign`. */
  importHistory(text: string): Promise<void>;
  /** For a lost log or disk, with marks from the operator. Refuses everything up to the marks. */
  recover(recovery: Recovery): Promise<void>;
}

interface Fields {
  readonly mark: number;
  readonly chunkMark: number;
  /** Empty until the first mayTrust. */
  readonly logId: string;
  readonly logSequence: number;
  readonly refusedView: number;
  readonly refusedChunkSequence: number;
  /** Empty while no view is refused. */
  readonly refusedFor: RefusalReason | '';
  readonly nullifyUpToView: number;
  /** 1: another machine signs. */
  readonly handedOver: number;
}

const NOTHING_SIGNED: Fields = {
  mark: 0,
  chunkMark: 0,
  logId: '',
  logSequence: 0,
  refusedView: 0,
  refusedChunkSequence: 0,
  refusedFor: '',
  nullifyUpToView: 0,
  handedOver: 0,
};

/** Reads the file; a missing file means that nothing was signed. Throws WalError `sign-state-damaged` or `sign-state-foreign`. */
export async function openSignState({ disk }: { readonly disk: Disk }, options: SignStateOptions): Promise<SignState> {
  const { path } = options;
  const genesisHash = toHex(options.genesisHash);
  /** The fields on disk, and the fields to be written. */
  let stored = await readFields(disk, path, genesisHash);
  let wanted = stored;
  let trusted = false;
  let failure: WalError | undefined;
  let writing: Promise<void> | undefined;

  async function mayTrust(log: LogPosition): Promise<Refusal> {
    if (stored.handedOver !== 0) throw handedOver(path);
    const judged = judgeLog(wanted, log);
    if (judged !== wanted) {
      wanted = judged;
      await persist();
    }
    trusted = true;
    return refusalOf(stored);
  }

  async function reserve({ view = 0, chunkSequence = 0, logSequence }: Reservation): Promise<void> {
    assert(trusted, 'the log is judged (mayTrust) before anything is reserved on it');
    const highest = Math.max(view, chunkSequence) + RESERVED_AHEAD;
    assert(Number.isSafeInteger(highest), 'what is reserved can be read back');
    if (failure !== undefined) throw failure;
    const renewMark = view > wanted.mark - RENEW_BELOW && view > 0;
    const renewChunkMark = chunkSequence > wanted.chunkMark - RENEW_BELOW && chunkSequence > 0;
    if (renewMark || renewChunkMark) {
      wanted = {
        ...wanted,
        mark: renewMark ? view + RESERVED_AHEAD : wanted.mark,
        chunkMark: renewChunkMark ? chunkSequence + RESERVED_AHEAD : wanted.chunkMark,
        logSequence: Math.max(wanted.logSequence, logSequence),
      };
    }
    const written = wanted === stored ? undefined : persist();
    if (view > stored.mark || chunkSequence > stored.chunkMark) await written;
    else written?.catch(() => {}); // the next reservation throws it
  }

  /** Resolves once the current `wanted` is on disk. Only one write runs at a time. */
  async function persist(): Promise<void> {
    const target = wanted;
    while (failure === undefined && stored !== target && !isCovered(target, stored)) {
      writing ??= writeOnce().finally(() => {
        writing = undefined;
      });
      await writing;
    }
    if (failure !== undefined) throw failure;
  }

  async function writeOnce(): Promise<void> {
    const fields = wanted;
    try {
      await replaceFile(disk, path, sealJson({ format: FORMAT_VERSION, genesisHash, ...fields }));
      stored = fields;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `writing ${path} failed: ${reason}. Nothing more is signed: check the disk, then start the node again`;
      failure = new WalError('write-failed', message, { path }, cause);
    }
  }

  function become(fields: Fields): Promise<void> {
    wanted = fields;
    return persist();
  }

  const exportHistory = () => formatHistory({ genesisHash, mark: wanted.mark, chunkMark: wanted.chunkMark });

  async function handOver(): Promise<string> {
    wanted = { ...wanted, handedOver: 1 };
    await persist();
    return exportHistory();
  }

  return {
    get isHandedOver() {
      return stored.handedOver !== 0;
    },
    get mark() {
      return stored.mark;
    },
    get chunkMark() {
      return stored.chunkMark;
    },
    get logSequence() {
      return stored.logSequence;
    },
    judge: (log) => refusalOf(judgeLog(stored, log)),
    mayTrust,
    reserve,
    exportHistory,
    handOver,
    importHistory: async (text) => become(withHistory(wanted, parseHistory(text, genesisHash), 'history-imported')),
    recover: (recovery) => become(recovered(wanted, recovery)),
  };
}

/** The fields after judging this log: the same object when it is that of the last reservation and reaches as far. */
function judgeLog(fields: Fields, log: LogPosition | undefined): Fields {
  const first = fields.logId === '' && fields.mark === 0 && fields.chunkMark === 0;
  if (!first && log?.logId === fields.logId && log.lastSequence >= fields.logSequence) return fields;
  const judged = { ...fields, logId: log?.logId ?? '', logSequence: log?.lastSequence ?? 0 };
  if (first) return judged;
  const { mark, chunkMark } = fields;
  const refusedFor = mark > fields.refusedView ? 'wal-lost' : fields.refusedFor;
  return { ...judged, refusedView: mark, refusedChunkSequence: chunkMark, refusedFor };
}

type Marks = Pick<SigningHistory, 'mark' | 'chunkMark'>;

/** Refuses everything that the history covers, and ends a handover. */
function withHistory(fields: Fields, { mark, chunkMark }: Marks, reason: RefusalReason): Fields {
  return {
    ...fields,
    mark: Math.max(fields.mark, mark),
    chunkMark: Math.max(fields.chunkMark, chunkMark),
    refusedView: Math.max(fields.refusedView, mark),
    refusedChunkSequence: Math.max(fields.refusedChunkSequence, chunkMark),
    refusedFor: mark > fields.refusedView ? reason : fields.refusedFor,
    handedOver: 0,
  };
}

function recovered(fields: Fields, { mark, chunkMark, nullifies }: Recovery): Fields {
  const refusing = withHistory(fields, { mark: Math.max(fields.mark, mark), chunkMark }, 'wal-lost');
  return nullifies ? { ...refusing, nullifyUpToView: refusing.refusedView } : refusing;
}

function refusalOf({ refusedView, refusedChunkSequence, refusedFor, nullifyUpToView }: Fields): Refusal {
  const reason = refusedFor === '' ? undefined : refusedFor;
  return { viewsUpTo: refusedView, chunkSequencesUpTo: refusedChunkSequence, reason, nullifiesUpTo: nullifyUpToView };
}

/** Fields only grow, except those compared for equality and refusedFor (it changes with refusedView). So a later write covers this one. */
function isCovered(wish: Fields, stored: Fields): boolean {
  return (
    stored.logId === wish.logId &&
    stored.handedOver === wish.handedOver &&
    stored.mark >= wish.mark &&
    stored.chunkMark >= wish.chunkMark &&
    stored.refusedView >= wish.refusedView &&
    stored.refusedChunkSequence >= wish.refusedChunkSequence &&
    stored.nullifyUpToView >= wish.nullifyUpToView
  );
}

async function readFields(disk: Disk, path: string, genesisHash: string): Promise<Fields> {
  const bytes = await disk.readWhole(path, FILE_BYTES_MAX).catch((cause: unknown) => {
    if (cause instanceof DiskError && cause.code === 'too-large') throw damaged(path);
    throw cause;
  });
  if (bytes === undefined) return NOTHING_SIGNED;
  const sealed = openSealedJson(decodeText(bytes));
  if (sealed === undefined || sealed.format !== FORMAT_VERSION) throw damaged(path);
  if (sealed.genesisHash !== genesisHash) {
    const message = `${path} belongs to another chain (genesis ${sealed.genesisHash}): use the data folder of this genesis`;
    throw new WalError('sign-state-foreign', message, { path, genesisHash: sealed.genesisHash });
  }
  const mark = countField(sealed, 'mark');
  const chunkMark = countField(sealed, 'chunkMark');
  const logSequence = countField(sealed, 'logSequence');
  const refusedView = countField(sealed, 'refusedView');
  const refusedChunkSequence = countField(sealed, 'refusedChunkSequence');
  const nullifyUpToView = countField(sealed, 'nullifyUpToView');
  const handedOver = countField(sealed, 'handedOver');
  const { logId, refusedFor } = sealed;
  if (
    mark === undefined ||
    chunkMark === undefined ||
    logSequence === undefined ||
    refusedView === undefined ||
    refusedChunkSequence === undefined ||
    nullifyUpToView === undefined ||
    handedOver === undefined ||
    typeof logId !== 'string' ||
    !isReasonOrNone(refusedFor)
  ) {
    throw damaged(path);
  }
  return {
    mark,
    chunkMark,
    logId,
    logSequence,
    refusedView,
    refusedChunkSequence,
    refusedFor,
    nullifyUpToView,
    handedOver,
  };
}

function isReasonOrNone(value: unknown): value is RefusalReason | '' {
  return value === '' || REFUSAL_REASONS.some((reason) => reason === value);
}

function damaged(path: string): WalError {
  const message =
    `${path} is damaged, or a newer version wrote it: what was signed is unknown. ` +
    'Restore it with: slipstream keys import-history, from a history of this validator';
  return new WalError('sign-state-damaged', message, { path });
}

function handedOver(path: string): WalError {
  const message =
    'the signing history of this validator was exported from this folder for another machine, so nothing is signed here. If no ' +
    'other machine has started with it, or the one that did is stopped for good, take its newest history back: ' +
    'slipstream keys import-history FILE';
  return new WalError('handed-over', message, { path });
}

function decodeText(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch {
    return '';
  }
}

/** Atomic: a power cut leaves the old or the new content. The new content is durable on return. */
async function replaceFile(disk: Disk, path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await disk.open(temporary, { create: true });
  try {
    await file.truncate(0);
    await file.write(0, [utf8(text)]);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(temporary, path);
  const folderEnd = path.lastIndexOf('/');
  await disk.syncDirectory(folderEnd === -1 ? '' : path.slice(0, folderEnd));
}
