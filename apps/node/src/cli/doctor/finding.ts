/** What the doctor says of one thing it looked at. */
export interface Finding {
  /** What was looked at, in two or three words. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'fault';
  readonly found: string;
  /** What to do; only where the level is not ok. */
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

/** A check that throws is itself a finding: the doctor looks at everything, whatever is broken. */
export async function lookAt(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [fault(check, found, 'Repair what the message names, then run the doctor again.')];
  }
}
