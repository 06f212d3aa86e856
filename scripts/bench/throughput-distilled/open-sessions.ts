/** Accounts of a bench of rows, entered into the directory, and the sessions that send for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetNetwork } from '@slipstream/app-loadgen';
import { print } from '../../print.ts';
import { openColumnGateway } from './column-gateway.ts';
import { type BenchGateway, openLiveClient, type SessionKind } from './gateway.ts';
import type { Bench } from './press.ts';
import { type Registered, registerAll, untilAbove } from './registered.ts';
import { createShareFaults } from './share-faults.ts';

export type Sessions = Readonly<Record<SessionKind, number>>;

/** Of the rows. */
const FAULTS = { withheld: 0.01, false: 0.001 };
/** One account in so many is of a faulty session. */
const FAULTY_EVERY = 4;
const TICK_MS = 10;
const KNOWN_AT_DEPTH = 16;

export async function openSessions(
  network: TargetNetwork,
  { accounts: count, sessions }: { readonly accounts: number; readonly sessions: Sessions },
): Promise<Bench> {
  const validators = network.nodes.filter(({ name }) => name.startsWith('validator'));
  const { client } = validators[0] as (typeof validators)[0];
  const accounts = await registerAll(client, count);
  await untilAbove(client, (await client.status()).height + KNOWN_AT_DEPTH);
  const genesisHash = await client.genesisHash();
  const faults = createShareFaults(FAULTS, Date.now);
  const groups = Map.groupBy(accounts.keys(), (place) => sessionOf(place, sessions));
  const byPlace: BenchGateway[] = [];
  const gateways: BenchGateway[] = [];
  for (const [session, places] of groups) {
    const [kind, number] = session.split(' ') as [SessionKind, string];
    const url = validators[Number(number) % validators.length]?.client.url ?? '';
    const onLost = (reason: string) => print(`  ${session} lost its broker: ${reason}`);
    const gateway =
      kind === 'live'
        ? await openLiveClient({ url, genesisHash, keys: accounts[places[0] as number] as Registered, onLost })
        : await openColumnGateway({ url, genesisHash, accounts, places, kind, faults, onLost });
    gateways.push(gateway);
    for (const place of places) byPlace[place] = gateway;
    // A broker takes few logins of an address at once.
    while (!gateway.isLive) await sleep(TICK_MS);
  }
  return {
    network,
    accounts,
    gateways,
    sequences: new Uint32Array(accounts.length).fill(1),
    gatewayOf: (place) => byPlace[place] as BenchGateway,
    isLive: (place) => place < sessions.live,
  };
}

/** A kind and a number. */
function sessionOf(place: number, { gateway, faulty, live }: Sessions): string {
  if (place < live) return `live ${place}`;
  const number = Math.floor(place / FAULTY_EVERY);
  return place % FAULTY_EVERY === 0 ? `faulty ${number % faulty}` : `gateway ${number % gateway}`;
}
