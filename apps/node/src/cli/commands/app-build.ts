import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { defineCommand, flag, inFolder, text } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { applicationTools } from '../application-tools.ts';

export const appBuildCommand = defineCommand({
  name: 'app build',
  summary: "Build an application's artifact and manifest, extend its lock file, and print the artifact's hash.",
  details:
    'The same sources give the same hash, in any folder. NAME.lock.json has the numbers of tables, actions and events: keep it in version ' +
    'control, and change it by builds alone.',
  positionals: [{ name: 'PATH', about: "the application's .ts file, or its folder" }],
  options: {
    out: text('DIR', 'Where artifact and manifest go. Default: build, in the folder of the application.'),
    'frozen-lock': flag('Fail where the lock file would change, such as on a build server.'),
  },
  example: 'slipstream app build tickets --frozen-lock',
  async run({ options, arguments: [path = ''], terminal }) {
    const { buildApplication } = await applicationTools('app build');
    const { applicationPlace } = await import('../app/application-folder.ts');
    const { file, folder } = await applicationPlace(terminal, path);
    const { artifact, hash, manifest, lockFile } = await buildApplication(file, {
      isLockFrozen: options['frozen-lock'],
    });
    const out = options.out === undefined ? join(folder, 'build') : inFolder(terminal, options.out);
    const [artifactFile, manifestFile] = [`${manifest.name}.artifact`, `${manifest.name}.manifest.json`].map((name) =>
      join(out, name),
    ) as [string, string];
    await mkdir(out, { recursive: true });
    await writeFile(artifactFile, artifact);
    await writeFile(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
    const { name, version } = manifest;
    const files = { artifact: artifactFile, manifest: manifestFile, lock: lockFile };
    const lines = Object.entries(files).map(
      ([what, each]) => `  ${what.padEnd(8)}  ${relative(terminal.folder, each)}`,
    );
    terminal.out(
      options.json
        ? JSON.stringify({ name, version, hash: to0x(hash), bytes: artifact.length, files })
        : [`${name}, version ${version}: ${to0x(hash)}, ${artifact.length} bytes`, ...lines].join('\n'),
    );
    return 0;
  },
});
