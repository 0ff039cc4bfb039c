import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { LabelSelector } from '../../ground/model/label-selector.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { isDnsSubdomain } from '../../ground/text/label-syntax.ts'
import { parseLabelSelector } from '../../ground/text/parse-label-selector.ts'

/** Which nodes to roll; one way of choosing. */
export interface NodeSelection {
  readonly names: readonly string[]
  readonly selector?: LabelSelector
  readonly all: boolean
}

interface NodeFlags {
  readonly names: readonly string[]
  readonly selector?: string | undefined
  readonly all: boolean
}

/** The selection of the command line, if there is one; throws UserError where it contradicts itself or cannot be read. */
export function selectionFromFlags({ names, selector, all }: NodeFlags): NodeSelection | undefined {
  const ways = [names.length > 0, selector !== undefined, all].filter(Boolean).length
  if (ways === 0) return undefined
  if (ways > 1) {
    throw new UserError('nodes are chosen in more than one way', {
      code: 'usage.nodes',
      fix: 'give node names, or -l SELECTOR, or --all',
    })
  }
  if (selector === undefined) return { names: checkedNames(names), all }
  const parsed = parseLabelSelector(selector)
  if (parsed.ok) return { names: [], selector: parsed.selector, all }
  throw new UserError(`-l "${escapeForeign(selector)}": ${escapeForeign(parsed.fault)}`, {
    code: 'usage.selector',
    fix: '-l node-role.kubernetes.io/worker, -l "zone in (a,b)"',
  })
}

function checkedNames(names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => !isDnsSubdomain(name))
  if (wrong !== undefined) {
    const fix = 'name nodes as `kubectl get nodes` prints them'
    throw new UserError(`"${escapeForeign(wrong)}" is not a node name`, { code: 'usage.nodes', fix })
  }
  return [...new Set(names)]
}
