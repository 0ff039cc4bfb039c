/** The conditions of KEP-5683 by which a roll that is asked to announces what it does to a node. */
export const ANNOUNCED_CONDITIONS = [
  'MaintenancePlanned',
  'DrainInProgress',
  'Drained',
  'MaintenanceInProgress',
] as const

export type AnnouncedCondition = (typeof ANNOUNCED_CONDITIONS)[number]

const MESSAGE = /^Even Keel, run (?<run>[\w.-]{1,100})$/

/** What people read in the condition, and whose it is: a condition has no field for its owner. */
export const announcedBy = (run: string): string => `Even Keel, run ${run}`

/** The run that has set a condition with this message; undefined: another program, or a person. */
export const runOfMessage = (message: string): string | undefined => MESSAGE.exec(message)?.groups?.run

/** The cause categories that the KEP names. */
export const reasonOf = (type: AnnouncedCondition): string => (type === 'Drained' ? 'DrainCompleted' : 'AdminRequested')

/** Removes them, for people. */
export function unannounceCommand(node: string, types: readonly string[]): string {
  const conditions = types.map((type) => ({ $patch: 'delete', type }))
  return `kubectl patch node ${node} --subresource=status --type=strategic -p '${JSON.stringify({ status: { conditions } })}'`
}
