/** Whose history a transaction belongs to: its sender, and whoever it pays. */
import { bytesEqual, toHex, unreachable } from '@slipstream/primitives';
import { type AccountKey, type Action, accountKeyBytes, type Transaction } from '@slipstream/types';

/** Above this many, finding repetitions by comparing each with each costs more than a map. */
const COMPARED_MAX = 8;

/** accountKeyBytes of each account, once, the sender first. */
export function touchedAccounts({ body }: Transaction): readonly Uint8Array[] {
  const all = [body.sender, ...body.actions.flatMap(recipientsOf)].map(accountKeyBytes);
  if (all.length > COMPARED_MAX) return [...new Map(all.map((bytes) => [toHex(bytes), bytes])).values()];
  return all.filter((bytes, at) => !all.slice(0, at).some((earlier) => bytesEqual(earlier, bytes)));
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
