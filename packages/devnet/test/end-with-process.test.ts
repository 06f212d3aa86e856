import { expect, it } from 'vitest';
import { endWithProcess } from '../src/end-with-process.ts';

function child() {
  const signals: unknown[] = [];
  return { signals, kill: (signal?: unknown) => signals.push(signal) > 0 };
}

it('a hundred nodes end with this process by one listener, and unregistered ones are left running', () => {
  const before = process.listeners('exit');
  const children = Array.from({ length: 100 }, child);
  const forgets = children.map(endWithProcess);
  const ours = process.listeners('exit').filter((listener) => !before.includes(listener));
  expect(ours).toHaveLength(1);
  for (const forget of forgets.slice(0, 50)) forget();
  ours[0]?.(0);
  expect(children.map(({ signals }) => signals)).toEqual(children.map((_, index) => (index < 50 ? [] : ['SIGTERM'])));
  for (const forget of forgets) forget();
  expect(process.listeners('exit')).toEqual(before);
});
