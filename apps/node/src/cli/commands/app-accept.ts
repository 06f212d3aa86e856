import { defineCommand, inFolder } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { NodeError } from '../../errors.ts';
import { homeOption } from '../stopped-node.ts';

export const appAcceptCommand = defineCommand({
  name: 'app accept',
  summary: 'Put an artifact of an application into a home, for an upgrade that is proposed.',
  details:
    'An artifact runs with the rights of the node: accept what you trust as the node itself. It is loaded in a realm, and compared with the ' +
    'newest one of its application in the home: one that gives other numbers, or cannot read what that one wrote, is refused. Restart the ' +
    'node: it reports then that it has the artifact.',
  positionals: [{ name: 'FILE', about: 'the artifact.' }],
  options: { home: homeOption },
  example: 'slipstream app accept token-2.artifact --home validator-0',
  async run({ options, arguments: [file = ''], terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const { acceptArtifact, newestHere, readArtifact } = await import('@slipstream/node-home/applications');
    const { manifestDifferences } = await import('../manifest-differences.ts');
    const { upgradeFaults } = await import('../upgrade-faults.ts');
    const { artifact, manifest } = await readArtifact(inFolder(terminal, file));
    const before = await newestHere(home, manifest.name);
    const faults = before === undefined ? [] : upgradeFaults(before, manifest);
    if (faults.length > 0) {
      const message = `${file} cannot follow version ${before?.version} of ${manifest.name}: ${faults.join('; ')}`;
      throw new NodeError('usage', message, { faults });
    }
    const { hash, path } = await acceptArtifact(home, artifact);
    const differences = before === undefined ? [] : manifestDifferences(before, manifest);
    const { name, version } = manifest;
    if (options.json) terminal.out(JSON.stringify({ name, version, hash: to0x(hash), path, differences }));
    else {
      const compared =
        before === undefined ? 'the home has no other of this name' : `compared with version ${before.version}`;
      terminal.out(
        [
          `${name} version ${version}, artifact ${to0x(hash)}`,
          `in ${path}`,
          compared,
          ...differences.map((each) => `  ${each}`),
        ].join('\n'),
      );
    }
    return 0;
  },
});
