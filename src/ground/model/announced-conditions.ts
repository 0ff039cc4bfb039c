import { type Command, kubectl } from './sentence.ts'
/** The conditions of KEP-5683 with which a roll announces its work on a node, where the file asks for it. */
export const ANNOUNCED_CONDITIONS = [
  'MaintenancePlanned',
  'DrainInProgress',
  'Drained',
  'MaintenanceInProgress',
] as const

export type AnnouncedCondition = (typeof ANNOUNCED_CONDITIONS)[number]

const MESSAGE = /^Even Keel, run (?<run>[\w.-]{1,100})$/

/** The message of the condition: for people, and to mark its owner, since a condition has no field for one. */
export const announcedBy = (run: string): string => `Even Keel, run ${run}`

/** The run that has set a condition with this message; undefined: another program, or a person. */
export const runOfMessage = (message: string): string | undefined => MESSAGE.exec(message)?.groups?.run

/** The cause categories that the KEP names. */
export const reasonOf = (type: AnnouncedCondition): string => (type === 'Drained' ? 'DrainCompleted' : 'AdminRequested')

/** The command by which people remove them. */
export function unannounceCommand(node: string, types: readonly string[]): Command {
  const conditions = types.map((type) => ({ $patch: 'delete', type }))
  return kubectl`patch node ${node} --subresource=status --type=strategic -p ${JSON.stringify({ status: { conditions } })}`
}
