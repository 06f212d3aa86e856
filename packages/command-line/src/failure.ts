/** An error for people: the reason, what to do, and the exit code. Never a bare stack. */
import { ClientError } from '@slipstream/client';
import { CodedError } from '@slipstream/primitives';
import type { ExitCode } from './command.ts';

export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
}

export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** Codes of errors that the caller can fix in the command line or the configuration. */
const USAGE_CODES: ReadonlySet<string> = new Set(['usage', 'config-invalid']);

export function failureOf(error: unknown): Failure {
  if (error instanceof ClientError) return { exitCode: EXIT_FAILED, code: error.code, message: answerText(error) };
  if (error instanceof CodedError) {
    const exitCode = USAGE_CODES.has(error.code) ? EXIT_USAGE : EXIT_FAILED;
    return { exitCode, code: error.code, message: error.message };
  }
  const known = ofSystem(error);
  if (known !== undefined) return { exitCode: EXIT_FAILED, ...known };
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `an error that this program does not expect, which makes it a defect of it. Please report this:\n${details}`;
  return { exitCode: EXIT_FAILED, code: 'unexpected', message };
}

function answerText({ message, problem }: ClientError): string {
  const faults = problem?.faults?.map(({ path, message: what }) => `\n  ${path}: ${what}`) ?? [];
  return [message, ...(problem?.reason === undefined ? [] : [` (${problem.reason})`]), ...faults].join('');
}

/** Errors of the operating system that an operator can fix. */
function ofSystem(error: unknown): { readonly code: string; readonly message: string } | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code, message } = error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return { code: 'port-in-use', message: `${message}: another program listens there` };
    case 'ENOENT':
      return { code: 'no-such-file', message: `there is no file ${path ?? ''}: ${message}` };
    case 'EACCES':
    case 'EPERM':
      return { code: 'not-permitted', message: `no permission for ${path ?? 'this'}: ${message}` };
    case 'ENOSPC':
      return { code: 'disk-full', message: `the disk is full: make room, then start again (${message})` };
    case 'EISDIR':
      return { code: 'not-a-file', message: `${path ?? 'this'} is a folder, a file is needed` };
    case 'ENOTDIR':
      return { code: 'not-a-folder', message: `a part of ${path ?? 'this'} is a file, a folder is needed` };
    case 'EEXIST':
      return { code: 'exists', message: `${path ?? 'this'} exists already: choose another name, or remove it` };
    default:
      return undefined;
  }
}
