/**
 * Checks the deployment files: compose file, Kubernetes manifests, Prometheus' alert rules and their tests.
 *
 *   npm run check:deploy
 *
 * Missing tools are installed into the checkout. A check without its tool is reported as not run.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { runCommand } from './checks/run-command.ts';
import { debianProgram, pythonProgram } from './checks/tools.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print } from './print.ts';

interface Check {
  readonly name: string;
  /** The program and its arguments; undefined when it is not available here. */
  command(): Promise<readonly [string, ...string[]] | undefined>;
}

const rules = 'scripts/containers/monitoring';

const promtool = () => debianProgram('prometheus', 'usr/bin/promtool');

const CHECKS: readonly Check[] = [
  {
    name: 'alert rules',
    async command() {
      const program = await promtool();
      return program === undefined ? undefined : [program, 'check', 'rules', `${rules}/alerts.yml`];
    },
  },
  {
    name: 'alert rules against series',
    async command() {
      const program = await promtool();
      return program === undefined ? undefined : [program, 'test', 'rules', `${rules}/alerts-test.yml`];
    },
  },
  {
    name: 'Prometheus configuration',
    async command() {
      const program = await promtool();
      return program === undefined
        ? undefined
        : [program, 'check', 'config', '--syntax-only', `${rules}/prometheus.yml`];
    },
  },
  {
    name: 'Kubernetes manifests',
    async command() {
      const program = await pythonProgram('kubernetes-validate', 'kubernetes-validate==1.31.0');
      const folder = 'docs/kubernetes';
      const manifests = (await readdir(join(root, folder))).filter((name) => name.endsWith('.yaml'));
      return [program, '--strict', ...manifests.map((name) => `${folder}/${name}`)];
    },
  },
  {
    name: 'compose file, v1',
    command: async () => firstThere(['docker-compose', '-f', 'docker-compose.yml', 'config', '-q']),
  },
  {
    name: 'compose file, v2',
    command: async () => firstThere(['docker', 'compose', '-f', 'docker-compose.yml', 'config', '-q']),
  },
];

/** The command, if its program (and plugin) runs. */
async function firstThere(
  command: readonly [string, ...string[]],
): Promise<readonly [string, ...string[]] | undefined> {
  const [program, first = ''] = command;
  const ask = program === 'docker' ? [first, 'version'] : ['version'];
  return (await runCommand(program, ask)).code === 0 ? command : undefined;
}

endWithStarter();
let failed = 0;
for (const { name, command } of CHECKS) {
  const found = await command();
  if (found === undefined) {
    print(`not run  ${name}: its program is not on this machine`);
    continue;
  }
  const [program, ...args] = found;
  const { code, output } = await runCommand(program, args, root);
  print(`${code === 0 ? 'ok     ' : 'FAILED '}  ${name}`);
  if (code === 0) continue;
  failed += 1;
  print(output.trimEnd().replace(/^/gm, '    '));
}
process.exitCode = failed === 0 ? 0 : 1;
