import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { DiskError } from '@slipstream/ports';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NodeError } from '../../src/errors.ts';
import { openExclusively } from '../../src/storage/exclusive-ledger.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blockchain-'));
});

afterEach(() => rm(folder, { recursive: true }));

const failure = (opened: Promise<unknown>): Promise<unknown> =>
  opened.then(
    () => undefined,
    (error: unknown) => error,
  );

it('reports that another process uses a folder whose ledger is open', async () => {
  const first = await openExclusively(folder);
  const error = await failure(openExclusively(folder));
  await first.close();
  expect(error).toBeInstanceOf(NodeError);
  expect(error).toMatchObject({ code: 'home-in-use' });
});

it('reports the damage of a damaged ledger, also below a folder with "lock" in its name', async () => {
  await mkdir(join(folder, DATA.ledger));
  await writeFile(join(folder, DATA.ledger, 'CURRENT'), 'no manifest');
  const error = await failure(openExclusively(folder));
  expect(error).toBeInstanceOf(DiskError);
  expect(String(error)).toContain('CURRENT');
});
