/**
 * Puts ticks into a script: each function's and each loop's body begins with one, so that all which may run for long, or call itself, pays.
 *
 *   if (--$$ticks < 0) $$stop();        for an expression: (--$$ticks < 0 && $$stop(), expression)
 *
 * A large body pays one more for each begun hundred nodes of syntax: long code costs time, and many variables cost stack. Defaults of
 * parameters, computed keys of patterns and fields of classes run before a body does, so they pay too.
 */
import { SYNTAX_NODES_PER_TICK } from '@slipstream/app-realm';
import { STOP, TICKS } from './names.ts';
import { type Insertion, insertAll } from './syntax/insert.ts';
import { isFunction, isLoop, isTree, parseScript, type Tree, walk } from './syntax/tree.ts';

export function addTicks(script: string): string {
  const { program } = parseScript(script);
  const begins: Insertion[] = [];
  const ends: Insertion[] = [];
  const sizes = sizesOf(program);
  walk(program, {
    enter(node, { key, parent }) {
      if (isBody(node, key, parent)) {
        const before = node.type === 'BlockStatement' ? node.start + 1 : node.start;
        begins.push({ at: before, text: beginOf(node, parent as Tree, ticksFor(sizes.get(node) ?? 0)) });
      } else if (runsBeforeBody(node, key, parent)) begins.push({ at: node.start, text: `(${tickExpression(1)},` });
    },
    leave(node, { key, parent }) {
      if (isBody(node, key, parent)) {
        if (node.type !== 'BlockStatement') ends.push({ at: node.end, text: isLoop(parent as Tree) ? '}' : ')' });
      } else if (runsBeforeBody(node, key, parent)) ends.push({ at: node.end, text: ')' });
    },
  });
  return insertAll(script, { begins, ends });
}

function isBody(node: Tree, key: string, parent: Tree | undefined): boolean {
  return key === 'body' && parent !== undefined && (isFunction(parent) || isLoop(parent)) && isTree(node);
}

/** Runs at each call or construction. A literal or a name runs no code. */
function runsBeforeBody(node: Tree, key: string, parent: Tree | undefined): boolean {
  if (node.type === 'Literal' || node.type === 'Identifier') return false;
  if (parent?.type === 'AssignmentPattern') return key === 'right';
  if (parent?.type === 'PropertyDefinition') return key === 'value';
  return parent?.type === 'Property' && parent.computed === true && key === 'key';
}

function beginOf(body: Tree, parent: Tree, ticks: number): string {
  const statement = `if(${tickOf(ticks)})${STOP}();`;
  if (body.type === 'BlockStatement') return statement;
  return isLoop(parent) ? `{${statement}` : `(${tickExpression(ticks)},`;
}

const tickExpression = (ticks: number): string => `${tickOf(ticks)}&&${STOP}()`;

const tickOf = (ticks: number): string => (ticks === 1 ? `--${TICKS}<0` : `(${TICKS}-=${ticks})<0`);

const ticksFor = (nodes: number): number => 1 + Math.floor(nodes / SYNTAX_NODES_PER_TICK);

/** Nodes of each body, without those of bodies inside. */
function sizesOf(program: Tree): ReadonlyMap<Tree, number> {
  const sizes = new Map<Tree, number>();
  const open: { size: number }[] = [{ size: 0 }];
  walk(program, {
    enter(node, { key, parent }) {
      if (isBody(node, key, parent)) open.push({ size: 0 });
      const innermost = open.at(-1);
      if (innermost !== undefined) innermost.size++;
    },
    leave(node, { key, parent }) {
      if (isBody(node, key, parent)) sizes.set(node, open.pop()?.size ?? 0);
    },
  });
  return sizes;
}
