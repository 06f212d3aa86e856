/** From syntax trees: an import would load the code before it is changed. */
import type { SourceFile } from '../../architecture/repository.ts';
import { isTree, lineFinder, parse, type Tree, visit } from '../../architecture/tree.ts';
import type { Pattern } from './patterns.ts';

export interface Module extends SourceFile {
  readonly program: Tree;
  /** Exported name of an imported one. */
  readonly nameOf: (local: string) => string;
}

export function readModule(file: SourceFile): Module {
  const { program } = parse(file);
  const imported = new Map<string, string>();
  visit(program, ({ type, local, imported: original }) => {
    if (type === 'ImportSpecifier' && isTree(local) && isTree(original)) {
      imported.set(String(local.name), String(original.name));
    }
  });
  return { ...file, program, nameOf: (local) => imported.get(local) ?? local };
}

export interface ReadChange {
  readonly within: string;
  /** Declarations, each inside the one before. */
  readonly inside: readonly string[];
  readonly everywhere: boolean;
  readonly pattern: Pattern;
  readonly replacement: Tree;
  readonly text: string;
}

export interface ReadMutation {
  readonly name: string;
  readonly changes: readonly ReadChange[];
}

/** Objects with `name` and `changes`. */
export function readMutations(module: Module): readonly ReadMutation[] {
  const found: ReadMutation[] = [];
  visit(module.program, (node) => {
    const { name, changes } = propertiesOf(node);
    if (typeof name?.value !== 'string' || changes?.type !== 'ArrayExpression') return;
    found.push({ name: name.value, changes: elementsOf(changes).map((element) => readChange(element, module)) });
  });
  return found;
}

function readChange(node: Tree, module: Module): ReadChange {
  const { within, inside, everywhere, replace } = propertiesOf(node);
  const pair = replace?.body;
  const [expression, replacement] = isTree(pair) && Array.isArray(pair.elements) ? pair.elements.filter(isTree) : [];
  const folderName = within && textOf(within, module);
  if (folderName === undefined || !Array.isArray(replace?.params) || !expression || !replacement) {
    const line = lineFinder(module.text)(node.start);
    throw new Error(
      `${module.path}:${line}: a change is { within, inside, replace: (holes) => [expression, replacement] }`,
    );
  }
  const holes = new Set(replace.params.map(({ name }: Tree) => String(name)));
  return {
    within: folderName,
    inside: elementsOf(inside).map((element) => textOf(element, module) ?? module.nameOf(String(element.name))),
    everywhere: everywhere !== undefined,
    pattern: { tree: expression, holes, nameOf: module.nameOf },
    replacement,
    text: module.text,
  };
}

function propertiesOf(node: Tree): Readonly<Partial<Record<string, Tree>>> {
  if (node.type !== 'ObjectExpression') return {};
  const properties = (node.properties as readonly Tree[]).filter(({ type }) => type === 'Property');
  return Object.fromEntries(properties.map(({ key, value }) => [(key as Tree).name, value]));
}

/** Another node is its own only element. */
function elementsOf(node: Tree | undefined): readonly Tree[] {
  if (node === undefined) return [];
  return Array.isArray(node.elements) ? node.elements.filter(isTree) : [node];
}

/** A string, or a string constant of the module. */
function textOf(node: Tree, { program }: Module): string | undefined {
  if (typeof node.value === 'string') return node.value;
  let text: string | undefined;
  visit(program, ({ type, id, init }) => {
    if (type === 'VariableDeclarator' && isTree(id) && id.name === node.name && isTree(init)) {
      if (typeof init.value === 'string') text = init.value;
    }
  });
  return text;
}
