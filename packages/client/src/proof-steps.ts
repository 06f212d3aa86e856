/** Steps of a verification. Each relies on the ones before, so the first failure ends them. */

interface StepOutcome {
  readonly outcome: 'passed' | 'failed' | 'not-reached';
  /** What was compared, or the error. */
  readonly detail: string;
}

export interface Step<Name extends string> extends StepOutcome {
  readonly name: Name;
}

export interface Rejection<Name extends string> {
  readonly step: Name;
  readonly message: string;
  readonly steps: readonly Step<Name>[];
}

/** `details`: of the passed ones, in order. */
export function stepsOf<Name extends string>(
  names: readonly Name[],
  details: readonly string[],
  failure?: { readonly step: Name; readonly message: string },
): readonly Step<Name>[] {
  const failedAt = failure === undefined ? names.length : names.indexOf(failure.step);
  return names.map((name, i) => {
    if (i < failedAt) return { name, outcome: 'passed', detail: details[i] ?? '' };
    if (i === failedAt && failure) return { name, outcome: 'failed', detail: failure.message };
    return { name, outcome: 'not-reached', detail: '' };
  });
}
