/** From a save to the first answer of the new program, in `slipstream app dev`, on a history of calls. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, generateKeyPair } from '@slipstream/client';
import { removeFolder, startAppDevelopment, temporaryFolder } from '@slipstream/devnet';
import { linkKits } from '../../../apps/node/src/cli/app/kit-links.ts';
import type counter from '../../../test/e2e/app-dev/counter.ts';

interface Size {
  /** Calls of the history, each in a block of its own. */
  readonly calls: number;
  readonly reloads: number;
}

const POLL_MS = 5;

/** Ms of each reload. */
export async function measureReloads({ calls, reloads }: Size): Promise<readonly number[]> {
  const folder = await temporaryFolder();
  try {
    await linkKits(folder);
    const file = join(folder, 'counter.ts');
    const source = await readFile(new URL('../../../test/e2e/app-dev/counter.ts', import.meta.url), 'utf8');
    await writeFile(file, source);
    const development = await startAppDevelopment(file);
    try {
      const client = createClient({ url: development.url });
      const app = await client.app<typeof counter>('counter');
      const user = generateKeyPair();
      for (let i = 0; i < calls; i++) await app.send(app.actions.add({ by: 1 }), user);
      const took: number[] = [];
      for (let factor = 2; factor < 2 + reloads; factor++) {
        const beganMs = performance.now();
        const saved = development.save(source.replace('total.get() + by', `total.get() + by * ${factor}`));
        // The API refuses reads while the history is executed.
        while ((await app.query.total({}).catch(() => undefined)) !== calls * factor) await sleep(POLL_MS);
        took.push(performance.now() - beganMs);
        await saved;
      }
      return took;
    } finally {
      await development.stop();
    }
  } finally {
    await removeFolder(folder);
  }
}
