import type { AdminWord } from '../checkers/server-word.ts'
import type { ControlState } from '../control-target.ts'
import type { AgentTrouble } from '../virtual-agents.ts'

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What goes wrong only in a world of that kind, and when: times count from the start of the first roll. */
export type WorldFault =
  /** The runtime API of one instance says nothing; its traffic goes on. */
  | (Span & { readonly kind: 'instanceSilent'; readonly instance: string })
  | {
      readonly kind: 'instanceReload'
      readonly instance: string
      readonly atMs: number
      readonly keepsStates: boolean
    }
  /** People set a server of one instance by hand. */
  | {
      readonly kind: 'instanceByHand'
      readonly instance: string
      readonly atMs: number
      readonly server: string
      readonly to: AdminWord
    }
  /** People set the weight of a server to 0, and back. */
  | (Span & { readonly kind: 'weightless'; readonly instance: string; readonly server: string })
  /** People take every server of a backend of one instance, and put back those that no roll has out. */
  | (Span & { readonly kind: 'outage'; readonly instance: string; readonly backend: string })
  | (Span & { readonly kind: 'controlFails'; readonly how: Exclude<ControlState, 'well'> })
  /** Nothing passes between the machine of the prober and whatever it asks, the control among it. */
  | (Span & { readonly kind: 'proberCutOff' })
  | (Span & { readonly kind: 'agent'; readonly node: string; readonly how: AgentTrouble })
  /** The detacher of the world does not run. */
  | (Span & { readonly kind: 'detacherAway' })
  | { readonly kind: 'agentRestarted'; readonly node: string; readonly atMs: number }
  /** No node can pull an image. */
  | (Span & { readonly kind: 'registryAway' })
  /** A person takes the member of etcd off a node, as an upgrade does, and puts it back. */
  | (Span & { readonly kind: 'memberAway'; readonly node: string })
