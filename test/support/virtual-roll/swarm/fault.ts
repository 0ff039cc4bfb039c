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
  /** 401 */
  | 'unauthorized'
  /** 403 */
  | 'forbidden'
  /** The request is carried out, and the body of its answer breaks off in the middle. */
  | 'cut'
  /** A write is carried out and answered with 503. */
  | 'doneErrors'
  /** 404 by what stands before the API server, and is no answer of it. */
  | 'foreign'

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What goes wrong, and when: times count from the start of the first roll, or from the moment of a cue. */
export type Fault =
  | (Span & { readonly kind: 'api'; readonly what: ApiTrouble; readonly share: number })
  /** Each watch that is open then says nothing any more, and stays open. */
  | { readonly kind: 'watchesStop'; readonly atMs: number }
  /** So does each open watch of one kind, and all else works. */
  | { readonly kind: 'oneWatchStops'; readonly atMs: number; readonly of: 'nodes' | 'pods' }
  /** The log is compacted, and watches are cut: a client that comes back is told 410. */
  | { readonly kind: 'logForgotten'; readonly atMs: number }
  | (Span & { readonly kind: 'balancerSilent' })
  /** The balancer carries out each command so much later, and all of them in order. */
  | (Span & { readonly kind: 'balancerSlow'; readonly byMs: number })
  | { readonly kind: 'reload'; readonly atMs: number; readonly keepsStates: boolean }
  /** People set a server by hand. */
  | { readonly kind: 'byHand'; readonly atMs: number; readonly server: string; readonly to: AdminWord }
  /** People set the weight of a server to 0, and back. */
  | (Span & { readonly kind: 'weight0'; readonly server: string })
  /** A Job has a pod on that node, which tolerates everything, until people delete it. */
  | (Span & { readonly kind: 'podComes'; readonly node: string })
  /** A volume that no pod uses stays attached to that node until then, as where its driver hangs. */
  | (Span & { readonly kind: 'volumeLeaks'; readonly node: string })
  /** Nothing passes between the balancer and a node. */
  | (Span & { readonly kind: 'partition'; readonly node: string })
  | (Span & { readonly kind: 'ssh'; readonly luck: Exclude<SshLuck, 'well'> })
  /** Of every boot until all is healed. */
  | { readonly kind: 'machine'; readonly node: string; readonly luck: BootLuck }
  | { readonly kind: 'clock'; readonly atMs: number; readonly byMs: number }
  | { readonly kind: 'kill'; readonly atMs: number }
  /** The disk under the journal: each sync takes `byMs`, or every entry is refused. */
  | (Span & { readonly kind: 'journal'; readonly luck: 'slow' | 'full' | 'failing'; readonly byMs: number })
  /** People delete a Node, and its machine registers again so much later. */
  | { readonly kind: 'nodeAnew'; readonly atMs: number; readonly node: string; readonly againMs: number }
  /** The power of another machine is gone, until it is switched on again. */
  | (Span & { readonly kind: 'nodeDies'; readonly node: string })
  /** `kubectl cordon` or `kubectl uncordon`. */
  | { readonly kind: 'cordon'; readonly atMs: number; readonly node: string; readonly to: boolean }
  /** People delete the Lease that is the slot. */
  | { readonly kind: 'leaseDeleted'; readonly atMs: number }
  /** The process is killed, and people go on with `resume -f` and another file. */
  | { readonly kind: 'amended'; readonly atMs: number }
  /** The process is killed, and its journal is lost: people put back what is out, and roll again. */
  | { readonly kind: 'journalLost'; readonly atMs: number }

/** In place of a node's name in a fault that a step brings about: the node under way, or one that is not. */
export const CURRENT = '@current'
export const OTHER = '@other'

/** What the table of steps and faults calls it. */
export function faultName(fault: Fault | WorldFault): string {
  switch (fault.kind) {
    case 'api':
      return `api.${fault.what}`
    case 'reload':
      return fault.keepsStates ? 'reload.keeps' : 'reload.forgets'
    case 'byHand':
      return `byHand.${fault.to}`
    case 'ssh':
    case 'journal':
      return `${fault.kind}.${fault.luck}`
    case 'machine':
      return `machine.${fault.luck.kind}`
    case 'oneWatchStops':
      return `oneWatchStops.${fault.of}`
    case 'cordon':
      return fault.to ? 'cordoned' : 'uncordoned'
    default:
      return fault.kind
  }
}

/** The fault as it comes when its times begin to count at `byMs`, of these nodes. */
export function shifted(
  fault: Fault,
  byMs: number,
  names: { readonly current: string; readonly other: string },
): Fault {
  const named = (text: string): string => text.replace(CURRENT, names.current).replace(OTHER, names.other)
  return {
    ...fault,
    ...('atMs' in fault ? { atMs: fault.atMs + byMs } : {}),
    ...('toMs' in fault ? { fromMs: fault.fromMs + byMs, toMs: fault.toMs + byMs } : {}),
    ...('node' in fault ? { node: named(fault.node) } : {}),
    ...('server' in fault ? { server: named(fault.server) } : {}),
  }
}

export const faultText = (fault: Fault | WorldFault): string => {
  const { kind, ...rest } = fault
  const words = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  )
  return `${kind} ${words.join(' ')}`
}

/** When it is over, or has happened. */
export function lastOf(fault: Fault): number {
  if ('toMs' in fault) return fault.toMs
  if (!('atMs' in fault)) return 0
  return fault.atMs + (fault.kind === 'nodeAnew' ? fault.againMs : 0) + 1
}
