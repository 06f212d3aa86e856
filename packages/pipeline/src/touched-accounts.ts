/** Accounts with a transaction in their history: its sender and recipients, those that its calls and events name, those that applications paid. */
import { type Applications, NO_APPLICATIONS } from '@slipstream/execution';
import { bytesEqual, toHex, unreachable } from '@slipstream/primitives';
import { type AccountKey, type Action, accountKeyBytes, type Call, type Transaction } from '@slipstream/types';

/** Above this many a map is faster than comparing all pairs. */
const COMPARED_MAX = 8;

interface Ran {
  readonly output: Uint8Array;
  readonly paid: readonly AccountKey[];
  readonly applications: Pick<Applications, 'accountsIn' | 'accountsInEvents'>;
}

const WITHOUT_CALLS: Ran = { output: new Uint8Array(0), paid: [], applications: NO_APPLICATIONS };

/** Each once, the sender first. */
export function touchedAccounts(
  { body }: Transaction,
  { output, paid, applications }: Ran = WITHOUT_CALLS,
): readonly AccountKey[] {
  const [only] = body.actions;
  // Most transactions: a list that grows would take 150 bytes.
  if (body.actions.length === 1 && only?.kind === 'transfer') {
    return isSame(only.to, body.sender) ? [body.sender] : [body.sender, only.to];
  }
  const touched = [body.sender];
  const take = (accounts: readonly AccountKey[]) => {
    for (const account of accounts) {
      if (touched.length > COMPARED_MAX || !isAmong(account, touched)) touched.push(account);
    }
  };
  for (const action of body.actions)
    take(action.kind === 'call' ? applications.accountsIn(action) : recipientsOf(action));
  take(paid);
  if (output.length > 0) take(applications.accountsInEvents(output));
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

function recipientsOf(action: Exclude<Action, Call>): readonly AccountKey[] {
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
      return [];
    default:
      return unreachable(action, 'action');
  }
}
