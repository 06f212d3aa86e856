import { describe, expect, it } from 'vitest';
import { identityPortFaults, identityPorts } from '../src/identity-chain.ts';

describe('the ports of a devnet’s identity chain', () => {
  it('do not overlap those of the default network, also with a hundred nodes', () => {
    const first = { basePort: 9000, apiPort: 8080 };
    expect(identityPorts(first)).toEqual({ basePort: 9100, apiPort: 8180 });
    expect(identityPortFaults(first, 4)).toEqual([]);
    expect(identityPortFaults(first, 100)).toEqual([]);
  });

  it.each([
    [{ basePort: 9000, apiPort: 9100 }, 4, [9100]],
    [{ basePort: 9104, apiPort: 9000 }, 5, []],
    [{ basePort: 9103, apiPort: 9000 }, 4, []],
    [{ basePort: 9098, apiPort: 9000 }, 4, [9100]],
    [{ basePort: 9000, apiPort: 8000 }, 101, [9100, 8100]],
    [{ basePort: 65_500, apiPort: 8080 }, 4, [65_600]],
  ])('of %o with %i nodes are rejected where a node needs them: %o', (first, nodes, ports) => {
    const faults = identityPortFaults(first, nodes);
    expect(faults).toHaveLength(ports.length);
    for (const [at, port] of ports.entries())
      expect(faults[at]).toMatch(new RegExp(`port ${port}, .*: choose another`));
  });
});
