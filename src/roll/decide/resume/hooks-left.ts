import type { SpecFinding } from '../../model/file-finding.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { hookKey } from '../../model/step-hook.ts'
import type { RunSoFar } from './run-so-far.ts'

/**
 * A hook that has run for a node or machine that is not through is undone by its name: another file has to name it, with an undo. What
 * the undo does may change.
 */
export function hookFindings(
  { spec, order, done, hooksBefore = {}, hosts }: RunSoFar,
  wanted: RollSpec,
  abort: string,
) {
  const through = [...done, ...(hosts?.done ?? [])]
  const names = [...order, ...(hosts?.order ?? [])].filter((name) => !through.includes(name))
  const undone = new Set(
    (wanted.hooks ?? []).filter(({ undo, at }) => undo !== undefined && at !== 'afterRoll').map(({ name }) => name),
  )
  return (spec.hooks ?? []).flatMap((hook): readonly SpecFinding[] => {
    if (hook.undo === undefined || hook.at === 'afterRoll' || undone.has(hook.name)) return []
    const ranFor = names.filter((name) => hooksBefore[hookKey(name, 'run', hook.name)] !== undefined)
    if (ranFor.length === 0) return []
    return [
      {
        path: ['spec', 'hooks'],
        text: `hook "${hook.name}" has run for ${ranFor.join(', ')}, and the file has no hook of that name with an undo`,
        hint: 'what it did would never be undone',
        fix: `keep hook "${hook.name}" and its undo, ${abort}`,
      },
    ]
  })
}
