/** Whose history a transaction belongs to: its sender, and whoever it pays. */
import { toHex, unreachable } from '@slipstream/primitives';
import { type AccountKey, type Action, accountKeyBytes, type Transaction } from '@slipstream/types';

/** accountKeyBytes of each account, once, the sender first. */
export function touchedAccounts({ body }: Transaction): readonly Uint8Array[] {
  const accounts = new Map<string, Uint8Array>();
  for (const account of [body.sender, ...body.actions.flatMap(recipientsOf)]) {
    const bytes = accountKeyBytes(account);
    accounts.set(toHex(bytes), bytes);
  }
  return [...accounts.values()];
}

function recipientsOf(action: Action): readonly AccountKey[] {
  switch (action.kind) {
    case 'transfer':
      return [action.to];
    case 'transferMany':
      return action.outputs.map(({ to }) => to);
    case 'setData':
      return [];
    default:
      return unreachable(action, 'action');
  }
}
