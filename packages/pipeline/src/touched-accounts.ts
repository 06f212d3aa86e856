/** Accounts with a transaction in their history: its sender and recipients. */
import { bytesEqual, toHex, unreachable } from '@slipstream/primitives';
import { type AccountKey, type Action, accountKeyBytes, type Transaction } from '@slipstream/types';

/** Above this many a map is faster than comparing all pairs. */
const COMPARED_MAX = 8;

/** Each once, the sender first. */
export function touchedAccounts({ body }: Transaction): readonly AccountKey[] {
  const [only] = body.actions;
  // Most transactions: a list that grows would take 150 bytes.
  if (body.actions.length === 1 && only?.kind === 'transfer') {
    return isSame(only.to, body.sender) ? [body.sender] : [body.sender, only.to];
  }
  const touched = [body.sender];
  for (const action of body.actions) {
    for (const account of recipientsOf(action)) {
      if (touched.length > COMPARED_MAX || !isAmong(account, touched)) touched.push(account);
    }
  }
  if (touched.length <= COMPARED_MAX) return touched;
  return [...new Map(touched.map((account) => [toHex(accountKeyBytes(account)), account])).values()];
}

function isAmong(account: AccountKey, others: readonly AccountKey[]): boolean {
  for (const other of others) if (isSame(account, other)) return true;
  return false;
}

function isSame(a: AccountKey, b: AccountKey): boolean {
  return a.scheme === b.scheme && bytesEqual(a.bytes, b.bytes);
}

function recipientsOf(action: Action): readonly AccountKey[] {
  switch (action.kind) {
    case 'transfer':
      return [action.to];
    case 'transferMany':
      return action.outputs.map(({ to }) => to);
    case 'setData':
      return [];
    case 'addDevice':
    case 'removeDevice':
      return [action.anchor, action.device];
    case 'grantSession':
      return [action.anchor];
    case 'revokeSession':
      return [action.owner];
    case 'propose':
    case 'approve':
    case 'revoke':
    case 'ready':
    case 'rotateKeys':
    case 'leave':
    case 'reportEquivocation':
    case 'advanceIssuer':
    case 'register':
    case 'call':
      return [];
    default:
      return unreachable(action, 'action');
  }
}
