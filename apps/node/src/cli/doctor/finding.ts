export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'fault';
  readonly found: string;
  /** Only where the level is not ok. */
  readonly remedy?: string;
}

export function ok(check: string, found: string): Finding {
  return { check, level: 'ok', found };
}

export function warning(check: string, found: string, remedy: string): Finding {
  return { check, level: 'warning', found, remedy };
}

export function fault(check: string, found: string, remedy: string): Finding {
  return { check, level: 'fault', found, remedy };
}

/** A check that throws becomes a finding, so that the others still run. */
export async function runCheck(check: string, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [fault(check, found, 'Repair what the message names, then run the doctor again.')];
  }
}
