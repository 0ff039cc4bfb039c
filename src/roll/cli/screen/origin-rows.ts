import { contextText, type RunOrigin } from '../../../ground/model/run-origin.ts'
import type { BlockRow } from '../../../ground/text/labelled-block.ts'

/** On which cluster, as whom and why; rows for what is known. */
export function originRows({ user, reason, windowIgnoredBy, version, ...place }: RunOrigin): readonly BlockRow[] {
  const where = contextText(place)
  const by = version === undefined ? [] : [{ label: 'version', texts: [`evenkeel ${version}`] }]
  return [
    ...(reason === undefined ? [] : [{ label: 'reason', texts: [reason] }]),
    ...(windowIgnoredBy === undefined ? [] : [{ label: 'window', texts: [`ignored by ${windowIgnoredBy}`] }]),
    ...(where === undefined
      ? []
      : [{ label: 'on', texts: [`${where}${user === undefined ? '' : `, as user ${user}`}`] }]),
    ...by,
  ]
}
