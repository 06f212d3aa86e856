/** I3 by type: only the log says that a value is durable, and only the frames' file says that bytes may leave. */
import { expect, test } from 'vitest';
import { readRepository } from './repository.ts';

const product = readRepository().filter(({ path }) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$/.test(path));

/** By text: the files that may have it. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  'declareDurable(': [/^packages\/primitives\/src\/durable\.ts$/, /^packages\/wal\/src\/(writer|replay)\.ts$/],
  'declareOutgoing(': [/^packages\/primitives\/src\/durable\.ts$/, /^packages\/types\/src\/outgoing-frames\.ts$/],
  /** Relayed: signatures of other members. */
  'relayedFrame(': [/^packages\/types\/src\/outgoing-frames\.ts$/, /^packages\/sync\/src\/full-nodes\/relay\.ts$/],
  ' as Durable<': [/^packages\/primitives\/src\/durable\.ts$/],
  ' as OutgoingFrame': [/^packages\/primitives\/src\/durable\.ts$/],
};

/** `declareDurable<T>(` is a call of it too. */
const withoutTypes = (text: string) => text.replaceAll(/(declareDurable|declareOutgoing)<[^>]*>/g, '$1');

test.each(Object.entries(ALLOWED))('"%s" stands only where it is allowed', (text, allowed) => {
  const places = product.filter((file) => withoutTypes(file.text).includes(text)).map(({ path }) => path);
  expect(places.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
  for (const pattern of allowed) expect(places.some((path) => pattern.test(path))).toBe(true);
});

test('consensus, dissemination and sync send through the sender that takes outgoing frames alone', () => {
  const parts = product.filter(({ path }) => /^packages\/(consensus|dissemination|sync)\//.test(path));
  const raw = parts.filter(({ text }) => /Pick<Transport,[^>]*'(send|broadcast)'/.test(text)).map(({ path }) => path);
  expect(raw).toEqual([]);
});
