/** Measures what virtual time is charged with: geo's costs for ten members, an account's signature, a written byte. */
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { sha256, uint32le } from '@slipstream/primitives';
import { cpuUs, printRows } from '../claim.ts';
import { NO_COSTS } from '../geo/costs.ts';
import { measure } from '../geo.ts';
import type { Machine } from './virtual-run.ts';
import { measureWriteMsPerByte } from './workloads.ts';

export const MEMBERS = 10;
const WARM_UP_VIEWS = 4;
const VERIFICATIONS = 2_000;
/** Smoke: without measuring. */
const SMOKE_SYNC_MS = 1;

export async function measureMachine(smoke: boolean): Promise<Machine> {
  if (smoke) return { costs: { ...NO_COSTS, syncMs: SMOKE_SYNC_MS }, accountCheckMs: 0, writeMsPerByte: 0 };
  const costs = await measure({ members: MEMBERS, warmUpViews: WARM_UP_VIEWS }, smoke);
  const accountCheckMs = accountCheck();
  const writeMsPerByte = await measureWriteMsPerByte();
  printRows('of transactions and disk', [
    ['check an account’s signature', accountCheckMs, 'ms'],
    ['write and sync a MB', writeMsPerByte * 1e6, 'ms'],
  ]);
  return { costs, accountCheckMs, writeMsPerByte };
}

function accountCheck(): number {
  const secret = sha256(uint32le(1));
  const [publicKey, message] = [ed25519PublicKey(secret), sha256(uint32le(2))];
  const signature = ed25519Sign(message, secret);
  const verify = (count: number) => {
    for (let i = 0; i < count; i++) ed25519Verify(publicKey, message, signature);
  };
  verify(VERIFICATIONS); // warm
  return cpuUs(() => verify(VERIFICATIONS)) / 1_000 / VERIFICATIONS;
}
