import { LOCAL_OPTIONS, optionFaults } from '@slipstream/consensus/options';
import { expect, test } from 'vitest';
import { consensusOptions } from '../src/config/consensus-times.ts';
import { parseFleetMember } from '../src/config/fleet-member.ts';
import { flagName } from '../src/config/keys.ts';
import { loadConfig, strayVariables } from '../src/config/load.ts';

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

test('values of the file stay as written: keys of digits, names and versions stay text', () => {
  const digits = '0x'.padEnd(66, '12');
  const exponent = `${'1'.repeat(31)}e${'2'.repeat(32)}`;
  expect(loaded(`network:\n  reserved:\n    - ${digits}\n    - ${exponent}\n`)['network.reserved']).toEqual([
    digits.slice(2),
    exponent,
  ]);
  const names = ['1.10', '007', '0x10', '1e3', 'null', '~', 'no', '12345678901234567890', '2026-11-25'];
  for (const name of names) expect(loaded(`name: ${name}\n`).name).toBe(name);
});

test.each([
  ['api:\n  port: 8081', 'api.port', 8081],
  ['api:\n  port: "8081"', 'api.port', 8081],
  ['api:\n  enabled: false', 'api.enabled', false],
  ['api:\n  enabled: True', 'api.enabled', true],
  ['network:\n  peers: []', 'network.peers', []],
  ['network:\n  peers:', 'network.peers', []],
  ['# nothing but a comment', 'name', 'node'],
] as const)('the file contains %j', (text, key, value) => {
  expect(loaded(text)[key]).toEqual(value);
});

test.each([
  ['api:\n  port: 0x1F90', 'api.port must be a whole number from 0 to 65535, not "0x1F90"'],
  ['api:\n  port: 12345678901234567890', 'api.port must be a whole number'],
  ['api:\n  port: [1]', 'api.port must be a whole number'],
  ['api:\n  enabled: yes', 'api.enabled must be true or false, not "yes"'],
  ['name: [a]', 'name must be text'],
])('a value of another kind is a fault: %j', (text, words) => {
  expect(() => loaded(text)).toThrow(words);
});

test.each([
  ['abc', 'network.reserved must have peer keys of 64 hexadecimal digits each (slipstream keys show), not "abc"'],
  [`${KEY}@10.0.0.1:9000`, 'must have peer keys of 64 hexadecimal digits each'],
  [`${KEY}, ${KEY}`, `network.reserved names the peer key ${KEY} twice`],
  [Array.from({ length: 1001 }, (_, at) => `ab${at.toString().padStart(62, 'f')}`).join(), 'at most 1000 peer keys'],
])('an invalid reserved place is a fault that states the valid form: %#', (keys, words) => {
  expect(() => loaded(`network:\n  reserved: [${keys}]\n`)).toThrow(words);
});

test('a fleet URL with a password is refused without showing it, since readers of the fleet see URLs', () => {
  const member = 'validator-1=https://ops:hunter2@one.example';
  expect(() => parseFleetMember(member)).toThrow('without user and password');
  expect(() => parseFleetMember(member)).not.toThrow(/hunter2/);
  expect(parseFleetMember('validator-1=https://one.example').url).toBe('https://one.example');
});

test.each([
  ['listen: 127.0.0.1:99999', 'network.listen must be host:port, with a port up to 65535, not "127.0.0.1:99999"'],
  ['peers: [foo]', 'network.peers must have entries <peer key of 64 hexadecimal digits>@<host:port>, not "foo"'],
  [`peers: ["${KEY}@10.0.0.1"]`, 'network.peers must have entries'],
  [`peers: ["${KEY}@10.0.0.1:70000"]`, 'network.peers must have entries'],
  [`peers: ["${KEY}@10.0.0.1:1", "0x${KEY}@10.0.0.2:1"]`, `network.peers names the peer key ${KEY} twice`],
])('an unusable address is a fault of the configuration, which doctor reports: %s', (line, words) => {
  expect(() => loaded(`network:\n  ${line}\n`)).toThrow(words);
});

test('peers are keys with a name, an address or a path', () => {
  const peers = [
    `${KEY}@node.example:9000`,
    `0x${'cd'.repeat(32)}@[::1]:9000`,
    `${'ef'.repeat(32)}@/ip4/10.0.0.1/tcp/9000`,
  ];
  expect(loaded(`network:\n  peers: ${JSON.stringify(peers)}\n`)['network.peers']).toEqual(peers);
});

test('peer keys may be written in capitals, and name the same peer once', () => {
  const capitals = KEY.toUpperCase();
  expect(loaded(`network:\n  reserved: [${capitals}]\n`)['network.reserved']).toEqual([KEY]);
  const address = `0x${capitals}@Node.example:9000`;
  expect(loaded(`network:\n  peers: ["${address}"]\n`)['network.peers']).toEqual([`0x${KEY}@Node.example:9000`]);
  const twice = `network:\n  peers: ["${address}", "${KEY}@10.0.0.1:1"]\n`;
  expect(() => loaded(twice)).toThrow(`network.peers names the peer key ${KEY} twice`);
});

test('a misspelt variable of this program is reported; variables of other programs are not', () => {
  const environment = {
    SLIPSTREAM_API_PROT: '1',
    SLIPSTREAM_API_PORT: '2',
    SLIPSTREAM_URL: 'u',
    SLIPSTREAM_PORT: '3',
    SLIPSTREAM_LOGLEVEL: 'debug',
    slipstream_name: 'one',
    API_X: '',
  };
  expect(strayVariables(environment)).toEqual(['SLIPSTREAM_API_PROT', 'SLIPSTREAM_LOGLEVEL', 'slipstream_name']);
});

const fromEnvironment = (name: string, value: string) =>
  loadConfig({ environment: { [name]: value }, flags: new Map() });

test('a space after a comma is no part of a host name', () => {
  const { 'api.allowHosts': hosts } = fromEnvironment('SLIPSTREAM_API_ALLOW_HOSTS', 'a.example, b.example,');
  expect(hosts).toEqual(['a.example', 'b.example']);
});

test('an empty interface is refused: the system would bind to all', () => {
  expect(() => fromEnvironment('SLIPSTREAM_API_HOST', '')).toThrow('api.host must be an address or a name');
});

test.each([
  ['api.allowHosts', 'https://node.example', 'must have names such as node.example.org'],
  ['api.allowHosts', 'node.example/console', 'without scheme and path'],
  ['api.allowOrigins', 'console.example', 'must have origins as browsers send them'],
  ['api.allowOrigins', 'https://console.example/app', 'such as https://console.example, not'],
  ['api.allowOrigins', 'https://console.example:443', 'such as https://console.example, not'],
  ['network.delays', `${KEY}=1.2.3+0`, 'must have entries <peer key of 64 hexadecimal digits>=<ms>+<jitter ms>'],
  ['network.delays', 'x=5+5', 'must have entries'],
])('%s: "%s" is a fault: it would do nothing, or block every frame', (key, value, words) => {
  expect(() => loadConfig({ environment: {}, flags: new Map([[flagName(key), value]]) })).toThrow(words);
});

test('names and origins that browsers send are accepted', () => {
  const hosts = ['full-node', 'slipstream_validator_1', 'node.example:8443', '10.0.0.1', '[::1]:8080'];
  expect(loaded(`api:\n  allowHosts: ${JSON.stringify(hosts)}\n`)['api.allowHosts']).toEqual(hosts);
  const origins = ['https://Console.example/', 'http://localhost:5173', 'chrome-extension://abcdef'];
  expect(loaded(`api:\n  allowOrigins: ${JSON.stringify(origins)}\n`)['api.allowOrigins']).toEqual(origins);
  expect(loaded(`network:\n  delays: ["${KEY}=12.50+0.25"]\n`)['network.delays']).toEqual([`${KEY}=12.50+0.25`]);
});

test.each([
  [
    'leaderTimeoutMs: 10',
    'consensus, with the preset local: leaderTimeoutMs (10) must be at least graceMs + 3 delayMs (100)',
  ],
  ['viewTimeoutMs: 20000', 'viewTimeoutMs (20000) must be at most maxTimeoutMs (10000)'],
  [
    'minBlockIntervalMs: 40000',
    'minBlockIntervalMs (40000) must be at most 10000: what waits longer for a block expires',
  ],
])('times that no chain can run with are faults of the configuration: %s', (line, words) => {
  expect(() => loaded(`consensus:\n  ${line}\n`)).toThrow(words);
});

test('times are those of the epoch, unless the configuration gives them; the others are the preset’s', () => {
  const times = { delayMs: 5, graceMs: 10, leaderTimeoutMs: 300, viewTimeoutMs: 20_000, minBlockIntervalMs: 7 };
  const { idleBlockIntervalMs, retryMs } = LOCAL_OPTIONS;
  const found = consensusOptions(loaded('consensus:\n  leaderTimeoutMs: 400\n'), times);
  expect(found).toMatchObject({ ...times, leaderTimeoutMs: 400, idleBlockIntervalMs, retryMs, maxTimeoutMs: 20_000 });
  expect(optionFaults(found)).toEqual([]);
  expect(consensusOptions(loaded(''))).toEqual(LOCAL_OPTIONS);
});

test('one port for peers and API is a fault where both would listen on one address', () => {
  const ports = (host: string, more = '') =>
    loaded(`network:\n  listen: 10.0.0.1:9000\napi:\n  host: ${host}\n  port: 9000\n${more}`);
  expect(() => ports('10.0.0.1')).toThrow('network.listen and api.port are both port 9000');
  expect(() => ports('0.0.0.0')).toThrow('both port 9000');
  expect(ports('127.0.0.1')['api.port']).toBe(9000);
  expect(ports('0.0.0.0', '  enabled: false\n')['api.port']).toBe(9000);
});

test('followed issuers are URLs without credentials, which the fault does not repeat', () => {
  const follow = (url: string) => loaded(`sessions:\n  follow: ["${url}"]\n`)['sessions.follow'];
  expect(follow('https://node.example.org:8080')).toEqual(['https://node.example.org:8080']);
  expect(() => follow('ftp://node.example.org')).toThrow('must have URLs such as https://node.example.org:8080');
  expect(() => follow('https://user:secret@node.example.org')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
  expect(() => follow('https://user:secret@node.example.org')).toThrow('without user and password');
});

test('a checkpoint is an epoch that a record can have, and the hash of a committee', () => {
  const at = (text: string) => loaded(`sync:\n  checkpoint: "${text}"\n`)['sync.checkpoint'];
  expect(at('')).toBe('');
  expect(at(`4294967295:0x${KEY}`)).toBe(`4294967295:0x${KEY}`);
  const faulty = [KEY, `-1:${KEY}`, `1:${KEY.slice(2)}`, `4294967296:${KEY}`, `9999999999:${KEY}`];
  for (const text of faulty) expect(() => at(text)).toThrow('sync.checkpoint must be <epoch>:<hash of 64');
});
