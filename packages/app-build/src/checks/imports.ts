/** Breaches in what a module imports: the kit, and files of the application by relative path, nothing else. */
import { builtinModules } from 'node:module';
import { isTree, type Tree, walk } from '../syntax/tree.ts';
import type { Breach, RuleName } from './rules.ts';

export const KIT = '@slipstream/app';

const CODE_FILE = /\.m?[jt]s$/;
const WITH_SOURCE = /^(Import|ExportNamed|ExportAll)Declaration$/;

export function findImportBreaches(program: Tree): readonly Breach[] {
  const breaches: Breach[] = [];
  walk(program, {
    enter(node) {
      if (node.type === 'TSExternalModuleReference') {
        breaches.push(breachOf('foreign-import', node.expression as Tree));
        return;
      }
      if (!WITH_SOURCE.test(node.type) || !isTree(node.source)) return;
      const rule = ruleAgainst(String(node.source.value));
      if (rule !== undefined) breaches.push(breachOf(rule, node.source));
      if ((node.attributes as readonly Tree[]).length > 0) breaches.push({ rule: 'import-attribute', at: node.start });
    },
  });
  return breaches;
}

function breachOf(rule: RuleName, { start, value }: Tree): Breach {
  return { rule, at: start, name: `'${value}'` };
}

function ruleAgainst(source: string): RuleName | undefined {
  if (source === KIT) return undefined;
  if (source.startsWith('node:') || builtinModules.includes(source)) return 'node-import';
  if (!source.startsWith('./') && !source.startsWith('../')) return 'foreign-import';
  return CODE_FILE.test(source) ? undefined : 'file-import';
}
