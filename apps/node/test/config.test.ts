import { expect, test } from 'vitest';
import { parseFleetMember } from '../src/config/fleet-member.ts';
import { loadConfig } from '../src/config/load.ts';

const KEY = 'ab'.repeat(32);

function loaded(text: string) {
  return loadConfig({ file: { path: 'config.yaml', text }, environment: {}, flags: new Map() });
}

test('reserved places are peer keys, from the file or the environment', () => {
  expect(loaded(`network:\n  reserved:\n    - ${KEY}\n`)['network.reserved']).toEqual([KEY]);
  expect(loaded(`network:\n  reserved: ["0x${KEY}"]\n`)['network.reserved']).toEqual([KEY]);
  const environment = { SLIPSTREAM_NETWORK_RESERVED: `${KEY},${'cd'.repeat(32)}` };
  expect(loadConfig({ environment, flags: new Map() })['network.reserved']).toEqual([KEY, 'cd'.repeat(32)]);
});

test.each([
  ['abc', 'network.reserved must have peer keys of 64 hexadecimal digits each (slipstream keys show), not "abc"'],
  [`${KEY}@10.0.0.1:9000`, 'must have peer keys of 64 hexadecimal digits each'],
  [`${KEY}, ${KEY}`, `network.reserved names the peer key ${KEY} twice`],
  [Array.from({ length: 1001 }, (_, at) => `ab${at.toString().padStart(62, 'f')}`).join(), 'at most 1000 peer keys'],
])('reserved places that are none are a fault that says what to write: %#', (keys, words) => {
  expect(() => loaded(`network:\n  reserved: [${keys}]\n`)).toThrow(words);
});

test('a URL of the fleet with a password in it is refused without showing it: all of the URL is told to whoever asks', () => {
  const member = 'validator-1=https://ops:hunter2@one.example';
  expect(() => parseFleetMember(member)).toThrow('without user and password');
  expect(() => parseFleetMember(member)).not.toThrow(/hunter2/);
  expect(parseFleetMember('validator-1=https://one.example').url).toBe('https://one.example');
});
