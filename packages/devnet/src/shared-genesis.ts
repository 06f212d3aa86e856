/**
 * The state of a genesis with many generated accounts, made once for all nodes of a network on this machine.
 *
 * A million accounts are a million Ed25519 multiplications, which each node would repeat at its first start. The files are the same for
 * all nodes, so they are made for one and copied.
 */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA, HOME, readGenesis } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createDisk, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { genesisHashOf } from '@slipstream/types';

/** Fewer are made faster than copied. */
const WORTH_SHARING = 50_000;

/** `homes` must be of one chain, and have never run. */
export async function shareGenesisState(homes: readonly string[]): Promise<void> {
  const [first, ...others] = homes;
  if (first === undefined) return;
  const genesis = await readGenesis(join(first, HOME.genesis));
  if (genesis.generated.count < WORTH_SHARING) return;
  const data = join(first, HOME.data);
  await mkdir(data, { recursive: true });
  const store = await openState(
    createDisk({ root: data }),
    { genesis, genesisHash: genesisHashOf(genesis) },
    { random: createRandom(), telemetry: silentTelemetry },
  );
  await store.close();
  for (const home of others) await cp(join(data, DATA.state), join(home, HOME.data, DATA.state), { recursive: true });
}
