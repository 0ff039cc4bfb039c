/** Numbers as in `srv_op_state`. A server that starts warms up (`slowstart`). */
export const OPER_STATES = { stopped: 0, starting: 1, running: 2, stopping: 3 } as const

export type OperState = keyof typeof OPER_STATES
export type AdminState = 'ready' | 'drain' | 'maint'

const TAKES: Readonly<Record<AdminState, number>> = { ready: 0, drain: 1, maint: 2 }

export const stricter = (one: AdminState, other: AdminState): AdminState => (TAKES[other] > TAKES[one] ? other : one)

export const isUp = (oper: OperState): boolean => oper === 'running' || oper === 'starting'
