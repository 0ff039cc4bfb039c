import type { Flags } from './flags.ts'
import type { Watched } from './watch-api.ts'

interface SeenNode {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly unschedulable?: boolean
    readonly taints?: readonly { readonly key: string }[]
  }
  readonly status: {
    readonly nodeInfo: { readonly bootID: string }
    readonly conditions: readonly {
      readonly type: string
      readonly status: string
      readonly lastHeartbeatTime?: string
    }[]
  }
}

interface SeenLease {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly holderIdentity?: string; readonly renewTime?: string }
}

const KUBELET_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** What the API shows of nodes: marks of a roll, boots, readiness, heartbeats. */
export class NodeObserver {
  readonly #flags: Flags
  readonly #onBoot: (node: string) => void
  readonly #bootIds = new Map<string, string>()
  readonly #renewals = new Map<string, string>()
  readonly #heartbeats = new Map<string, string>()

  constructor(flags: Flags, onBoot: (node: string) => void) {
    this.#flags = flags
    this.#onBoot = onBoot
  }

  takeNode({ object }: Watched): void {
    const { metadata, spec, status } = object as SeenNode
    const { name } = metadata
    const ready = status.conditions.find(({ type }) => type === 'Ready')
    const ours = Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith('evenkeel'))
    this.#flags.set(`mark/${name}/record`, ours)
    this.#flags.set(`mark/${name}/cordon`, spec.unschedulable === true)
    this.#flags.set(`return/${name}/not-ready`, ready?.status !== 'True')
    const shut = spec.taints?.some(({ key }) => KUBELET_TAINTS.includes(key)) === true
    this.#flags.set(`return/${name}/taint`, shut)
    this.#beat(name, this.#heartbeats, ready?.lastHeartbeatTime)
    const known = this.#bootIds.get(name)
    this.#bootIds.set(name, status.nodeInfo.bootID)
    if (known === undefined || known === status.nodeInfo.bootID) return
    this.#flags.set(`boot/${name}`, false)
    this.#flags.set(`heartbeat/${name}`, true)
    this.#onBoot(name)
  }

  takeLease({ object }: Watched): void {
    const { metadata, spec } = object as SeenLease
    if (metadata.namespace === 'kube-node-lease') this.#beat(metadata.name, this.#renewals, spec.renewTime)
    if (metadata.namespace === 'evenkeel') this.#flags.set('slot', (spec.holderIdentity ?? '') !== '')
  }

  /** The first sign of life after the one that came with the new boot id. */
  #beat(node: string, seen: Map<string, string>, time: string | undefined): void {
    if (time === undefined || seen.get(node) === time) return
    seen.set(node, time)
    this.#flags.set(`heartbeat/${node}`, false)
  }
}
