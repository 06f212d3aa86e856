/** State and actions of the journey. Leaving the page aborts running requests. */
import { useEffect, useRef, useState } from 'react';
import { client, explain } from '../../node/client.ts';
import { useStream } from '../../stream/use-stream.ts';
import { carry, type Funding, fund, type Key, makeKey, type Transfer } from './journey.ts';

export interface Journey {
  readonly key: Key | null;
  readonly recipient: Key | null;
  readonly funding: Funding | null;
  readonly transfer: Transfer | null;
  readonly busy: 'faucet' | 'transfer' | null;
  readonly failure: { readonly at: 'key' | 'faucet' | 'transfer'; readonly reason: string } | null;
}

export interface JourneyActions {
  makeKey(): void;
  askFaucet(): Promise<void>;
  send(to: string, amount: bigint): Promise<void>;
}

const START: Journey = { key: null, recipient: null, funding: null, transfer: null, busy: null, failure: null };

export function useJourney(): readonly [Journey, JourneyActions] {
  const [journey, setJourney] = useState(START);
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const change = (fields: Partial<Journey>) => setJourney((before) => ({ ...before, ...fields }));

  async function run(at: 'faucet' | 'transfer', act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    const { signal } = controller;
    change({ busy: at, failure: null });
    try {
      await act(signal);
      change({ busy: null });
    } catch (error) {
      if (!signal.aborted) change({ busy: null, failure: { at, reason: explain(error) } });
    }
  }

  const actions: JourneyActions = {
    makeKey: () => setJourney({ ...START, key: makeKey(), recipient: makeKey() }),
    askFaucet: () =>
      run('faucet', async (signal) => {
        if (journey.key === null) return;
        change({ funding: await fund(client, journey.key.pair.accountText, signal) });
      }),
    send: (to, amount) =>
      run('transfer', async (signal) => {
        if (journey.key === null) return;
        const order = { from: journey.key.pair, to, amount, nodeNowMs: Date.now() - skewMs };
        change({ transfer: null });
        await carry(client, order, (transfer) => change({ transfer }), signal);
      }),
  };
  return [journey, actions];
}
