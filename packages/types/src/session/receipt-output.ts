/**
 * Output of a receipt: entries of {kind u8, length u16, bytes}, integers little-endian, in the order of the actions.
 *
 *   1 grant: its id             4 event of an application: application u16, event u16, body
 *   2 proposal: its id          5 the text of an application's failure; alone, in a failed receipt
 *   3 registration: index u32
 */
import { concatBytes, fromUtf8, uint32le, utf8 } from '@slipstream/primitives';
import type { GrantId, ProposalId } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';

const GRANT = 1;
const PROPOSAL = 2;
const REGISTRATION = 3;
const EVENT = 4;
const FAILURE = 5;
const INDEX_BYTES = 4;
const EVENT_HEAD_BYTES = 4;
const HEAD_BYTES = 3;

const uint16le = (value: number): Uint8Array => Uint8Array.of(value, value >>> 8);

function entry(kind: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = concatBytes(...parts);
  return concatBytes(Uint8Array.of(kind), uint16le(bytes.length), bytes);
}

export const grantOutput = (id: GrantId): Uint8Array => entry(GRANT, id);

export const proposalOutput = (id: ProposalId): Uint8Array => entry(PROPOSAL, id);

/** Index in the account directory. */
export const registrationOutput = (index: number): Uint8Array => entry(REGISTRATION, uint32le(index));

export interface ApplicationEvent {
  /** Of the application, in the order of genesis. */
  readonly application: number;
  /** In the application's manifest. */
  readonly event: number;
  readonly body: Uint8Array;
}

/**
 * In one array: a block may have thousands.
 *
 * @param bodyBytes so many bytes of the body's array count
 */
export function eventOutput({ application, event, body }: ApplicationEvent, bodyBytes = body.length): Uint8Array {
  const length = EVENT_HEAD_BYTES + bodyBytes;
  const bytes = partOfPool(HEAD_BYTES + length);
  bytes[0] = EVENT;
  bytes[1] = length;
  bytes[2] = length >>> 8;
  bytes[3] = application;
  bytes[4] = application >>> 8;
  bytes[5] = event;
  bytes[6] = event >>> 8;
  for (let i = 0; i < bodyBytes; i++) bytes[HEAD_BYTES + EVENT_HEAD_BYTES + i] = body[i] as number;
  return bytes;
}

/** An array above 64 bytes has memory of its own, which costs more than all else here: outputs share some of it. */
const POOL_BYTES = 16_384;
let pool = new Uint8Array(0);
let poolUsed = 0;

function partOfPool(length: number): Uint8Array {
  if (length > POOL_BYTES / 4) return new Uint8Array(length);
  if (poolUsed + length > pool.length) {
    pool = new Uint8Array(POOL_BYTES);
    poolUsed = 0;
  }
  poolUsed += length;
  return pool.subarray(poolUsed - length, poolUsed);
}

/** Of `application-failed`. */
export const failureOutput = (text: string): Uint8Array => entry(FAILURE, utf8(text));

/** Undefined: malformed output. */
export function grantsInOutput(output: Uint8Array): readonly GrantId[] | undefined {
  return entriesInOutput(output, GRANT, isId)?.map((id) => asId<GrantId>(id));
}

/** Undefined: malformed output. */
export function proposalsInOutput(output: Uint8Array): readonly ProposalId[] | undefined {
  return entriesInOutput(output, PROPOSAL, isId)?.map((id) => asId<ProposalId>(id));
}

/** Indices in the account directory. Undefined: malformed output. */
export function registrationsInOutput(output: Uint8Array): readonly number[] | undefined {
  const found = entriesInOutput(output, REGISTRATION, ({ length }) => length === INDEX_BYTES);
  return found?.map((bytes) => viewOf(bytes).getUint32(0, true));
}

/** Undefined: malformed output. */
export function eventsInOutput(output: Uint8Array): readonly ApplicationEvent[] | undefined {
  const found = entriesInOutput(output, EVENT, ({ length }) => length >= EVENT_HEAD_BYTES);
  return found?.map((bytes) => {
    const view = viewOf(bytes);
    return {
      application: view.getUint16(0, true),
      event: view.getUint16(2, true),
      body: bytes.subarray(EVENT_HEAD_BYTES),
    };
  });
}

/** What an application's `fail` said. Undefined: malformed output, or none. */
export function failureInOutput(output: Uint8Array): string | undefined {
  const [text] = entriesInOutput(output, FAILURE, () => true) ?? [];
  return text && fromUtf8(text);
}

const isId = ({ length }: Uint8Array): boolean => length === ID_BYTES;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

function entriesInOutput(
  output: Uint8Array,
  wanted: number,
  isSound: (bytes: Uint8Array) => boolean,
): readonly Uint8Array[] | undefined {
  const found: Uint8Array[] = [];
  const view = viewOf(output);
  let at = 0;
  while (at < output.length) {
    if (at + HEAD_BYTES > output.length) return undefined;
    const end = at + HEAD_BYTES + view.getUint16(at + 1, true);
    if (end > output.length) return undefined;
    const bytes = output.subarray(at + HEAD_BYTES, end);
    if (output[at] === wanted) {
      if (!isSound(bytes)) return undefined;
      found.push(bytes);
    }
    at = end;
  }
  return found;
}
