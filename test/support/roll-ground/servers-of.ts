import type { RollGround } from './roll-ground.ts'

export interface ServerState {
  /** `backend/server`. */
  readonly name: string
  readonly up: boolean
  readonly state: 'ready' | 'drain' | 'maint'
}

/** What HAProxy itself says: `show servers state`, by header name (management.txt 9.3). */
export async function serversOf({ balancer }: Pick<RollGround, 'balancer'>): Promise<readonly ServerState[]> {
  const [, header = '', ...lines] = (await balancer('show servers state')).split('\n')
  const names = header.replace(/^# /, '').split(' ')
  return lines
    .filter((line) => line.includes(' '))
    .map((line) => new Map(line.split(' ').map((value, i) => [names[i] ?? '', value])))
    .map((fields) => ({
      name: `${fields.get('be_name')}/${fields.get('srv_name')}`,
      up: fields.get('srv_op_state') === '2',
      state: stateOf(Number(fields.get('srv_admin_state'))),
    }))
}

const stateOf = (bits: number): ServerState['state'] =>
  (bits & 0x05) !== 0 ? 'maint' : (bits & 0x08) !== 0 ? 'drain' : 'ready'
