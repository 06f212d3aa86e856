import type { Brand } from '@slipstream/primitives';
import { fromHex, PrimitivesError, toHex } from '@slipstream/primitives';

export const ID_BYTES = 32;

export type GenesisHash = Brand<Uint8Array, 'GenesisHash'>;
export type BlockId = Brand<Uint8Array, 'BlockId'>;
export type ChunkId = Brand<Uint8Array, 'ChunkId'>;
export type TransactionId = Brand<Uint8Array, 'TransactionId'>;
export type StateDigest = Brand<Uint8Array, 'StateDigest'>;
/** Names an epoch's committee and parameters (epochs/record.ts). */
export type RecordHash = Brand<Uint8Array, 'RecordHash'>;
/** Of changes of the committee or the parameters. */
export type ProposalId = Brand<Uint8Array, 'ProposalId'>;
/** Hash of a grant: a session's id. */
export type GrantId = Brand<Uint8Array, 'GrantId'>;

type AnyId = GenesisHash | BlockId | ChunkId | TransactionId | StateDigest | RecordHash | ProposalId | GrantId;

/** Hexadecimal without prefix, for map keys. */
export type Hex<Id extends AnyId> = Brand<string, 'Hex'> & { readonly of?: Id };

export function hexOf<Id extends AnyId>(id: Id): Hex<Id> {
  return toHex(id) as Hex<Id>;
}

/** Throws PrimitivesError unless 32 bytes. */
export function asId<Id extends AnyId>(bytes: Uint8Array): Id {
  if (bytes.length !== ID_BYTES) {
    throw new PrimitivesError('invariant-broken', `an id has ${ID_BYTES} bytes, not ${bytes.length}`, {});
  }
  return bytes as Id;
}

export function idFromHex<Id extends AnyId>(text: string): Id {
  return asId<Id>(fromHex(text));
}

/** 0 is genesis. */
export type View = Brand<number, 'View'>;
/** 0 is genesis. */
export type Height = Brand<number, 'Height'>;

export function view(value: number): View {
  return value as View;
}

export function height(value: number): Height {
  return value as Height;
}

/** A committee with its parameters, from one boundary to the next. Every signed message names it. */
export type Epoch = Brand<number, 'Epoch'>;

export function epoch(value: number): Epoch {
  return value as Epoch;
}

/** Its committee is the genesis's. */
export const GENESIS_EPOCH: Epoch = epoch(0);

export const ZERO_ID: Uint8Array = new Uint8Array(ID_BYTES);
