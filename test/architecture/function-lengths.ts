/**
 * Functions have at most 60 lines of body, factories (`create...`) 120. Helpers inside are closures over all variables, which a reader has to
 * hold at once.
 */
import type { SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { isTree, lineFinder, parse, type Tree, visit } from './tree.ts';

export const functionLinesMax = 60;
export const factoryLinesMax = 120;

export interface LongFunction {
  readonly path: string;
  readonly name: string;
  readonly lines: number;
}

/** Of product code and scripts. Bodies of tests are lists of cases. */
export function findLongFunctions(files: readonly SourceFile[]): readonly LongFunction[] {
  return files.filter((file) => isCode(file) && /(^|\/)src\/|^scripts\//.test(file.path)).flatMap(longFunctionsOf);
}

function longFunctionsOf(file: SourceFile): readonly LongFunction[] {
  const { path, text } = file;
  const { program } = parse(file);
  const lineOf = lineFinder(text);
  const found: LongFunction[] = [];
  visit(program, (node, _key, parent) => {
    const body = bodyOf(node);
    if (body === undefined) return;
    const lines = lineOf(body.end) - lineOf(body.start) + 1;
    const name = nameOf(node, parent);
    if (lines > (name.startsWith('create') ? factoryLinesMax : functionLinesMax)) found.push({ path, name, lines });
  });
  return found;
}

function bodyOf(node: Tree): Tree | undefined {
  if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return undefined;
  const { body } = node;
  return isTree(body) ? body : undefined;
}

function nameOf(node: Tree, parent: Tree | undefined): string {
  for (const holder of [node.id, parent?.id, parent?.key]) {
    if (isTree(holder) && typeof holder.name === 'string') return holder.name;
  }
  return '(anonymous)';
}
