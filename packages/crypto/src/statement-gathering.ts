/**
 * Statement gathering: what one step of the program asks for, one by one, goes to the verifier as one batch. Costs no time: the batch
 * leaves before the next event is served.
 */
import type { Priority, Statement, Verifier } from '@slipstream/ports';

interface Gathered {
  readonly statements: Statement[];
  readonly answers: Promise<readonly boolean[]>;
}

type CheckStatement = (statement: Statement, priority: Priority) => Promise<boolean>;

export function createStatementGathering(verifier: Pick<Verifier, 'checkBatch'>): CheckStatement {
  const gathering = new Map<Priority, Gathered>();

  function gather(priority: Priority): Gathered {
    const statements: Statement[] = [];
    const answers = Promise.resolve().then(() => {
      gathering.delete(priority);
      return verifier.checkBatch(statements, priority);
    });
    const gathered = { statements, answers };
    gathering.set(priority, gathered);
    return gathered;
  }

  return async (statement, priority) => {
    const { statements, answers } = gathering.get(priority) ?? gather(priority);
    const at = statements.push(statement) - 1;
    return (await answers)[at] === true;
  };
}
