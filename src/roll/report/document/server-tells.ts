import { isTrafficKind } from '../../../service/model/action.ts'
import type { AdminState } from '../../../service/model/balancer.ts'
import type { StampedEvent } from '../../model/roll-event.ts'

/** The state of a server as the roll set it, or as it was found before. */
export interface ServerTell {
  readonly at: string
  readonly instance: string
  readonly backend: string
  readonly server: string
  readonly state: AdminState
  /** `found`: the state before the roll; `told`: a write of the roll; `again`: set again after a reload. */
  readonly how: 'found' | 'told' | 'again'
}

const KEY = '(?<backend>[^/]+)/(?<server>.+) on (?<instance>.+)'
const STATE = '(?<state>ready|drain|maint)'
const SET = new RegExp(`^set ${KEY} to ${STATE}$`)
const FOUND = new RegExp(`^${KEY} is ${STATE}$`)
const AGAIN = new RegExp(`^${KEY} had lost its state and was set to ${STATE} again$`)

/** All states of a node's servers, from the writes and reasons in its own events. */
export function serverTells(events: readonly StampedEvent[]): readonly ServerTell[] {
  return events.flatMap((event) => {
    if (event.type === 'write' && isTrafficKind(event.action) && event.ok) {
      return tell(event, SET.exec(event.text), 'told')
    }
    if (event.type === 'reasserted') return tell(event, AGAIN.exec(event.text), 'again')
    if (event.type === 'step.started' && event.step === 'detach') {
      const found = event.reasons.filter(({ code }) => code === 'InBalancer')
      return found.flatMap(({ text }) => tell(event, FOUND.exec(text), 'found'))
    }
    return []
  })
}

function tell({ at }: StampedEvent, match: RegExpExecArray | null, how: ServerTell['how']): readonly ServerTell[] {
  const { backend, server, instance, state } = match?.groups ?? {}
  if (backend === undefined || server === undefined || instance === undefined || !isState(state)) return []
  return [{ at, instance, backend, server, state, how }]
}

const isState = (text: string | undefined): text is AdminState =>
  text === 'ready' || text === 'drain' || text === 'maint'
