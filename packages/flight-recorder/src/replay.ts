/**
 * Replay: runs a recording and compares the outcomes.
 *
 *   head --> core --entry: input--> outcome --digest--> equal to the recorded one? --> next entry
 */
import { type Core, type CoreSetting, resumeCore } from '@slipstream/consensus';
import { bytesEqual, concatBytes } from '@slipstream/primitives';
import { createDigest, type Digest } from './digest.ts';
import { unreadable } from './errors.ts';
import {
  type CoreInput,
  createOutcomeDigest,
  END_MARK,
  ENTRY_BYTES_MAX,
  ENTRY_TAIL_BYTES,
  HEAD_TAIL_BYTES,
  type Outcome,
  outcomeOf,
  RECORDING_MAGIC,
  type RecordingHead,
} from './recording.ts';
import { ValueReader } from './value-reader.ts';

export interface ReplayedStep {
  /** From 0. */
  readonly entry: number;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly input: CoreInput;
  readonly outcome: Outcome;
}

type ReplayEnd =
  /**
   * `cutBytes` belong to an unfinished last entry. Without `stoppedInOrder` the next file continues, or the process was killed or failed.
   */
  | { readonly type: 'whole'; readonly cutBytes: number; readonly stoppedInOrder: boolean }
  | { readonly type: 'view-reached' }
  /** The core's assertion failed, in the recording and in the replay. */
  | { readonly type: 'assertion'; readonly message: string }
  /** The same input had another outcome: the code or the recording was changed. */
  | { readonly type: 'differs' }
  /** The recording is damaged from this entry on. */
  | { readonly type: 'damaged'; readonly reason: string };

export interface ReplayResult {
  readonly end: ReplayEnd;
  /** Number of entries with equal outcomes. */
  readonly equalEntries: number;
  /** The entry at which the replay failed. */
  readonly entry: number | undefined;
  readonly status: ReturnType<Core['status']>;
  readonly self: number | undefined;
}

export interface ReplayOptions {
  /** Stops once a higher view is entered. */
  readonly untilView?: number;
  /** Called once, before any step. */
  readonly onHead?: (setting: CoreSetting) => void;
  readonly onStep?: (step: ReplayedStep, core: Core) => void;
}

/** Throws RecordingError `recording-unreadable` for an unreadable head. */
export function replayRecording(bytes: Uint8Array, { untilView, onHead, onStep }: ReplayOptions = {}): ReplayResult {
  const reader = new ValueReader();
  const blocks = blocksOf(bytes);
  const first = blocks.next();
  if (first.done) throw unreadable('it has no head');
  const inputs = createDigest();
  const { setting, state } = readHead(reader, first.value, inputs);
  onHead?.(setting);
  const core = resumeCore(setting, state);
  const outcomes = createOutcomeDigest();
  let entry = 0;

  const finish = (end: ReplayEnd): ReplayResult => {
    const ill = end.type === 'differs' || end.type === 'damaged' || end.type === 'assertion';
    return { end, equalEntries: entry, entry: ill ? entry : undefined, status: core.status(), self: setting.self };
  };

  for (let next = blocks.next(); ; next = blocks.next()) {
    if (next.done) return finish({ type: 'whole', ...next.value });
    const read = readEntry(reader, next.value, inputs);
    if (typeof read === 'string') return finish({ type: 'damaged', reason: read });
    const { input, nowMs, wallMs, low, high } = read;
    const outcome = outcomeOf(core, input, nowMs, wallMs);
    onStep?.({ entry, nowMs, wallMs, input, outcome }, core);
    outcomes.add(outcome);
    if (outcomes.low !== low || outcomes.high !== high) return finish({ type: 'differs' });
    if ('threw' in outcome) return finish({ type: 'assertion', message: outcome.threw });
    entry++;
    if (untilView !== undefined && core.status().view > untilView) return finish({ type: 'view-reached' });
  }
}

/** Yields head and entries; returns the number of bytes after the last whole block, and whether the end mark is there. */
function* blocksOf(
  bytes: Uint8Array,
): Generator<Uint8Array, { readonly cutBytes: number; readonly stoppedInOrder: boolean }> {
  const magic = bytes.subarray(0, RECORDING_MAGIC.length);
  if (magic.length < RECORDING_MAGIC.length || RECORDING_MAGIC.some((byte, at) => byte !== magic[at])) {
    throw unreadable('it does not begin as a recording does');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = RECORDING_MAGIC.length;
  while (at + 4 <= bytes.length) {
    const length = view.getUint32(at, true);
    if (length > ENTRY_BYTES_MAX || at + 4 + length > bytes.length) break;
    yield bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  const stoppedInOrder = bytesEqual(bytes.subarray(at), END_MARK);
  return { cutBytes: stoppedInOrder ? 0 : bytes.length - at, stoppedInOrder };
}

function readHead(reader: ValueReader, block: Uint8Array, inputs: Digest): RecordingHead {
  const end = Math.max(0, block.length - HEAD_TAIL_BYTES);
  inputs.add(concatBytes(block.subarray(0, end)));
  reader.open(block.subarray(end));
  if (block.length <= HEAD_TAIL_BYTES || reader.readWord() !== inputs.low) throw unreadable('its head is damaged');
  reader.open(block.subarray(0, end));
  const head = reader.read({ identity: true }) as Partial<RecordingHead> | undefined;
  if (!head?.setting || !head.state) throw unreadable('its head holds no setting and state');
  return head as RecordingHead;
}

interface Entry {
  readonly input: CoreInput;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the entry, or the fault. */
function readEntry(reader: ValueReader, block: Uint8Array, inputs: Digest): Entry | string {
  if (block.length < ENTRY_TAIL_BYTES) return 'an entry is too short';
  inputs.add(concatBytes(block.subarray(0, block.length - ENTRY_TAIL_BYTES)));
  try {
    reader.open(block);
    const input = reader.read() as CoreInput;
    const nowMs = reader.readFloat();
    const wallMs = reader.readFloat();
    if (reader.left !== ENTRY_TAIL_BYTES) return 'an entry is longer than its event';
    if (reader.readWord() !== inputs.low) return 'the checksum of its events does not hold';
    return { input, nowMs, wallMs, low: reader.readWord(), high: reader.readWord() };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
