/**
 * Reads transactions in place, faster than the codec, which reports faults. A property test compares both.
 *
 *   body, auth: 4, 4 | genesis hash 32 | 4 | expiry 8 | salt 8 | maxFee 8 | 4 | scheme, 4, sender 32 | actions | tag, 4, authority
 *
 *   authority:  ed25519 signature 64        session signature 64, 4, credential        session-hash signature 64, key 32, grant 32
 *
 * Fields before the actions have fixed offsets in canonical SSZ. A credential is looked up by hash before parsing
 * (session/credential-memory.ts).
 */
import { ACCOUNT_SCHEMES, type AccountKey, type AccountScheme } from './account.ts';
import { actionFromWire } from './actions/forms.ts';
import type { Action } from './actions/index.ts';
import { transfer } from './actions/transfer.ts';
import type { GenesisHash, GrantId } from './ids.ts';
import { ACTIONS_MAX, AUTH_BYTES_MAX, TRANSACTION_BYTES_MAX } from './limits.ts';
import { AUTH_TAGS, type TransactionAuth } from './session/auth.ts';
import type { CredentialReader } from './session/credential-memory.ts';
import type { Transaction } from './transaction.ts';

/** Offsets stored in the body count from BODY. */
const BODY = 8;
const GENESIS_HASH = BODY;
const EXPIRY = BODY + 36;
const SALT = EXPIRY + 8;
const MAX_FEE = SALT + 8;
const SENDER_SCHEME = MAX_FEE + 12;
const ACTIONS = SENDER_SCHEME + 37;
/** Tag and offset, then at least a signature. */
const AUTHORITY_HEAD_BYTES = 5;
const SIGNATURE_BYTES = 64;
const AUTHORITY_BYTES_MIN = AUTHORITY_HEAD_BYTES + SIGNATURE_BYTES;
const SESSION_HASH_BYTES = SIGNATURE_BYTES + 32 + 32;
/** Signature and offset. */
const CREDENTIAL = SIGNATURE_BYTES + 4;
/** Tag and offset, then a transfer: offset, amount, receiver. */
const ACTION_HEAD_BYTES = 5;
const TRANSFER_BYTES = 4 + 8 + 37;

/** Upper 32 bits of Number.MAX_SAFE_INTEGER. */
const EXACT_HIGH_MAX = 0x1fffff;

/** Undefined: another structure. Byte fields share the memory of `bytes`, except a credential's. */
export function readTransaction(bytes: Uint8Array, credentials: CredentialReader): Transaction | undefined {
  if (bytes.length <= ACTIONS + AUTHORITY_BYTES_MIN || bytes.length > TRANSACTION_BYTES_MAX) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = view.getUint32(4, true);
  const expiryHigh = view.getUint32(EXPIRY + 4, true);
  const scheme = schemeAt(view, SENDER_SCHEME);
  const isOne =
    view.getUint32(0, true) === BODY &&
    end > ACTIONS &&
    end <= bytes.length - AUTHORITY_BYTES_MIN &&
    view.getUint32(BODY + 32, true) === SENDER_SCHEME - BODY &&
    view.getUint32(MAX_FEE + 8, true) === ACTIONS - BODY &&
    view.getUint32(end + 1, true) === AUTHORITY_HEAD_BYTES &&
    expiryHigh <= EXACT_HIGH_MAX;
  const actions = isOne ? readActions(bytes, view, end) : undefined;
  if (actions === undefined || scheme === undefined || scheme === 'purse') return undefined;
  const authority = viewOf(bytes, end + AUTHORITY_HEAD_BYTES, bytes.length);
  const auth =
    scheme === 'ed25519'
      ? readSignature(bytes[end] as number, authority)
      : readSession(bytes[end] as number, authority, credentials);
  if (auth === undefined) return undefined;
  return {
    body: {
      genesisHash: viewOf(bytes, GENESIS_HASH, GENESIS_HASH + 32) as GenesisHash,
      sender: accountAt(bytes, SENDER_SCHEME, scheme),
      expiryMs: expiryHigh * 2 ** 32 + view.getUint32(EXPIRY, true),
      salt: viewOf(bytes, SALT, SALT + 8),
      maxFee: view.getBigUint64(MAX_FEE, true),
      actions,
    },
    auth,
  };
}

function readSignature(tag: number, signature: Uint8Array): TransactionAuth | undefined {
  return tag === AUTH_TAGS.ed25519 && signature.length === SIGNATURE_BYTES
    ? { scheme: 'ed25519', signature }
    : undefined;
}

function readSession(tag: number, authority: Uint8Array, credentials: CredentialReader): TransactionAuth | undefined {
  const signature = authority.subarray(0, SIGNATURE_BYTES);
  if (tag === AUTH_TAGS['session-hash'] && authority.length === SESSION_HASH_BYTES) {
    const sessionKey = authority.subarray(SIGNATURE_BYTES, SIGNATURE_BYTES + 32);
    return {
      scheme: 'session-hash',
      signature,
      sessionKey,
      grantId: authority.subarray(SIGNATURE_BYTES + 32) as GrantId,
    };
  }
  if (tag !== AUTH_TAGS.session || authority.length < CREDENTIAL || authority.length > AUTH_BYTES_MAX) return undefined;
  const view = new DataView(authority.buffer, authority.byteOffset, CREDENTIAL);
  if (view.getUint32(SIGNATURE_BYTES, true) !== CREDENTIAL) return undefined;
  const credential = credentials.read(authority.subarray(CREDENTIAL));
  return credential && { scheme: 'session', signature, credential };
}

/** Offsets relative to the list, then the actions. */
function readActions(bytes: Uint8Array, view: DataView, end: number): readonly Action[] | undefined {
  if (end - ACTIONS < 4) return undefined;
  const first = view.getUint32(ACTIONS, true);
  if (first % 4 !== 0 || first < 4 || first > 4 * ACTIONS_MAX || ACTIONS + first > end) return undefined;
  const actions: Action[] = [];
  let from = ACTIONS + first;
  for (let i = 4; i <= first; i += 4) {
    const to = i < first ? ACTIONS + view.getUint32(ACTIONS + i, true) : end;
    if (to < from + ACTION_HEAD_BYTES || to > end) return undefined;
    if (view.getUint32(from + 1, true) !== ACTION_HEAD_BYTES) return undefined;
    const action = readTransfer(bytes, view, from, to) ?? readOther(bytes, from, to);
    if (action === undefined) return undefined;
    actions.push(action);
    from = to;
  }
  return actions;
}

function readTransfer(bytes: Uint8Array, view: DataView, from: number, to: number): Action | undefined {
  const body = from + ACTION_HEAD_BYTES;
  if (bytes[from] !== transfer.tag || to - body !== TRANSFER_BYTES) return undefined;
  const scheme = schemeAt(view, body + 12);
  if (view.getUint32(body, true) !== 12 || scheme === undefined) return undefined;
  return { kind: 'transfer', to: accountAt(bytes, body + 12, scheme), amount: view.getBigUint64(body + 4, true) };
}

function readOther(bytes: Uint8Array, from: number, to: number): Action | undefined {
  try {
    return actionFromWire({ tag: bytes[from] as number, body: bytes.subarray(from + ACTION_HEAD_BYTES, to) });
  } catch {
    return undefined; // the codec reports the fault
  }
}

/** The account must end after a 32-byte key. */
function schemeAt(view: DataView, at: number): AccountScheme | undefined {
  if (view.getUint32(at + 1, true) !== 5) return undefined;
  const scheme = view.getUint8(at);
  if (scheme === ACCOUNT_SCHEMES.ed25519) return 'ed25519';
  if (scheme === ACCOUNT_SCHEMES.pseudonym) return 'pseudonym';
  return scheme === ACCOUNT_SCHEMES.purse ? 'purse' : undefined;
}

function accountAt(bytes: Uint8Array, at: number, scheme: AccountScheme): AccountKey {
  return { scheme, bytes: viewOf(bytes, at + 5, at + 37) };
}

/** Faster than `subarray`, which looks up the view's class. */
function viewOf(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
}
