/** Names of compose's containers, from the network's name server. */
import { expect, test } from 'vitest';
import { containerNameOf, parseContainerName } from '../../scripts/containers/container-name.ts';

test('the names of both versions of compose are parsed to project, separator and number', () => {
  expect(parseContainerName('shop_validator_12.shop_committee', 'validator')).toEqual({
    project: 'shop',
    separator: '_',
    number: 12,
  });
  expect(parseContainerName('my-shop-full-node-1.my-shop_published', 'full-node')).toEqual({
    project: 'my-shop',
    separator: '-',
    number: 1,
  });
});

test('a project with the name of the service is parsed', () => {
  const name = parseContainerName('a-validator-1_validator_2.net', 'validator');
  expect(name).toEqual({ project: 'a-validator-1', separator: '_', number: 2 });
});

test('other containers have no number in the service', () => {
  for (const name of ['', 'shop-chain-1.net', 'validator-1', 'shop-validator-0', 'shop-validator-x', '3f2a1b.net'])
    expect(parseContainerName(name, 'validator'), name).toBeUndefined();
});

test('the names of the other containers are derived from the own one', () => {
  expect(containerNameOf('validator', { project: 'shop', separator: '-', number: 1 }, 3)).toBe('shop-validator-3');
});
