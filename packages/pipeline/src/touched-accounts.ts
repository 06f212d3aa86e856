/** Whose history a transaction belongs to: its sender, and whoever it pays. */
import { bytesEqual, toHex, unreachable } from '@slipstream/primitives';
import { type AccountKey, type Action, accountKeyBytes, type Transaction } from '@slipstream/types';

/** Above this many, finding repetitions by comparing each with each costs more than a map. */
const COMPARED_MAX = 8;

/** accountKeyBytes of each account, once, the sender first. */
export function touchedAccounts({ body }: Transaction): readonly Uint8Array[] {
  const touched = [accountKeyBytes(body.sender)];
  for (const action of body.actions) {
    for (const account of recipientsOf(action)) {
      const bytes = accountKeyBytes(account);
      if (touched.length > COMPARED_MAX || !isAmong(bytes, touched)) touched.push(bytes);
    }
  }
  if (touched.length <= COMPARED_MAX) return touched;
  return [...new Map(touched.map((bytes) => [toHex(bytes), bytes])).values()];
}

function isAmong(bytes: Uint8Array, others: readonly Uint8Array[]): boolean {
  for (const other of others) if (bytesEqual(other, bytes)) return true;
  return false;
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
    default:
      return unreachable(action, 'action');
  }
}
