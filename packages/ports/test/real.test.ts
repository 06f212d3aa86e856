import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock, createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { afterAll } from 'vitest';
import { describeClock, describeRandom } from './clock-suite.ts';
import { describeDisk } from './disk-suite.ts';
import { describeKeyValue } from './key-value-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipstream-ports-'));
let made = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function newFolder(): string {
  return mkdtempSync(join(folder, `${made++}-`));
}

describeDisk('real', async () => createDisk({ root: newFolder() }));

describeKeyValue('real', () => openKeyValue({ location: newFolder() }));

describeClock('real', () => {
  const clock = createClock();
  return {
    clock,
    async until(condition) {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
});

describeRandom('real', createRandom);
