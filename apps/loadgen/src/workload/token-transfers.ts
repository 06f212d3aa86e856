import { type ApplicationManifest, createManifestJson } from '@slipstream/app/program';
import { type AccountKey, type Action, accountKeyText } from '@slipstream/types';

/** Name of the example application. */
export const TOKEN = 'token';
const ACTION = 'transfer';

type TokenTransfer = (to: AccountKey, value: bigint) => Action;

export function tokenTransfers(manifest: ApplicationManifest): TokenTransfer {
  const json = createManifestJson(manifest);
  const action = manifest.actions.find(({ name }) => name === ACTION)?.number ?? 0;
  return (to, value) => {
    const input = json.inputFromJson(action, { to: accountKeyText(to), value: value.toString() });
    return { kind: 'call', application: TOKEN, action, input };
  };
}
