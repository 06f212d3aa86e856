import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artifactHash, decodeArtifact, encodeArtifact } from '@slipstream/app-realm';
import { applicationWrites } from '@slipstream/execution';
import { createRandom } from '@slipstream/platform';
import { to0x } from '@slipstream/primitives';
import { genesisFromJson, genesisHashOf, genesisToJson } from '@slipstream/types';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { builtApplication, exampleSource, type TestApplication } from '../../execution/test/application-builders.ts';
import {
  acceptArtifact,
  artifactTable,
  foundingApplication,
  inGenesis,
  keepApplications,
  loadApplications,
  newestHere,
  programsOf,
  readAccepted,
  readFoundingApplications,
  requireApplications,
} from '../src/applications.ts';
import { initChain } from '../src/chain.ts';

let token: TestApplication;
let troubles: TestApplication;

beforeAll(async () => {
  token = await builtApplication(exampleSource('token'));
  troubles = await builtApplication(new URL('../../execution/test/applications/troubles.ts', import.meta.url));
});

const HOLDERS = { holders: [{ owner: `0x01${'05'.repeat(32)}`, value: '7' }] };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-applications-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const chain = (out: string, applications: readonly ReturnType<typeof foundingApplication>[]) =>
  initChain(createRandom(), {
    out,
    chain: 'apps',
    validators: 1,
    fullNodes: 0,
    development: true,
    host: '127.0.0.1',
    networkPort: 9000,
    apiPort: 8080,
    apiHost: '127.0.0.1',
    preset: 'local',
    fees: 'free',
    generatedAccounts: 0,
    timestampMs: 1,
    applications,
  });

test('A1: each home of a new chain has the artifacts that its genesis names; another or none is refused with both hashes', async () => {
  const out = await newFolder();
  const { genesis, nodes } = await chain(out, [foundingApplication(token.artifact, HOLDERS)]);
  const home = nodes[0]?.home ?? out;
  const [artifact] = await requireApplications(home, genesis);
  const hash = to0x(artifactHash(token.artifact));
  expect(to0x(artifactHash(artifact ?? new Uint8Array(0)))).toBe(hash);
  expect(loadApplications([token.artifact]).installed).toHaveLength(1);

  const file = join(home, 'applications', 'token.artifact');
  await appendFile(file, ' ');
  const found = to0x(artifactHash(await readFile(file)));
  await expect(requireApplications(home, genesis)).rejects.toMatchObject({
    code: 'application-differs',
    message: expect.stringMatching(new RegExp(`${found}.*${hash}: put the file of that hash there`)),
  });
  await rm(file);
  await expect(requireApplications(home, genesis)).rejects.toMatchObject({
    code: 'application-missing',
    message: expect.stringContaining(hash),
  });
});

test('A1: a development genesis may bind the name alone; then another artifact of the name runs, and none of another name', async () => {
  const out = await newFolder();
  const { genesis, nodes } = await chain(out, [{ ...foundingApplication(token.artifact, HOLDERS), isNameAlone: true }]);
  const home = nodes[0]?.home ?? out;
  const again = genesisFromJson(genesisToJson(genesis));
  expect(again.ok && genesisHashOf(again.value)).toEqual(genesisHashOf(genesis));
  const manifest = { ...token.manifest, version: 2 };
  const decoded = decodeArtifact(token.artifact);
  const other = encodeArtifact({ manifest, script: decoded.ok ? decoded.value.script : '' });
  await keepApplications(home, [other]);
  expect(await requireApplications(home, genesis)).toEqual([other]);
  const table = artifactTable([other]);
  const [named = new Uint8Array(0)] = genesis.applications?.map(({ hash }) => hash) ?? [];
  expect([table.has(named), table.manifestOf(named, 0)?.version, table.manifestOf(named)]).toEqual([
    true,
    2,
    undefined,
  ]);
  expect(() => applicationWrites(genesis, loadApplications([troubles.artifact]))).toThrow(/this node has another/);
});

test('A2: no chain is made whose genesis function does not succeed', async () => {
  const out = await newFolder();
  const failing = foundingApplication(troubles.artifact, { first: 0 });
  await expect(chain(out, [failing])).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('no-first'),
  });
  await expect(
    chain(out, [foundingApplication(token.artifact, HOLDERS), foundingApplication(token.artifact, HOLDERS)]),
  ).rejects.toThrow('two have the same name');
});

test('the genesis hash covers artifact and input', async () => {
  const founding = foundingApplication(token.artifact, HOLDERS);
  const { genesis } = await chain(await newFolder(), [founding]);
  const hashOf = (applications: typeof genesis.applications) => to0x(genesisHashOf({ ...genesis, applications }));
  const application = inGenesis(founding);
  const hashes = [
    hashOf(undefined),
    hashOf([application]),
    hashOf([{ ...application, hash: new Uint8Array(32) }]),
    hashOf([{ ...application, input: new Uint8Array(0) }]),
    hashOf([{ ...application, name: 'other' }]),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  const again = genesisFromJson(JSON.parse(JSON.stringify(genesisToJson(genesis))));
  expect(again.ok && to0x(genesisHashOf(again.value))).toBe(hashes[1]);
});

test('files name artifact and input; wrong ones are named in the error', async () => {
  const folder = await newFolder();
  const place = (file: string) => join(folder, file);
  await writeFile(place('token.artifact'), token.artifact);
  await writeFile(place('input.json'), JSON.stringify(HOLDERS));
  const [founding] = await readFoundingApplications('token.artifact=input.json', place);
  expect(founding).toEqual(foundingApplication(token.artifact, HOLDERS));
  await expect(readFoundingApplications('token.artifact', place)).rejects.toThrow(
    /the input of token in genesis: .*holders/,
  );
  await expect(readFoundingApplications('none.artifact', place)).rejects.toThrow(
    /cannot read the artifact none.artifact/,
  );
  await expect(readFoundingApplications('input.json', place)).rejects.toThrow(/not an artifact/);
});

test('A14: an accepted artifact is in the home under its hash, beside that of genesis; a file with other bytes is refused', async () => {
  const home = await newFolder();
  const second = await builtApplication(new URL('../../execution/test/applications/token-2.ts', import.meta.url));
  expect(await readAccepted(home)).toEqual([]);
  const { hash, path } = await acceptArtifact(home, second.artifact);
  await acceptArtifact(home, second.artifact);
  expect([to0x(hash), await readAccepted(home)]).toEqual([to0x(second.hash), [second.artifact]]);
  expect(await newestHere(home, 'token')).toMatchObject({ version: 2 });
  expect(await newestHere(home, 'other')).toBeUndefined();
  const table = artifactTable([second.artifact]);
  expect([table.has(second.hash), table.has(token.hash)]).toEqual([true, false]);
  expect(programsOf([second.artifact])(second.hash)?.manifest.version).toBe(2);
  expect(programsOf([second.artifact])(token.hash)).toBeUndefined();
  await writeFile(path, token.artifact);
  await expect(readAccepted(home)).rejects.toMatchObject({
    code: 'home-incomplete',
    message: expect.stringContaining(to0x(token.hash)),
  });
  await expect(acceptArtifact(home, new Uint8Array(9))).rejects.toMatchObject({ code: 'usage' });
});
