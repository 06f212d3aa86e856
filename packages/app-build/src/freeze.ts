/** Freezes what stands at the top of a module: literals, functions and classes, so that a change throws instead of outliving its action. */
import { FREEZE } from './names.ts';
import { type Insertion, insertAll } from './syntax/insert.ts';
import { isFunction, nameOf, parseModule, type Tree, walk } from './syntax/tree.ts';

/** Lines stay where they are. */
export function freezeTop(path: string, text: string): string {
  const { program } = parseModule(path, text);
  const begins: Insertion[] = [];
  const ends: Insertion[] = [];
  let inside = 0;
  const isInside = (node: Tree) => isFunction(node) || node.type === 'ClassBody';
  walk(program, {
    enter(node) {
      if (inside === 0 && isLiteral(node)) begins.push({ at: node.start, text: `${FREEZE}(` });
      if (isInside(node)) inside++;
    },
    leave(node) {
      if (isInside(node)) inside--;
      if (inside === 0 && isLiteral(node)) ends.push({ at: node.end, text: ')' });
    },
  });
  return insertAll(text, { begins, ends }) + frozenDeclarations(program);
}

const isLiteral = ({ type }: Tree): boolean => type === 'ObjectExpression' || type === 'ArrayExpression';

/** Appended: a declaration's name has its value by then. */
function frozenDeclarations(program: Tree): string {
  const frozen = (program.body as readonly Tree[]).flatMap((statement) => {
    const declaration = (statement.declaration ?? statement) as Tree;
    const name = nameOf(declaration.id);
    if (name === undefined || declaration.declare === true) return [];
    if (declaration.type === 'FunctionDeclaration') return [`${FREEZE}(${name});`];
    return declaration.type === 'ClassDeclaration' ? [`${FREEZE}(${name});${FREEZE}(${name}.prototype);`] : [];
  });
  return frozen.length === 0 ? '' : `\n${frozen.join('')}\n`;
}
