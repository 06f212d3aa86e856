import { expect, it } from 'vitest';
import { factoryLinesMax, findLongFunctions, functionLinesMax } from './function-lengths.ts';
import { readRepository } from './repository.ts';

it('keeps functions short', () => {
  const long = findLongFunctions(readRepository());
  expect(long.map(({ path, name, lines }) => `${path} ${name}: ${lines} lines`)).toEqual([]);
});

it('measures functions, methods and factories', () => {
  const lines = (count: number) => 'work();\n'.repeat(count);
  const file = (text: string) => [{ path: 'packages/x/src/a.ts', text }];
  expect(findLongFunctions(file(`function run() {\n${lines(functionLinesMax)}}`))).toMatchObject([{ name: 'run' }]);
  expect(findLongFunctions(file(`const run = () => {\n${lines(functionLinesMax)}};`))).toMatchObject([{ name: 'run' }]);
  expect(findLongFunctions(file(`const port = { run() {\n${lines(functionLinesMax)}} };`))).toMatchObject([
    { name: 'run' },
  ]);
  expect(findLongFunctions(file(`function createPort() {\n${lines(functionLinesMax)}}`))).toEqual([]);
  expect(findLongFunctions(file(`function createPort() {\n${lines(factoryLinesMax)}}`))).toHaveLength(1);
});
