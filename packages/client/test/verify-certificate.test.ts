import { to0x } from '@slipstream/primitives';
import { certificateToJson } from '@slipstream/schema';
import { describe, expect, it } from 'vitest';
import { createCertificateVerifier } from '../src/index.ts';
import { blockOf, certify, finalize, forkedChain } from './forked-chain.ts';

const chain = forkedChain([1, 1, 1, 1]);
const block = blockOf('a', 7);
const created = createCertificateVerifier(chain.genesis);
if (!created.ok) throw new Error(created.error);
const { verify, genesisHash } = created.value;

describe('verifying a certificate with the genesis file alone', () => {
  it.each([
    ['finalization', finalize(block)],
    ['state certificate', certify(block, 'one')],
  ])('takes a %s of a quorum', async (_, subject) => {
    const json = certificateToJson(await chain.sign(subject, [0, 1, 3]));
    expect(verify(json)).toEqual({ ok: true, value: json });
  });

  it('refuses one of less than a quorum', async () => {
    const json = certificateToJson(await chain.sign(finalize(block), [0, 1]));
    expect(verify(json)).toEqual({ ok: false, error: 'the signers are not a quorum of the committee' });
  });

  it('refuses one whose signers signed something else', async () => {
    const json = certificateToJson(await chain.sign(finalize(block), [0, 1, 3]));
    const error = 'the aggregate is not a signature of these validators on this chain';
    expect(verify({ ...json, signers: [0, 1, 2] })).toEqual({ ok: false, error });
    expect(verify({ ...json, view: json.view + 1 })).toEqual({ ok: false, error });
    expect(verify({ ...json, blockId: to0x(new Uint8Array(32).fill(9)) })).toEqual({ ok: false, error });
  });

  it.each([null, 7, {}, 'certificate', { kind: 'finalize' }])('refuses %j as malformed', (input) => {
    const verified = verify(input);
    expect(verified.ok ? '' : verified.error).toContain('malformed');
  });

  it('shows the hash of the genesis file that it verifies with', () => {
    expect(genesisHash).toMatch(/^0x[0-9a-f]{64}$/);
    const broken = createCertificateVerifier({});
    expect(broken.ok ? '' : broken.error).toContain('no genesis file');
  });
});
