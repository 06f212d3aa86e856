import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '@slipstream/devnet';
import { readGenesis } from '@slipstream/node-home';
import { expect, test } from 'vitest';
import { ensureDevelopmentChain } from '../../src/cli/development.ts';

test('a development chain is made once, by a genesis that its node can live by', async () => {
  const folder = await temporaryFolder();
  try {
    const home = await ensureDevelopmentChain(folder);
    const genesis = await readGenesis(join(home, 'genesis.json'));
    expect(genesis.development).toBe(true);
    expect(genesis.distilled).toBeDefined();
    expect(await ensureDevelopmentChain(folder)).toBe(home);
  } finally {
    await removeFolder(folder);
  }
});
