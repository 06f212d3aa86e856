/** Which members' nodes have reported that they know a version of the rules. */
import type { Client } from '@slipstream/client';
import type { ValidatorView } from '@slipstream/schema';
import { count } from '../../design/format.ts';

export interface ReportedVersions {
  /** By the newest record. */
  readonly members: readonly ValidatorView[];
  /** The chain lists more validators, and members may be among them. */
  readonly isPartial: boolean;
}

const PAGE = 100;
/** The list has removed validators and candidates too. */
const PAGES_MAX = 11;
const NAMES_MAX = 8;

export async function readReportedVersions(
  client: Pick<Client, 'validators'>,
  signal: AbortSignal,
): Promise<ReportedVersions> {
  const members: ValidatorView[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.validators({ limit: PAGE, signal, ...(cursor !== undefined && { cursor }) });
    members.push(...page.items.filter(({ status }) => status === 'member'));
    if (page.next === null) return { members, isPartial: false };
    cursor = page.next;
  }
  return { members, isPartial: true };
}

/** `totalWeight`: of the newest record. */
export function reportText(version: number, { members, isPartial }: ReportedVersions, totalWeight: number): string {
  const knowing = members.filter((member) => member.version >= version);
  const weight = count(knowing.reduce((sum, member) => sum + member.weight, 0));
  const missing = members.filter((member) => member.version < version);
  const names = missing.slice(0, NAMES_MAX).map(({ name }) => name);
  const more = missing.length > names.length ? ` and ${count(missing.length - names.length)} more` : '';
  const known = `Nodes with a weight of ${isPartial ? 'at least ' : ''}${weight} of ${count(totalWeight)} know version ${version}.`;
  return names.length === 0 ? known : `${known} Not reported: ${names.join(', ')}${more}.`;
}
