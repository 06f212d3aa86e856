/** How far a proposal has come. */
import { Badge } from '../../design/badge.tsx';
import type { stepsOf } from './next-committee.ts';

export function ProposalSteps({ steps }: { readonly steps: ReturnType<typeof stepsOf> }) {
  return (
    <ol className="row proposal-steps" aria-label="Steps">
      {steps.map(({ name, isDone }) => (
        <li key={name}>
          <Badge tone={isDone ? 'good' : 'plain'}>
            {name}
            <span className="hidden-label">{isDone ? ', done' : ', not yet'}</span>
          </Badge>
        </li>
      ))}
    </ol>
  );
}
