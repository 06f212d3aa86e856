/** Who has reported that its node knows a proposed version of the rules. */
import type { ValidatorView } from '@slipstream/schema';
import { count } from '../../design/format.ts';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { useStream } from '../../stream/use-stream.ts';

const PAGE = 100;
/** All members of the largest committee. */
const PAGES_MAX = 11;
const NAMES_MAX = 8;

/** Reads all validators, so it is drawn for an open proposal of a version only. */
export function VersionReadiness({ version }: { readonly version: number }) {
  const changes = useStream((snapshot) => snapshot.governanceVersion);
  const { answer } = useQuery('versions of validators', allMembers, { version: changes });
  if (answer.type !== 'done') return null;
  const missing = answer.value.filter((validator) => validator.version < version);
  const weightOf = (validators: readonly ValidatorView[]) => validators.reduce((sum, { weight }) => sum + weight, 0);
  const total = weightOf(answer.value);
  return (
    <p className="small soft">
      Nodes with a weight of {count(total - weightOf(missing))} of {count(total)} know version {version}.{' '}
      {missing.length === 0 ? null : `Not reported: ${namesOf(missing)}.`}
    </p>
  );
}

function namesOf(validators: readonly ValidatorView[]): string {
  const names = validators.slice(0, NAMES_MAX).map(({ name }) => name);
  const more = validators.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${count(more)} more` : '');
}

async function allMembers(signal: AbortSignal): Promise<readonly ValidatorView[]> {
  const validators: ValidatorView[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.validators({ limit: PAGE, signal, ...(cursor !== undefined && { cursor }) });
    validators.push(...page.items.filter(({ weight }) => weight > 0));
    if (page.next === null) break;
    cursor = page.next;
  }
  return validators;
}
