import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOME } from '@slipstream/node-home';
import { sha256, to0x, toHex } from '@slipstream/primitives';
import { ARTIFACT_PIECE_BYTES } from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { artifactWorld, changedSecond, escrow, first, second } from './artifact-world.ts';

const { hash } = second;
const proposed = [{ hash, by: 'proposal' as const }];

describe('artifacts of a node', () => {
  test('one that a proposal names is missing, then fetched, then accepted, and none of it is loaded before', async () => {
    const { artifacts, loaded, announced, home } = await artifactWorld();
    await artifacts.name(proposed);
    expect([artifacts.stateOf(hash), artifacts.missing()]).toEqual(['missing', [hash]]);
    expect(await artifacts.accept(hash)).toEqual({ type: 'unknown' });
    await artifacts.fetched(second.artifact);
    expect([artifacts.stateOf(hash), artifacts.missing(), artifacts.has(hash)]).toEqual(['fetched', [], false]);
    expect([artifacts.manifestOf(hash), loaded]).toEqual([undefined, []]);
    const accepted = await artifacts.accept(hash);
    expect(accepted).toMatchObject({ type: 'accepted', name: 'token', version: 2 });
    expect(accepted).toMatchObject({ differences: expect.arrayContaining(['+ query changes']) });
    expect([artifacts.stateOf(hash), artifacts.manifestOf(hash)?.version]).toEqual(['accepted', 2]);
    expect([loaded, announced]).toEqual([[toHex(hash)], [toHex(hash)]]);
    expect(await readdir(join(home, HOME.applications))).toEqual([`${toHex(hash)}.artifact`]);
    expect(await readdir(join(home, HOME.data, 'artifacts'))).toEqual([]);
    const again = await artifactWorld({ home });
    expect(again.artifacts.stateOf(hash)).toBe('accepted');
  });

  test('one that was accepted is accepted once, also where two operators ask at the same time', async () => {
    const { artifacts, loaded } = await artifactWorld();
    await artifacts.name(proposed);
    await artifacts.fetched(second.artifact);
    const both = await Promise.all([artifacts.accept(hash), artifacts.accept(hash)]);
    expect(both.map(({ type }) => type)).toEqual(['accepted', 'accepted']);
    expect(loaded).toHaveLength(1);
  });

  test('one is fetched once more after a restart only if its file is damaged', async () => {
    const { artifacts, home } = await artifactWorld();
    await artifacts.name(proposed);
    await artifacts.fetched(second.artifact);
    expect((await artifactWorld({ home })).artifacts.stateOf(hash)).toBe('fetched');
    await writeFile(join(home, HOME.data, 'artifacts', `${toHex(hash)}.artifact`), second.artifact.subarray(1));
    const { artifacts: after } = await artifactWorld({ home });
    await after.name(proposed);
    expect(after.missing()).toEqual([hash]);
  });

  test('what no open proposal and no record names any more is removed, and an accepted one stays', async () => {
    const { artifacts, home } = await artifactWorld();
    await artifacts.name([...proposed, { hash: escrow.hash, by: 'proposal' }]);
    for (const { artifact } of [second, escrow]) await artifacts.fetched(artifact);
    await artifacts.accept(hash);
    await artifacts.name([]);
    expect([artifacts.stateOf(hash), artifacts.stateOf(escrow.hash)]).toEqual(['accepted', 'missing']);
    expect(await readdir(join(home, HOME.data, 'artifacts'))).toEqual([]);
  });

  test('bytes with the named hash that are no artifact are not written, and not asked for again', async () => {
    const { artifacts, home } = await artifactWorld();
    const bytes = new Uint8Array([9, 9, 9]);
    await artifacts.name([{ hash: sha256(bytes), by: 'proposal' }]);
    await artifacts.fetched(bytes);
    expect(artifacts.missing()).toEqual([]);
    expect(artifacts.list().find((each) => each.hash === to0x(sha256(bytes)))).toMatchObject({
      state: 'unusable',
      fault: expect.stringContaining('not an artifact'),
    });
    await expect(readdir(join(home, HOME.data, 'artifacts'))).rejects.toThrow();
  });

  test('no more are fetched at once than a readiness can name', async () => {
    const { artifacts } = await artifactWorld();
    const many = Array.from({ length: 20 }, (_, i) => ({
      hash: new Uint8Array(32).fill(i + 1),
      by: 'proposal' as const,
    }));
    await artifacts.name(many);
    expect(artifacts.missing()).toHaveLength(8);
  });
});

describe('an artifact is refused', () => {
  test.for<readonly [string, Uint8Array, string]>([
    ['whose lock file was changed by hand', changedSecond({ number: 9 }), 'table balances has number 9, and had 0'],
    ['of an application that the chain does not run', escrow.artifact, 'this chain runs no application escrow'],
    ['whose script does not load', changedSecond({ script: 'no script' }), 'does not compile'],
    ['whose script is of another artifact', changedSecond({}), 'was not made by the build'],
  ])('%s, and nothing of it is written', async ([, artifact, detail]) => {
    const { artifacts, home, announced } = await artifactWorld();
    await artifacts.name([{ hash: sha256(artifact), by: 'proposal' }]);
    await artifacts.fetched(artifact);
    const outcome = await artifacts.accept(sha256(artifact));
    expect(outcome).toEqual({ type: 'refused', detail: expect.stringContaining(detail) });
    expect([artifacts.has(sha256(artifact)), announced]).toEqual([false, []]);
    await expect(readdir(join(home, HOME.applications))).rejects.toThrow();
  });

  test('that cannot follow one which was accepted before', async () => {
    const { artifacts, putInHome } = await artifactWorld();
    await artifacts.accept(await putInHome(second.artifact));
    expect(artifacts.stateOf(hash)).toBe('accepted');
    const other = changedSecond({ number: 7 });
    const refused = await artifacts.accept(await putInHome(other));
    expect(refused).toEqual({ type: 'refused', detail: expect.stringContaining('cannot follow version 2 of token') });
  });
});

describe('pieces for peers', () => {
  const whole = (of: typeof first, from = 0) => of.artifact.subarray(from, from + ARTIFACT_PIECE_BYTES);

  test('are of artifacts that the chain names, now or before, whether they were accepted or not', async () => {
    const { artifacts, putInHome } = await artifactWorld();
    expect(artifacts.piece(first.hash, 0)?.bytes).toEqual(whole(first));
    await artifacts.accept(await putInHome(second.artifact));
    expect(artifacts.piece(hash, 0)).toBeUndefined();
    await artifacts.name(proposed);
    expect(artifacts.piece(hash, 0)?.bytes).toEqual(whole(second));
    await artifacts.name([]);
    expect(artifacts.piece(hash, 0)).toBeUndefined();
    artifacts.nameEarlier([hash]);
    expect(artifacts.piece(hash, 0)?.bytes).toEqual(whole(second));
  });

  test('say where they end, and there is none from there on', async () => {
    const { artifacts } = await artifactWorld();
    await artifacts.name(proposed);
    await artifacts.fetched(second.artifact);
    const { length } = second.artifact;
    expect(artifacts.piece(hash, length - 1)).toEqual({ bytes: second.artifact.subarray(length - 1), more: false });
    expect(artifacts.piece(hash, length)).toBeUndefined();
    expect(artifacts.piece(new Uint8Array(32), 0)).toBeUndefined();
  });
});
