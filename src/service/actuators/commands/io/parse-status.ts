import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { jsonObject } from '../../../../ground/model/json-object.ts'
import { STATUS_STATES, type StatusState } from '../../../model/balancer-commands.ts'

/** What a status command printed about one node. */
export interface StatusWord {
  /** `none`: the balancer does not have this node, so there is nothing to take it out of. */
  readonly state: StatusState | 'none'
  readonly sessions: number | 'unknown'
  /** Sessions since the balancer began to count. */
  readonly total?: number
}

const SHOWN = 80

/** The status, or what is wrong with it. Other fields are ignored. */
export function parseStatus(output: string, node: string): StatusWord | string {
  const text = output.trim()
  if (text === '') return 'its status command printed nothing'
  const raw = jsonObject(text)
  if (raw === undefined) return `its status command printed no JSON object: ${escapeForeign(text, SHOWN)}`
  const { state, sessions, total } = raw
  if (raw.node !== undefined && raw.node !== node)
    return `its status command answered for another node: ${shown(raw.node)}`
  if (!isState(state)) return `its status command gave no state that is known: ${shown(state)}`
  if (!isCount(sessions)) return `its status command gave no number of sessions: ${shown(sessions)}`
  if (!isCount(total)) return `its status command gave no total of sessions: ${shown(total)}`
  return { state, sessions: sessions ?? 'unknown', ...(total === undefined || total === null ? {} : { total }) }
}

const isState = (value: unknown): value is StatusWord['state'] =>
  value === 'none' || STATUS_STATES.some((state) => state === value)

/** A balancer that does not count leaves the field out, or says null. */
const isCount = (value: unknown): value is number | null | undefined =>
  value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0)

const shown = (value: unknown): string => escapeForeign(JSON.stringify(value) ?? 'it is missing', SHOWN)
