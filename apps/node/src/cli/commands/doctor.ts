import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, EXIT_FAILED, inFolder, type Terminal } from '@slipstream/command-line';
import { HOME, isCandidate, strayVariables } from '@slipstream/node-home';
import { NodeError } from '../../errors.ts';
import { type Finding, ok, runCheck, warning } from '../doctor/finding.ts';
import { checkMachine } from '../doctor/machine.ts';
import { checkPeers, checkPlaces, checkPorts } from '../doctor/network.ts';
import { clientFor, clientOf, urlOfFolder } from '../node-url.ts';
import { configOf } from '../places.ts';
import { homeOption } from '../stopped-node.ts';

const MARKS = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' } as const;

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check everything a node needs: machine, folder, keys, disk, ports, peers.',
  details: 'Run it before a start or while the node runs. It changes nothing. Exits with 1 when a check fails.',
  options: { home: homeOption },
  example: 'slipstream doctor --home chain/validator-0',
  async run({ options, terminal }) {
    const findings = await examine(inFolder(terminal, options.home ?? '.'), terminal);
    const faults = findings.filter(({ level }) => level === 'fault').length;
    const warnings = findings.filter(({ level }) => level === 'warning').length;
    if (options.json) terminal.out(JSON.stringify({ findings, faults, warnings }));
    else terminal.out([...findings.map(lineOf), '', verdict(faults, warnings)].join('\n'));
    return faults === 0 ? 0 : EXIT_FAILED;
  },
});

async function examine(home: string, terminal: Terminal): Promise<readonly Finding[]> {
  const machine = await runCheck('machine', checkMachine);
  if (isCandidate(home)) return [...machine, ...(await examineCandidate(home))];
  const config = await configOf(home, terminal).catch((error: unknown) => error);
  if (config instanceof Error) {
    return [...machine, ...(await runCheck('configuration', () => Promise.reject(config)))];
  }
  const settings = config as Awaited<ReturnType<typeof configOf>>;
  // These modules load slowly, and every command loads this file.
  const { checkDisk, checkKeys, checkState, checkTrust, isNodeOf } = await import('../doctor/folder.ts');
  const { running, findings: ofProcess } = await checkProcess(home);
  const client = running ? await clientOf({ url: undefined, home }, terminal).catch(() => undefined) : undefined;
  const answers = async () => {
    try {
      return await isNodeOf(home, settings, clientFor(await urlOfFolder(home, terminal), terminal));
    } catch {
      return false;
    }
  };
  return [
    ...machine,
    ok('configuration', `${join(home, HOME.config)} is sound`),
    ...strayVariables(terminal.environment).map(strayVariable),
    ...(await runCheck('keys', () => checkKeys(home, settings, client))),
    ...ofProcess,
    ...(await runCheck('state', () => checkState(home))),
    // Another process has the ledger open.
    ...(running && client === undefined ? [] : await runCheck('trust', () => checkTrust(home, settings, client))),
    ...(await runCheck('disk', () => checkDisk(home))),
    ...(await runCheck('ports', () => checkPorts(settings, running, answers))),
    ...(await runCheck('peers', () => checkPeers(settings))),
    checkPlaces(settings),
  ];
}

/** Without a genesis ports and peers are not known yet. */
async function examineCandidate(home: string): Promise<readonly Finding[]> {
  const { checkCandidate } = await import('../doctor/candidate.ts');
  const { checkDisk } = await import('../doctor/folder.ts');
  return [...(await checkCandidate(home)), ...(await runCheck('disk', () => checkDisk(home)))];
}

function strayVariable(name: string): Finding {
  const remedy = 'It is ignored. slipstream node --print-config lists the names of all keys.';
  return warning('environment', `${name} names no key of the configuration`, remedy);
}

async function checkProcess(
  home: string,
): Promise<{ readonly running: boolean; readonly findings: readonly Finding[] }> {
  let running = false;
  const findings = await runCheck('ledger', async () => {
    running = await isRunning(home);
    return [ok('process', running ? 'a node runs on this folder' : 'no node runs on this folder')];
  });
  return { running, findings };
}

/** Whether a process holds the ledger's lock. Throws DiskError when the ledger is damaged. */
async function isRunning(home: string): Promise<boolean> {
  const data = join(home, HOME.data);
  if (!existsSync(data)) return false;
  const { openExclusively } = await import('../../storage/exclusive-ledger.ts');
  try {
    await (await openExclusively(data)).close();
    return false;
  } catch (error) {
    if (error instanceof NodeError && error.code === 'home-in-use') return true;
    throw error;
  }
}

function lineOf({ check, level, found, remedy }: Finding): string {
  const line = `${MARKS[level]}  ${check.padEnd(16)} ${found}`;
  return remedy === undefined ? line : `${line}\n${' '.repeat(26)}-> ${remedy}`;
}

function verdict(faults: number, warnings: number): string {
  const warned = `warnings: ${warnings}`;
  return faults > 0 ? `this node would not run; faults: ${faults}, ${warned}` : `a node can run here; ${warned}`;
}
