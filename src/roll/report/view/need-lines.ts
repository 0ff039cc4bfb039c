import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { wrapWords } from '../../../ground/text/wrap-words.ts'
import type { NodeWhy, RollPlan } from '../../model/roll-plan.ts'

const NAMED_MAX = 8
const GROUPS_MAX = 12

/** Which nodes and machines need their reboot and which are skipped, and why; grouped by reason. */
export function needLines(plan: RollPlan, show: { readonly level: number; readonly columns: number }) {
  const { nodes, hosts = [], skipped } = plan
  const all = [...nodes, ...hosts.map(({ host: node, ...rest }) => ({ node, ...rest }))]
  const needed = all.flatMap(({ node, needs }) => (needs === undefined ? [] : [{ node, why: needs }]))
  return [...whyLines('Needed', needed, show), ...whyLines('Skips', skipped, show)]
}

/** `n1, n2: why`, one text for each reason. */
export function whyTexts(nodes: readonly NodeWhy[], namedMax = NAMED_MAX): readonly string[] {
  const groups = [...Map.groupBy(nodes, ({ why }) => why)]
  return groups.map(([why, those]) => {
    const names = those.slice(0, namedMax).map(({ node }) => node)
    const more = those.length > namedMax ? ` and ${those.length - namedMax} more` : ''
    return escapeForeign(`${names.join(', ')}${more}: ${why}`, 2000)
  })
}

function whyLines(
  label: string,
  nodes: readonly NodeWhy[],
  { level, columns }: { readonly level: number; readonly columns: number },
): readonly string[] {
  const all = level >= 2
  const texts = whyTexts(nodes, all ? nodes.length : NAMED_MAX)
  const shown = all ? texts : texts.slice(0, GROUPS_MAX)
  const left = texts.length - shown.length
  const lines = [...shown, ...(left === 0 ? [] : [`${left} more; -v or -o json lists them`])]
  return lines.flatMap((text) =>
    wrapWords(text, columns - 7).map((line, index) => `${index === 0 ? label.padEnd(7) : ' '.repeat(7)}${line}`),
  )
}
