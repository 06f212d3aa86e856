/** The hash to compare is that of the genesis file used. */
import { ClientError } from '@slipstream/client';
import { to0x } from '@slipstream/primitives';
import { handoverToJson, proofToJson } from '@slipstream/schema';
import { asId, genesisToJson, NO_RECORD, type TransactionId } from '@slipstream/types';
import { expect, test } from 'vitest';
import { genesis, genesisHash, proveReceipt, receiptsOf } from '../../packages/client/test/real-chain.ts';
import { epochChain } from '../../packages/crypto/test/epoch-chain.ts';
import { answerTo } from '../src/proof/answer.ts';

const id = asId<TransactionId>(new Uint8Array(32).fill(1));
const proof = proofToJson(proveReceipt(receiptsOf([id], 12), 0));

const url = 'http://127.0.0.1:1';
const transactionId = to0x(id);
const noHandovers = { handovers: async () => ({ items: [], next: null, malformed: [] }) };

test('a valid proof comes with the hash of the genesis file that it was verified with', async () => {
  const request = { id: 7, url, proof, genesis: genesisToJson(genesis), of: 'transaction', transactionId } as const;
  const { verification } = await answerTo(request, noHandovers);
  expect(verification).toMatchObject({ accepted: true, genesisHash: to0x(genesisHash) });
});

test('an invalid proof comes with none, so that no comparison can succeed', async () => {
  const other = genesisToJson({ ...genesis, timestampMs: genesis.timestampMs + 1 });
  const { verification } = await answerTo(
    { id: 7, url, proof, genesis: other, of: 'transaction', transactionId },
    noHandovers,
  );
  expect(verification).toMatchObject({ accepted: false, genesisHash: null });
});

test('a proof of a later epoch is verified with the handovers of the node, each fetched once', async () => {
  const chain = await epochChain('console-epochs', { members: 4, epochs: 2 });
  const at = chain.preimage(2, NO_RECORD);
  const of = proveReceipt(receiptsOf([id], at.height), 0);
  const preimage = of.preimages[0] as (typeof of.preimages)[number];
  const later = proofToJson({ ...of, certificate: await chain.certify(2, preimage) });
  const asked: number[] = [];
  const client = {
    handovers: async (from: number) => {
      asked.push(from);
      return { items: chain.handovers.slice(from).map(handoverToJson), next: null, malformed: [] };
    },
  };
  const request = {
    id: 8,
    url,
    proof: later,
    genesis: genesisToJson(chain.genesis),
    of: 'transaction',
    transactionId,
  } as const;
  expect((await answerTo(request, client)).verification.accepted).toBe(true);
  expect((await answerTo(request, client)).verification.accepted).toBe(true);
  expect(asked).toEqual([0, 2]);
  const silent = { handovers: () => Promise.reject(new ClientError('network', 'no answer')) };
  expect((await answerTo(request, silent)).verification.accepted).toBe(true);
});
