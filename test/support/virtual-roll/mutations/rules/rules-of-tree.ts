import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MutatedTree } from '../mutated-tree.ts'
import { type CodeRule, codeRules, withSwitches } from './code-rules.ts'
import { RULES_BESIDE, rulesBeside } from './rules-beside.ts'

/** Where rolls, the service state, the agent with its brake, guards and rollouts decide. */
const ROOMS = 'src/{roll,service,agent,guard,ingress}/decide/**/*.ts'
/** What is planned, said, counted or checked in a file before anything is done, and commands of people. */
const LEFT_OUT = /\/(plan|notify|availability|announce|schema|from-status|rollout)\//

const ROOT = new URL('../../../../..', import.meta.url).pathname
const SWITCH = 'test/support/virtual-roll/mutations/rules/rule-switch.ts'

const decidingFiles = (): readonly string[] => globSync(ROOMS, { cwd: ROOT }).filter((file) => !LEFT_OUT.test(file))

interface RuledFile {
  readonly file: string
  readonly text: string
  readonly rules: readonly CodeRule[]
}

/** Each file of the project that has rules, in order. */
export const ruledFiles = (): readonly RuledFile[] =>
  [...new Set([...RULES_BESIDE.map(({ file }) => file), ...decidingFiles()])]
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return { file, text, rules: [...codeRules(file, text), ...rulesBeside(file, text)] }
    })
    .filter(({ rules }) => rules.length > 0)

/** Makes every rule of the tree one that can be switched off. */
export async function switchRules(tree: MutatedTree, files: readonly RuledFile[]): Promise<void> {
  for (const { file, text, rules } of files) await tree.write(file, withSwitches(text, rules, join(tree.root, SWITCH)))
}
