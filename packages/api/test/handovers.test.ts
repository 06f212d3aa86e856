import { to0x } from '@slipstream/primitives';
import { handoverToJson } from '@slipstream/schema';
import { asId, type Handover, NO_RECORD, type TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { proveReceipt, receiptsOf } from '../../client/test/real-chain.ts';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { startApi } from './running-api.ts';

const EPOCHS = 5;
const chain = await epochChain('api-handovers', { members: 4, epochs: EPOCHS });
const ID = asId<TransactionId>(new Uint8Array(32).fill(1));
const [first] = chain.handovers as [Handover];
/** As of a committee of 1,024, which takes 51 kB. */
const large = new Array(50).fill({ ...first, members: new Array(1024).fill(chain.records[0]?.members[0]) });

const serving = (handovers: readonly Handover[]) => ({
  epoch: () => EPOCHS,
  handovers: async (from: number, limit: number) => handovers.slice(from, from + limit),
});

it('a proof comes with the handovers from an epoch to its own', async () => {
  const preimage = chain.preimage(3, NO_RECORD);
  const proof = {
    ...proveReceipt(receiptsOf([ID], preimage.height), 0),
    certificate: await chain.certify(3, preimage),
  };
  const api = await startApi({
    backend: { ...serving(chain.handovers), proof: async () => ({ type: 'found', value: proof }) },
  });
  const answer = async (query: string) =>
    expectAnswer('transactionProof', await fetch(`${api.url}/v1/transactions/${to0x(ID)}/proof${query}`));
  const json = chain.handovers.map(handoverToJson);
  expect(await answer('')).not.toHaveProperty('epochs');
  expect(await answer('?epochsFrom=0')).toMatchObject({ epochs: json.slice(0, 3) });
  expect(await answer('?epochsFrom=2')).toMatchObject({ epochs: [json[2]] });
  expect(await answer('?epochsFrom=4')).toMatchObject({ epochs: [] });
});

describe('GET /v1/handovers', () => {
  it('has the root key’s certificate, where the node has one', async () => {
    const pageOf = async (url: string) => expectAnswer('handovers', await fetch(`${url}/v1/handovers`));
    const without = await startApi({ backend: serving([first]) });
    expect(await pageOf(without.url)).not.toHaveProperty('root');
    const root = { rootKey: new Uint8Array(48).fill(1), expiryMs: 7, signature: new Uint8Array(96).fill(2) };
    const api = await startApi({ backend: { ...serving([first]), root } });
    expect(await pageOf(api.url)).toMatchObject({
      root: { rootKey: to0x(root.rootKey), expiryMs: 7, signature: to0x(root.signature) },
    });
  });

  it('pages from an epoch to the newest, and every answer names the epoch', async () => {
    const api = await startApi({ backend: serving(chain.handovers) });
    const page = async (query: string) => {
      const response = await fetch(`${api.url}/v1/handovers${query}`);
      expect(response.headers.get('slipstream-epoch')).toBe(String(EPOCHS));
      return expectAnswer('handovers', response);
    };
    const json = chain.handovers.map(handoverToJson);
    expect(await page('')).toEqual({ items: json, next: null });
    expect(await page('?limit=2')).toEqual({ items: json.slice(0, 2), next: 2 });
    expect(await page('?from=3&limit=2')).toEqual({ items: json.slice(3), next: null });
    expect(await page(`?from=${EPOCHS}`)).toEqual({ items: [], next: null });
  });

  it('cuts a page of large committees', async () => {
    const api = await startApi({ backend: serving(large) });
    const page = (await expectAnswer('handovers', await fetch(`${api.url}/v1/handovers`))) as {
      readonly items: readonly unknown[];
    };
    expect(page).toMatchObject({ next: page.items.length });
    expect(page.items.length).toBeGreaterThan(10);
    expect(page.items.length).toBeLessThan(25);
  });

  it.each(['?from=-1', '?from=4294967296', '?limit=0', '?limit=101', '?to=1'])('refuses %s', async (query) => {
    const api = await startApi();
    await expectProblem(await fetch(`${api.url}/v1/handovers${query}`), 400, 'bad-parameter');
  });
});
