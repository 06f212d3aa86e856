/** Programs as the node's execution holds them: each with the host of its calls, between which queries use another one. */
import type { Host } from '@slipstream/app/program';
import type { MeteredProgram } from '@slipstream/app-realm';
import { type Applications, createApplications } from '@slipstream/execution';
import type { Usage } from './usage.ts';

interface Installed {
  readonly applications: Applications;
  /** From here on; before each call. */
  observeBy(usage: Usage): void;
  /** What the last fault was; an engine words it. */
  lastFault(): string | undefined;
}

/** By program, as long as somebody has it. */
export function createInstalled(hash: Uint8Array): (program: MeteredProgram) => Installed {
  const all = new WeakMap<MeteredProgram, Installed>();
  return (program) => {
    const known = all.get(program) ?? install(program, hash);
    all.set(program, known);
    return known;
  };
}

function install(program: MeteredProgram, hash: Uint8Array): Installed {
  let host: Host | undefined;
  let usage: Usage | undefined;
  let fault: string | undefined;

  function onItsHost<T>(work: () => T): T {
    if (host !== undefined) program.use(usage?.observe(host) ?? host);
    return work();
  }
  const hosted = {
    ...program,
    use(next: Host) {
      host = next;
    },
    declare: (...call: Parameters<MeteredProgram['declare']>) => onItsHost(() => program.declare(...call)),
    // Declared keys keep their numbers.
    call: (...call: Parameters<MeteredProgram['call']>) => onItsHost(() => program.call(...call)),
    genesis: (input: Uint8Array) => onItsHost(() => program.genesis(input)),
  };
  const applications = createApplications([{ hash, program: hosted }], {
    reportFault(_, message) {
      fault = message;
    },
  });
  return {
    applications,
    observeBy(next) {
      usage = next;
      fault = undefined;
    },
    lastFault: () => fault,
  };
}
