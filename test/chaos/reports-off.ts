/** Flags of a node that reports no evidence: the offender of the test stays in the committee. */
export const REPORTS_OFF = ['--account-key-file='] as const;
