/** The hash to compare is that of the genesis file used. */
import { to0x } from '@slipstream/primitives';
import { proofToJson } from '@slipstream/schema';
import { asId, genesisToJson, type TransactionId } from '@slipstream/types';
import { expect, test } from 'vitest';
import { genesis, genesisHash, proveReceipt, receiptsOf } from '../../packages/client/test/real-chain.ts';
import { answerTo } from '../src/proof/answer.ts';

const id = asId<TransactionId>(new Uint8Array(32).fill(1));
const proof = proofToJson(proveReceipt(receiptsOf([id], 12), 0));

test('a valid proof comes with the hash of the genesis file that it was verified with', () => {
  const { verification } = answerTo({ id: 7, proof, genesis: genesisToJson(genesis), transactionId: to0x(id) });
  expect(verification).toMatchObject({ accepted: true, genesisHash: to0x(genesisHash) });
});

test('an invalid proof comes with none, so that no comparison can succeed', () => {
  const other = genesisToJson({ ...genesis, timestampMs: genesis.timestampMs + 1 });
  const { verification } = answerTo({ id: 7, proof, genesis: other, transactionId: to0x(id) });
  expect(verification).toMatchObject({ accepted: false, genesisHash: null });
});
