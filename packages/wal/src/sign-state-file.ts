/** The sign state's file: sealed JSON, replaced as a whole. */
import { type Disk, DiskError } from '@slipstream/ports';
import { fromUtf8, utf8 } from '@slipstream/primitives';
import { WalError } from './errors.ts';
import { countField, openSealedJson, sealJson } from './sealed-json.ts';

const FORMAT_VERSION = 1;
const FILE_BYTES_MAX = 4_096;

/** `wal-lost`: the log is gone or too short. `history-imported`: from another machine, or for a lost log. */
export const REFUSAL_REASONS = ['wal-lost', 'history-imported'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface SignStateFields {
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

const NOTHING_SIGNED: SignStateFields = {
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

/** A missing file means that nothing was signed. Throws WalError `sign-state-damaged` or `sign-state-foreign`. */
export async function readFields(disk: Disk, path: string, genesisHash: string): Promise<SignStateFields> {
  const bytes = await disk.readWhole(path, FILE_BYTES_MAX).catch((cause: unknown) => {
    if (cause instanceof DiskError && cause.code === 'too-large') throw damaged(path);
    throw cause;
  });
  if (bytes === undefined) return NOTHING_SIGNED;
  const sealed = openSealedJson(decodeText(bytes));
  if (sealed === undefined || sealed.format !== FORMAT_VERSION) throw damaged(path);
  if (sealed.genesisHash !== genesisHash) {
    const message = `${path} belongs to another chain (genesis ${sealed.genesisHash}): use the data folder of this genesis. An older program gives the same genesis file another hash: then the chain begins again`;
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

/** Atomic: a power cut leaves the old or the new content. Durable on return. */
export async function writeFields(
  disk: Disk,
  path: string,
  genesisHash: string,
  fields: SignStateFields,
): Promise<void> {
  const text = sealJson({ format: FORMAT_VERSION, genesisHash, ...fields });
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

function isReasonOrNone(value: unknown): value is RefusalReason | '' {
  return value === '' || REFUSAL_REASONS.some((reason) => reason === value);
}

function damaged(path: string): WalError {
  const message =
    `${path} is damaged, or a newer version wrote it: what was signed is unknown. ` +
    'Restore it with: slipstream keys import-history, from a history of this validator';
  return new WalError('sign-state-damaged', message, { path });
}

function decodeText(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch {
    return '';
  }
}
