import type { RollObject } from '../model/roll-object.ts'

type Json = Readonly<Record<string, unknown>>

/** The gate by which a run goes by the requests of its Roll. One for all of them, so that one edit of several is seen as one. */
export const BEGIN_GATE = 'may-begin'

/** The longest limit of a gate. After it the run ends held, and goes on once the Roll is changed. */
const LIMIT = '24h'

const IS_NOT_PAUSED = '!(has(object.spec.paused) && object.spec.paused)'
const IS_APPROVED = "has(object.spec.approved) && (node in object.spec.approved || 'all' in object.spec.approved)"

/** The `spec` of the roll file: before each node, the pod of the run asks its Roll whether it may begin that node. */
export function fileWithRequests({ namespace, name, file, asksApproval }: RollObject): Json {
  const passWhen = asksApproval ? `${IS_NOT_PAUSED} && ${IS_APPROVED}` : IS_NOT_PAUSED
  const own = {
    name: BEGIN_GATE,
    before: ['node'],
    timesInARow: 1,
    // A pass counts for some seconds: a pause is not to be overtaken by one.
    ...{ interval: '1s', timeout: '2s', limit: LIMIT },
    object: { group: 'evenkeel.dev', version: 'v1alpha1', resource: 'rolls', namespace, name, passWhen },
  }
  // After those of the author: what is wrong with one of them is said by its place. Something else than a list is refused with the rest.
  return { ...file, gates: Array.isArray(file.gates) ? [...file.gates, own] : (file.gates ?? [own]) }
}
