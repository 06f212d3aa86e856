import { createManifestJson } from '@slipstream/app/program';
import { type Action, CALL_INPUT_BYTES_MAX, isGrantable, unitsOfCallsTo } from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import { signForPrices } from '../fee-estimate.ts';
import type { KeyPair } from '../keys.ts';
import { buildTransaction, signTransaction } from '../transactions.ts';
import type { ApplicationClient, EventsOptions, SendOptions } from './application.ts';
import { eventsIn, listEvents } from './events.ts';
import { loadManifest } from './manifest.ts';
import { type ApplicationParts, formed, withText } from './parts.ts';
import { openTable } from './table.ts';

const LIFE_MS = 30_000;

/** Throws as `loadManifest`. */
export async function openApplication<App>(
  client: Client,
  name: string,
  options?: CallOptions,
): Promise<ApplicationClient<App>> {
  const loaded = await loadManifest(client, name, options);
  const { manifest, number } = loaded;
  const parts: ApplicationParts = { ...loaded, client, json: createManifestJson(manifest) };
  const unitsOfCall = unitsOfCallsTo([manifest]);
  // Types are of the definition, and names of the manifest: the compiler cannot relate them.
  return {
    name,
    number,
    manifest,
    unitsOfCall,
    scope: scopeActionOf(number),
    actions: actionsOf(parts),
    query: queriesOf(parts),
    table: (table: string) => openTable(parts, table),
    send: (actions: Action | readonly Action[], by: KeyPair, o?: SendOptions) =>
      send(client, { actions: Array.isArray(actions) ? actions : [actions], by, unitsOfCall }, o),
    eventsIn: ({ output }: { readonly output: string }) => eventsIn(parts, output),
    events: (o?: EventsOptions) => listEvents(parts, o),
  } as unknown as ApplicationClient<App>;
}

function scopeActionOf(number: number) {
  const name = `call:${number}`;
  return isGrantable(name) ? name : undefined;
}

function actionsOf({ manifest, json, manifest: { name: application } }: ApplicationParts) {
  return byName(manifest.actions, ({ number }) => (given: unknown): Action => {
    const input = formed(() => json.inputFromJson(number, withText(given)));
    if (input.length > CALL_INPUT_BYTES_MAX) {
      const message = `the input has ${input.length} bytes, at most ${CALL_INPUT_BYTES_MAX} are allowed`;
      throw new ClientError('bad-argument', message);
    }
    return { kind: 'call', application, action: number, input };
  });
}

function queriesOf({ client, manifest, json }: ApplicationParts) {
  return byName(manifest.queries, ({ name }) => async (given: unknown, options?: CallOptions) => {
    const body = withText(given);
    formed(() => json.queryInputFromJson(name, body));
    const params = { application: manifest.name, query: name };
    const { output } = await client.call('applicationQuery', { params, body, ...options });
    return output;
  });
}

function byName<T extends { readonly name: string }, F>(items: readonly T[], make: (item: T) => F) {
  return Object.freeze(Object.fromEntries(items.map((item) => [item.name, make(item)])));
}

interface Order {
  readonly actions: readonly Action[];
  readonly by: KeyPair;
  readonly unitsOfCall: ReturnType<typeof unitsOfCallsTo>;
}

async function send(client: Client, { actions, by, unitsOfCall }: Order, options: SendOptions = {}) {
  const { expiryMs = Date.now() + LIFE_MS, maxFee, ...waiting } = options;
  const parts = { genesisHash: await client.genesisHash(), sender: by.account, expiryMs, actions };
  const sign = (most: bigint) => signTransaction(buildTransaction({ ...parts, maxFee: most }), by);
  const signed = maxFee === undefined ? await signForPrices(client, sign, { unitsOfCall }) : sign(maxFee);
  return client.submitAndWait(signed, waiting);
}
