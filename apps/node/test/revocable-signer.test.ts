import type { Signer } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { createRevocableSigner } from '../src/assembly/revocable-signer.ts';

const MESSAGE = new Uint8Array(32);

test('a revoked signer signs nothing more, and discards signatures in flight', async () => {
  const pending: ((signatures: readonly Uint8Array[]) => void)[] = [];
  const inner: Signer = {
    publicKey: new Uint8Array(48),
    sign: () => new Promise((resolve) => pending.push(resolve)),
  };
  const { signer, revoke: silence } = createRevocableSigner(inner);
  const before = signer.sign([MESSAGE]);
  pending[0]?.([new Uint8Array(192)]);
  expect(await before).toHaveLength(1);
  const underWay = signer.sign([MESSAGE]);
  silence();
  pending[1]?.([new Uint8Array(192)]);
  await expect(underWay).rejects.toMatchObject({ code: 'node-failed' });
  await expect(signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'node-failed' });
  expect(pending).toHaveLength(2);
});
