/** What the page shows, verified with the committees of its light client. */
import { type Client, ClientError } from '@slipstream/client';
import { openLightClient } from '@slipstream/client/light';
import { to0x } from '@slipstream/primitives';
import { type BlockView, handoverToJson, proofToJson, type TransactionView } from '@slipstream/schema';
import { asId, genesisToJson, NO_RECORD, type TransactionId } from '@slipstream/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answerOf, blockOf, certify, forkedChain, viewOf } from '../../packages/client/test/forked-chain.ts';
import { genesis, genesisHash, proveReceipt, receiptsOf } from '../../packages/client/test/real-chain.ts';
import { epochChain } from '../../packages/crypto/test/epoch-chain.ts';
import { answerTo } from '../src/proof/answer.ts';
import { bitsOf, flipBit } from '../src/proof/flip-bit.ts';

const id = asId<TransactionId>(new Uint8Array(32).fill(1));
const transactionId = to0x(id);
const proof = proofToJson(proveReceipt(receiptsOf([id], 12), 0));

interface World {
  readonly genesis: unknown;
  readonly handovers?: () => Promise<unknown>;
}

/** A light client whose streams never open. */
function lightOf({ genesis: file, handovers }: World) {
  class NoSocket {
    addEventListener(): void {}
    close(): void {}
  }
  const light = openLightClient({
    genesis: file,
    urls: ['http://node'],
    checks: 'inline',
    WebSocket: NoSocket,
    fetch: async () => Response.json(await (handovers ?? (async () => ({ items: [], next: null })))()),
  });
  onTestFinished(() => light.close());
  return async () => light;
}

const shownWith = (fields: object): Partial<TransactionView> => ({ id: transactionId, ...fields });
const noClient = {} as Client;

function ofTransaction(shown: Partial<TransactionView>, world: World, { flip = false, client = noClient } = {}) {
  return answerTo(
    { question: { kind: 'transaction', id: transactionId, shown }, flip },
    { light: lightOf(world), client },
  );
}

describe('a receipt', () => {
  const world = { genesis: genesisToJson(genesis) };

  test('that is proven comes with the hash of the genesis file, and with what certified it', async () => {
    expect(await ofTransaction(shownWith({ proof, receipt: proof.receipt }), world)).toMatchObject({
      outcome: 'verified',
      genesisHash: to0x(genesisHash),
      certified: { height: proof.certificate.height, epoch: 0 },
    });
  });

  test('with any changed bit is refused, also one of its epoch', async () => {
    const light = { judge: async () => ({ ok: false, error: { message: 'unknown', unknownEpoch: 9 } }) };
    const question = { kind: 'transaction', id: transactionId, shown: shownWith({ proof }) } as const;
    const asked = (flip: boolean) =>
      answerTo({ question, flip }, { light: async () => light as never, client: noClient });
    expect([(await asked(true)).outcome, (await asked(false)).outcome]).toEqual(['refused', 'not-checked']);
  });

  test('that is shown otherwise than proven is refused', async () => {
    const receipt = { ...proof.receipt, fee: '77' };
    const verification = await ofTransaction(shownWith({ proof, receipt }), world);
    expect(verification).toMatchObject({ outcome: 'refused', genesisHash: null, certified: null });
    expect(verification.reason).toContain('/receipt/fee');
  });

  test('with another genesis file is refused, without a hash, so that no comparison can succeed', async () => {
    const other = genesisToJson({ ...genesis, timestampMs: genesis.timestampMs + 1 });
    const verification = await ofTransaction(shownWith({ proof }), { genesis: other });
    expect(verification).toMatchObject({ outcome: 'refused', genesisHash: null });
  });

  test('with one changed bit is refused', async () => {
    const verification = await ofTransaction(shownWith({ proof }), world, { flip: true });
    expect(verification.outcome).toBe('refused');
    expect(verification.flipped).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ['proof-not-ready', 'not-yet'],
    ['network', 'not-checked'],
    ['pruned', 'not-checked'],
    ['malformed-answer', 'refused'],
  ] as const)('whose proof the node refuses with %s is %s', async (code, outcome) => {
    const client = { proof: () => Promise.reject(new ClientError(code, 'the reason')) } as unknown as Client;
    expect(await ofTransaction(shownWith({}), world, { client })).toMatchObject({ outcome, reason: 'the reason' });
  });

  test('of a later epoch is verified over handovers, and not judged without them', async () => {
    const chain = await epochChain('console-epochs', { members: 4, epochs: 2 });
    const at = chain.preimage(2, NO_RECORD);
    const of = proveReceipt(receiptsOf([id], at.height), 0);
    const preimage = of.preimages[0] as (typeof of.preimages)[number];
    const later = proofToJson({ ...of, certificate: await chain.certify(2, preimage) });
    const file = genesisToJson(chain.genesis);
    const handovers = async () => ({ items: chain.handovers.map(handoverToJson), next: null });
    const shown = shownWith({ proof: later });
    expect(await ofTransaction(shown, { genesis: file, handovers })).toMatchObject({ outcome: 'verified' });
    expect(await ofTransaction(shown, { genesis: file })).toMatchObject({ outcome: 'not-checked' });
  });
});

describe('blocks', () => {
  const chain = forkedChain([1, 1, 1, 1]);
  const first = blockOf('a', 7);
  const second = blockOf('b', 8, first);
  const view = (block: typeof first, stateDigest: string | null = null) =>
    ({ ...viewOf(block), stateDigest }) as BlockView;

  async function asked(shown: readonly BlockView[], flip = false) {
    const certificates = answerOf(second, null, await chain.sign(certify(second, 'state'), [0, 1, 2]));
    const client = { block: async () => view(second), certificates: async () => certificates } as unknown as Client;
    return answerTo(
      { question: { kind: 'blocks', shown }, flip },
      { light: lightOf({ genesis: chain.genesis }), client },
    );
  }

  test('that are shown are verified by the certificate of the newest', async () => {
    expect(await asked([view(first), view(second)])).toMatchObject({
      outcome: 'verified',
      certified: { height: second.height, epoch: 0 },
    });
  });

  test('of which one is shown otherwise are refused', async () => {
    const changed = view(first);
    const lie = { ...changed, block: { ...changed.block, proposer: 3 } };
    const verification = await asked([lie, view(second)]);
    expect(verification.outcome).toBe('refused');
    expect(verification.steps.find(({ outcome }) => outcome === 'failed')?.name).toBe('links');
  });

  test('with another state digest than the certified one are refused', async () => {
    expect(await asked([view(second, to0x(new Uint8Array(32)))])).toMatchObject({ outcome: 'refused' });
  });

  test('with a changed bit are refused', async () => {
    for (let round = 0; round < 8; round++) {
      expect((await asked([view(first), view(second)], true)).outcome).toBe('refused');
    }
  });
});

test('a bit is flipped in the hexadecimal texts, counted together', () => {
  const value = { a: '0x00', b: ['0x10', 'words', 7], c: null };
  expect(bitsOf(value)).toBe(16);
  expect(flipBit(value, 0)).toEqual({ bit: 0, value: { ...value, a: '0x10' } });
  expect(flipBit(value, 15)).toEqual({ bit: 15, value: { ...value, b: ['0x18', 'words', 7] } });
  expect(flipBit('0xff', 4)).toEqual({ bit: 4, value: '0xfe' });
});
