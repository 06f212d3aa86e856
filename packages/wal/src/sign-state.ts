/**
 * Sign state: a file beside the log that bounds what may have been signed, even when the log is lost.
 *
 * Nothing is signed for a view above `mark`, a reservation that moves 64 views ahead at a time (temporary file, fsync, rename, fsync of
 * the folder), so views cost no sync here. `chunkMark` reserves chunk sequences likewise (gaps are legal). `logId` and `logSequence`
 * identify the log and how far it was durable then.
 *
 *   start: openSignState --> openWal --> mayTrust(log) --> same log, reaches logSequence: the log holds everything signed
 *                                          \--> else: views <= mark and chunk sequences <= chunkMark are refused for good
 *   then:  reserve(view) before anything of the view is signed
 *
 * INVARIANT: a refusal is durable before mayTrust returns, so a new log that outgrows the old one is never mistaken for it. After a
 * handover the folder signs nothing until a history is imported: the other machine begins above the mark, so at first its messages
 * would not reveal a second instance here.
 */
import type { Disk } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import { WalError } from './errors.ts';
import { formatHistory, parseHistory, type SigningHistory } from './history.ts';
import { type RefusalReason, readFields, type SignStateFields, writeFields } from './sign-state-file.ts';

/** Views per write of the file. A lost log costs at most as many views. */
export const RESERVED_AHEAD = 64;
/** Below this remainder a background write renews the reservation, so that no view waits for it. */
const RENEW_BELOW = 32;

interface SignStateOptions {
  readonly path: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
}

/** What is never signed, whatever the log holds. 0: nothing is refused. */
export interface Refusal {
  readonly viewsUpTo: number;
  readonly chunkSequencesUpTo: number;
  /** Undefined when no view is refused. */
  readonly reason: RefusalReason | undefined;
  /** By the operator's decision, rule 5a may nullify refused views up to this one (consensus.md). 0: none. */
  readonly nullifiesUpTo: number;
}

export interface Recovery {
  /** Bounds of what may have been signed. */
  readonly mark: number;
  readonly chunkMark: number;
  /** The chain is halted: refused views may be nullified. */
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
  /** Another machine signs. */
  readonly isHandedOver: boolean;
  readonly mark: number;
  readonly chunkMark: number;
  readonly logSequence: number;
  /** The result of mayTrust for this log, or for none. Changes nothing. */
  judge(log: LogPosition | undefined): Refusal;
  /**
   * Call after the log's replay and before `reserve`. Refuses nothing new when the log is that of the last reservation and reaches as far.
   * Rejects with WalError `handed-over`.
   */
  mayTrust(log: LogPosition): Promise<Refusal>;
  /** Resolves once view and chunk sequence are reserved, mostly at once. Rejects with WalError `write-failed`. */
  reserve(reservation: Reservation): Promise<void>;
  /** Returns the text for importHistory, which is out of date once this validator signs again. */
  exportHistory(): string;
  /** Exports the history and durably stops signing in this folder. */
  handOver(): Promise<string>;
  /** Refuses what the other machine may have signed. Throws WalError `history-malformed` or `history-foreign`. */
  importHistory(text: string): Promise<void>;
  /** For a lost log or disk. Refuses everything up to the operator's marks. */
  recover(recovery: Recovery): Promise<void>;
}

/** A missing file means that nothing was signed. Throws WalError `sign-state-damaged` or `sign-state-foreign`. */
export async function openSignState({ disk }: { readonly disk: Disk }, options: SignStateOptions): Promise<SignState> {
  const genesisHash = toHex(options.genesisHash);
  const fields = await readFields(disk, options.path, genesisHash);
  return new DurableSignState(disk, options.path, genesisHash, fields);
}

class DurableSignState implements SignState {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #genesisHash: string;
  /** The fields on disk, and the fields to be written. */
  #stored: SignStateFields;
  #wanted: SignStateFields;
  #trusted = false;
  #failure: WalError | undefined;
  #writing: Promise<void> | undefined;

  constructor(disk: Disk, path: string, genesisHash: string, stored: SignStateFields) {
    this.#disk = disk;
    this.#path = path;
    this.#genesisHash = genesisHash;
    this.#stored = stored;
    this.#wanted = stored;
  }

  get isHandedOver(): boolean {
    return this.#stored.handedOver !== 0;
  }

  get mark(): number {
    return this.#stored.mark;
  }

  get chunkMark(): number {
    return this.#stored.chunkMark;
  }

  get logSequence(): number {
    return this.#stored.logSequence;
  }

  judge(log: LogPosition | undefined): Refusal {
    return refusalOf(judgeLog(this.#stored, log));
  }

  async mayTrust(log: LogPosition): Promise<Refusal> {
    if (this.isHandedOver) throw handedOver(this.#path);
    const judged = judgeLog(this.#wanted, log);
    if (judged !== this.#wanted) {
      this.#wanted = judged;
      await this.#persist();
    }
    this.#trusted = true;
    return refusalOf(this.#stored);
  }

  async reserve(reservation: Reservation): Promise<void> {
    const { view = 0, chunkSequence = 0 } = reservation;
    assert(this.#trusted, 'the log is judged (mayTrust) before anything is reserved on it');
    const highest = Math.max(view, chunkSequence) + RESERVED_AHEAD;
    assert(Number.isSafeInteger(highest), 'what is reserved can be read back');
    if (this.#failure !== undefined) throw this.#failure;
    this.#wanted = reserved(this.#wanted, reservation);
    const written = this.#wanted === this.#stored ? undefined : this.#persist();
    if (view > this.#stored.mark || chunkSequence > this.#stored.chunkMark) await written;
    else written?.catch(() => {}); // the next reservation throws it
  }

  exportHistory(): string {
    const { mark, chunkMark } = this.#wanted;
    return formatHistory({ genesisHash: this.#genesisHash, mark, chunkMark });
  }

  async handOver(): Promise<string> {
    await this.#become({ ...this.#wanted, handedOver: 1 });
    return this.exportHistory();
  }

  async importHistory(text: string): Promise<void> {
    const history = parseHistory(text, this.#genesisHash);
    return this.#become(withHistory(this.#wanted, history, 'history-imported'));
  }

  recover(recovery: Recovery): Promise<void> {
    return this.#become(recovered(this.#wanted, recovery));
  }

  #become(fields: SignStateFields): Promise<void> {
    this.#wanted = fields;
    return this.#persist();
  }

  /** Resolves once the current `wanted` is on disk. One write runs at a time. */
  async #persist(): Promise<void> {
    const target = this.#wanted;
    while (this.#failure === undefined && this.#stored !== target && !isCovered(target, this.#stored)) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Never rejects: callers of `persist` get the failure. */
  async #write(): Promise<void> {
    const path = this.#path;
    const fields = this.#wanted;
    try {
      await writeFields(this.#disk, path, this.#genesisHash, fields);
      this.#stored = fields;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `writing ${path} failed: ${reason}. Nothing more is signed: check the disk, then start the node again`;
      this.#failure = new WalError('write-failed', message, { path }, cause);
    }
  }
}

/** Extends a reservation that does not reach far enough; otherwise returns the same object. */
function reserved(fields: SignStateFields, { view = 0, chunkSequence = 0, logSequence }: Reservation): SignStateFields {
  const renewMark = view > fields.mark - RENEW_BELOW && view > 0;
  const renewChunkMark = chunkSequence > fields.chunkMark - RENEW_BELOW && chunkSequence > 0;
  if (!renewMark && !renewChunkMark) return fields;
  return {
    ...fields,
    mark: renewMark ? view + RESERVED_AHEAD : fields.mark,
    chunkMark: renewChunkMark ? chunkSequence + RESERVED_AHEAD : fields.chunkMark,
    logSequence: Math.max(fields.logSequence, logSequence),
  };
}

/** The same object when the log is that of the last reservation and reaches as far. */
function judgeLog(fields: SignStateFields, log: LogPosition | undefined): SignStateFields {
  const first = fields.logId === '' && fields.mark === 0 && fields.chunkMark === 0;
  if (!first && log?.logId === fields.logId && log.lastSequence >= fields.logSequence) return fields;
  const judged = { ...fields, logId: log?.logId ?? '', logSequence: log?.lastSequence ?? 0 };
  if (first) return judged;
  const { mark, chunkMark } = fields;
  const refusedFor = mark > fields.refusedView ? 'wal-lost' : fields.refusedFor;
  return { ...judged, refusedView: mark, refusedChunkSequence: chunkMark, refusedFor };
}

type Marks = Pick<SigningHistory, 'mark' | 'chunkMark'>;

/** Refuses what the history covers, and ends a handover. */
function withHistory(fields: SignStateFields, { mark, chunkMark }: Marks, reason: RefusalReason): SignStateFields {
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

function recovered(fields: SignStateFields, { mark, chunkMark, nullifies }: Recovery): SignStateFields {
  const refusing = withHistory(fields, { mark: Math.max(fields.mark, mark), chunkMark }, 'wal-lost');
  return nullifies ? { ...refusing, nullifyUpToView: refusing.refusedView } : refusing;
}

function refusalOf({ refusedView, refusedChunkSequence, refusedFor, nullifyUpToView }: SignStateFields): Refusal {
  const reason = refusedFor === '' ? undefined : refusedFor;
  return { viewsUpTo: refusedView, chunkSequencesUpTo: refusedChunkSequence, reason, nullifiesUpTo: nullifyUpToView };
}

/** True when a write of `stored` fulfilled the wish: fields not compared for equality only grow (refusedFor changes with refusedView). */
function isCovered(wish: SignStateFields, stored: SignStateFields): boolean {
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

function handedOver(path: string): WalError {
  const message =
    'the signing history of this validator was exported from this folder for another machine, so nothing is signed here. If no ' +
    'other machine has started with it, or the one that did is stopped for good, take its newest history back: ' +
    'slipstream keys import-history FILE';
  return new WalError('handed-over', message, { path });
}
