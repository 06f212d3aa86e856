/**
 * The state of a genesis with many generated accounts, made for one node and copied to the others. Each node would otherwise derive
 * all account keys at its first start.
 */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA, HOME, readGenesis } from '@slipstream/node-home';
import { loadApplications, requireApplications } from '@slipstream/node-home/applications';
import { openState } from '@slipstream/node-home/state';
import { createDisk, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { genesisHashOf } from '@slipstream/types';

/** Deriving fewer is faster than copying. */
const WORTH_SHARING = 50_000;

/** `homes`: of one chain, never run. */
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
    { applications: loadApplications(await requireApplications(first, genesis)) },
  );
  await store.close();
  for (const home of others) await cp(join(data, DATA.state), join(home, HOME.data, DATA.state), { recursive: true });
}
