/** The list of hosts, and which node goes where. */
import type { NodeFolder } from '@slipstream/devnet';
import { describe, expect, it } from 'vitest';
import { readHosts } from '../../scripts/hosts/host-list.ts';
import { placeNodes } from '../../scripts/hosts/placement.ts';
import { quote } from '../../scripts/hosts/remote.ts';

describe('a list of hosts', () => {
  it('names user, SSH port and address, or takes the defaults', () => {
    const read = readHosts('# ours\nme@a.example:2222 10.0.0.1\n\nb.example # the second\n');
    expect(read).toEqual({
      ok: true,
      value: [
        { destination: 'me@a.example', port: 2222, address: '10.0.0.1' },
        { destination: 'b.example', port: 22, address: 'b.example' },
      ],
    });
  });

  it.each(['-oProxyCommand=x', 'a b c', 'a:0', 'a:65536', 'a:22:22', '$(x)', 'me@', 'a -b', 'a;b'])(
    'refuses %j, and says in which line',
    (line) => {
      const read = readHosts(`good.example\n${line}\n`);
      expect(read.ok ? '' : read.error).toContain(`line 2 is not [USER@]HOST[:PORT] [ADDRESS]: ${line}`);
    },
  );

  it('without a host is refused', () => {
    expect(readHosts('# nothing\n').ok).toBe(false);
  });
});

describe('nodes', () => {
  const node = (name: string, validator?: number): NodeFolder => ({
    name,
    validator,
    home: `/chain/${name}`,
    peerKey: `key-of-${name}`,
    networkPort: 1,
    apiPort: 1,
  });
  const nodes = [node('validator-0', 0), node('validator-1', 1), node('validator-2', 2), node('full-node-0')];
  const hosts = [
    { destination: 'a', port: 22, address: '10.0.0.1' },
    { destination: 'b', port: 22, address: 'b.example' },
  ];
  const placed = placeNodes(nodes, hosts, { networkPort: 9000, apiPort: 8080 });
  const flagOf = (at: number, name: string) => {
    const { flags = [] } = placed[at] ?? {};
    return flags[flags.indexOf(name) + 1];
  };

  it('go to the hosts in turn, on further ports of the same host', () => {
    expect(placed.map(({ url }) => url)).toEqual([
      'http://10.0.0.1:8080',
      'http://b.example:8080',
      'http://10.0.0.1:8081',
      'http://b.example:8081',
    ]);
    expect(flagOf(2, '--network-listen')).toBe('0.0.0.0:9001');
  });

  it('share the ports of a machine that two lines of the list lead to', () => {
    const twice = [hosts[0], { destination: 'other-name', port: 22, address: '10.0.0.1' }].flatMap(
      (host) => host ?? [],
    );
    const urls = placeNodes(nodes, twice, { networkPort: 9000, apiPort: 8080 }).map(({ url }) => url);
    expect(urls).toEqual([8080, 8081, 8082, 8083].map((port) => `http://10.0.0.1:${port}`));
  });

  it('dial every validator but themselves', () => {
    expect(flagOf(0, '--network-peers')).toBe('key-of-validator-1@b.example:9000,key-of-validator-2@10.0.0.1:9001');
    expect(flagOf(3, '--network-peers')?.split(',')).toHaveLength(3);
  });

  it('allow the name of their host in requests', () => {
    expect(flagOf(1, '--api-allow-hosts')).toBe('b.example');
    expect(placed[0]?.flags).not.toContain('--api-allow-hosts');
  });
});

it('a word with quotes stays one word of the shell', () => {
  expect(quote(`it's "$HOME"`)).toBe(`'it'\\''s "$HOME"'`);
});
