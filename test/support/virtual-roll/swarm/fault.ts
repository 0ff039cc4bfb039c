import type { SshLuck } from '../../../../src/sim/doors/machine-host.ts'
import type { BootLuck } from '../../../../src/sim/machines/boot-luck.ts'
import type { AdminWord } from '../checkers/server-word.ts'
import type { WorldFault } from './world-fault.ts'

/** What an API server may do to a share of the requests that come in a span. */
export type ApiTrouble =
  | 'conflicts'
  | 'tooMany'
  | 'errors'
  | 'slow'
  | 'away'
  | 'silent'
  | 'unheard'
  /** Of evictions alone; with the first of them each open watch stops saying anything. */
  | 'evictionsUnheard'
  | 'staleLists'
  | 'hidesEvents'

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What goes wrong, and when: times count from the start of the first roll. */
export type Fault =
  | (Span & { readonly kind: 'api'; readonly what: ApiTrouble; readonly share: number })
  /** Each watch that is open then says nothing any more, and stays open. */
  | { readonly kind: 'watchesStop'; readonly atMs: number }
  /** The log is compacted, and watches are cut: whoever comes back is told 410. */
  | { readonly kind: 'logForgotten'; readonly atMs: number }
  | (Span & { readonly kind: 'balancerSilent' })
  | { readonly kind: 'reload'; readonly atMs: number; readonly keepsStates: boolean }
  /** People set a server by hand. */
  | { readonly kind: 'byHand'; readonly atMs: number; readonly server: string; readonly to: AdminWord }
  /** Nothing passes between the balancer and a node. */
  | (Span & { readonly kind: 'partition'; readonly node: string })
  | (Span & { readonly kind: 'ssh'; readonly luck: Exclude<SshLuck, 'well'> })
  /** Of every boot until all is healed. */
  | { readonly kind: 'machine'; readonly node: string; readonly luck: BootLuck }
  | { readonly kind: 'clock'; readonly atMs: number; readonly byMs: number }
  | { readonly kind: 'kill'; readonly atMs: number }

export const faultText = (fault: Fault | WorldFault): string => {
  const { kind, ...rest } = fault
  const words = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  )
  return `${kind} ${words.join(' ')}`
}
