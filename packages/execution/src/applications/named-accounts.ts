/** Accounts that calls name (applications.md, "Histories"): in their input and in their events, by the forms of the manifest. */
import { type AccountFinder, type ApplicationManifest, accountFinder } from '@slipstream/app/program';
import { type AccountKey, accountKeyFromWire, type Call, eventsInOutput } from '@slipstream/types';

/** Of an input or an event's body. As many entries of the ledger's index as a call may make. */
const ACCOUNTS_MAX = 16;

export interface NamedAccounts {
  /** Of a call's input, 16 at most. */
  accountsIn(call: Call): readonly AccountKey[];
  /** Of the events in a receipt's output, 16 at most of each. */
  accountsInEvents(output: Uint8Array): readonly AccountKey[];
}

type Finders = ReadonlyMap<number, AccountFinder>;

export function createNamedAccounts(manifests: readonly ApplicationManifest[]): NamedAccounts {
  const inputs = new Map(
    manifests.map(({ name, actions }) => [name, findersOf(actions.map(({ number, input }) => [number, input]))]),
  );
  const bodies = manifests.map(({ events }) => findersOf(events.map(({ number, body }) => [number, body])));
  return {
    accountsIn: ({ application, action, input }) => keysOf(inputs.get(application)?.get(action), input),
    accountsInEvents: (output) =>
      (eventsInOutput(output) ?? []).flatMap(({ application, event, body }) =>
        keysOf(bodies[application]?.get(event), body),
      ),
  };
}

function findersOf(forms: readonly (readonly [number, Parameters<typeof accountFinder>[0]])[]): Finders {
  return new Map(
    forms.flatMap(([number, form]) => {
      const finder = accountFinder(form);
      return finder === undefined ? [] : [[number, finder] as const];
    }),
  );
}

function keysOf(find: AccountFinder | undefined, bytes: Uint8Array): readonly AccountKey[] {
  return find === undefined ? [] : find(bytes, ACCOUNTS_MAX).flatMap((account) => keyOf(account) ?? []);
}

/** Undefined: of no scheme that exists. */
function keyOf(account: Uint8Array): AccountKey | undefined {
  try {
    return accountKeyFromWire({ scheme: account[0] ?? 0, bytes: account.slice(1) });
  } catch {
    return undefined;
  }
}
