import { loadConfig } from '@slipstream/node-home';
import { createRandom } from '@slipstream/platform';
import type { PeerKey } from '@slipstream/ports';
import { sha256, utf8 } from '@slipstream/primitives';
import { type Epoch, GENESIS_EPOCH, recordOfGenesis } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { testChain } from '../../../packages/execution/test/session-world.ts';
import { openVerification, verifierThreads } from '../src/assembly/verification.ts';
import { createNodeEpochs } from '../src/epochs/node-epochs.ts';

describe('the verifier’s threads', () => {
  it('use the cores that the other threads leave, at least one, at most sixteen', () => {
    expect([1, 2, 3, 4, 8, 19, 64].map((cores) => verifierThreads(0, cores))).toEqual([1, 1, 1, 1, 5, 16, 16]);
  });

  it('are as many as the operator configures', () => {
    expect([1, 2, 64].map((configured) => verifierThreads(configured, 2))).toEqual([1, 2, 64]);
  });
});

describe('a certificate that comes three times', () => {
  const chain = testChain('verification');
  const message = sha256(utf8('certified'));
  const signers = [0, 1, 3];

  /** Pairing checks of three certificates, one after another or in a batch. */
  async function checksOf(flags: ReadonlyMap<string, string>, inBatch = false): Promise<number> {
    const { verifier, stats, stop } = openVerification(
      { blsKeys: [] },
      loadConfig({ environment: {}, flags: new Map(flags) }),
      {
        random: createRandom(),
        telemetry: { gauge() {} } as never,
        fail: (error) => {
          throw error;
        },
      },
      createNodeEpochs({ blsKeys: [], networkKeys: [] }, [recordOfGenesis(chain.genesis)], GENESIS_EPOCH),
      { isKnown: () => true },
    );
    const aggregate = await chain.aggregate(message, signers);
    const request = { epoch: GENESIS_EPOCH, message, signers, aggregate };
    if (inBatch) {
      const batch = Array.from({ length: 3 }, () => ({ kind: 'certificate', ...request }) as const);
      expect(await verifier.checkBatch(batch, 'client')).toEqual([true, true, true]);
    } else {
      for (let times = 0; times < 3; times++) expect(await verifier.checkCertificate(request, 'client')).toBe(true);
    }
    const { pairingChecks } = stats();
    await stop();
    return pairingChecks;
  }

  it('is verified once', async () => {
    expect(await checksOf(new Map())).toBe(1);
  });

  it('is verified each time by a node that shall remember nothing', async () => {
    expect(await checksOf(new Map([['development-forget-verified', 'true']]))).toBe(3);
  });

  it('is verified alone by a node that shall make no batches', async () => {
    expect(await checksOf(new Map([['development-forget-verified', 'true']]), true)).toBe(1);
    const flags = ['development-forget-verified', 'development-check-singly'].map((flag) => [flag, 'true'] as const);
    expect(await checksOf(new Map(flags), true)).toBe(3);
  });
});

describe('a validator’s signer of an epoch', () => {
  it('is none where its program does not know the rules', async () => {
    const chain = testChain('verification');
    const first = recordOfGenesis(chain.genesis);
    const [member] = first.members;
    const publicKey = member?.blsPublicKey as Uint8Array;
    const keys = { blsKeys: [{ publicKey, secret: new Uint8Array(32).fill(1) }], networkKeys: [] };
    const networkKeys = [{ peer: member?.peerKey as PeerKey, seed: new Uint8Array(32) }];
    const records = [first, { ...first, epoch: 1 as Epoch }];
    const { signerIn, stop } = openVerification(
      keys,
      loadConfig({ environment: {}, flags: new Map() }),
      { random: createRandom(), telemetry: { gauge() {} } as never, fail() {} },
      createNodeEpochs({ ...keys, networkKeys }, records, GENESIS_EPOCH),
      { isKnown: (epoch) => epoch === 0 },
    );
    expect(signerIn(GENESIS_EPOCH)?.publicKey).toEqual(publicKey);
    expect(signerIn(1 as Epoch)).toBeUndefined();
    await stop();
  });
});
