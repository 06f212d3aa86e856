/** How the code of an application ended: what it returned, or what kept it from returning. */
import type { CallFailure } from '@slipstream/app/program';
import { CodedError } from '@slipstream/primitives';
import type { FailureCode } from '@slipstream/types';
import { CallRefused } from './usage.ts';

/** Codes of packages/app-realm. Others are defects of the script or of its build. */
const OUT_OF_COMPUTE = 'out-of-compute';
const SCRIPT_CODES: ReadonlySet<string> = new Set(['script-failed', 'host-misused']);

export function attempt<T>(work: () => T): T | CallFailure | { readonly status: FailureCode } {
  try {
    return work();
  } catch (error) {
    if (error instanceof CallRefused) return { status: error.code };
    if (!(error instanceof CodedError)) throw error;
    if (error.code === OUT_OF_COMPUTE) return { status: OUT_OF_COMPUTE };
    if (SCRIPT_CODES.has(error.code)) return { status: 'fault', message: error.message };
    throw error;
  }
}
