import type { RollObject } from '../model/roll-object.ts'

type Json = Readonly<Record<string, unknown>>

/** Names of the gates by which a run goes by the requests of its Roll. */
export const PAUSE_GATE = 'not-paused'
export const APPROVAL_GATE = 'approved'

/** The longest limit of a gate. After it the run ends held, and goes on once the Roll is changed. */
const LIMIT = '24h'

const IS_NOT_PAUSED = '!(has(object.spec.paused) && object.spec.paused)'
const IS_APPROVED = "has(object.spec.approved) && (node in object.spec.approved || 'all' in object.spec.approved)"

/** The `spec` of the roll file: before each node, the pod of the run asks its Roll whether it may begin that node. */
export function fileWithRequests({ namespace, name, file, asksApproval }: RollObject): Json {
  const gate = (gateName: string, passWhen: string): Json => ({
    name: gateName,
    before: ['node'],
    timesInARow: 1,
    interval: '2s',
    limit: LIMIT,
    object: { group: 'evenkeel.dev', version: 'v1alpha1', resource: 'rolls', namespace, name, passWhen },
  })
  const own = [gate(PAUSE_GATE, IS_NOT_PAUSED), ...(asksApproval ? [gate(APPROVAL_GATE, IS_APPROVED)] : [])]
  // After those of the author: what is wrong with one of them is said by its place. Something else than a list is refused with the rest.
  return { ...file, gates: Array.isArray(file.gates) ? [...file.gates, ...own] : (file.gates ?? own) }
}
