import type { Flags } from './flags.ts'
import type { Watched } from './watch-api.ts'

interface SeenPod {
  readonly metadata: {
    readonly uid: string
    readonly name: string
    readonly namespace: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
  readonly spec: { readonly nodeName?: string }
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly { readonly containerID?: string }[]
  }
}

interface KnownPod {
  readonly node: string
  readonly daemon: boolean
  readonly workload: string
  readonly ready: boolean
  readonly terminating: boolean
  readonly containers: string
}

/** What the API shows of pods: which pods terminate, which workload is short of pods, which pods are not back after a boot. */
export class PodObserver {
  readonly #flags: Flags
  readonly #pods = new Map<string, KnownPod>()
  readonly #full = new Map<string, number>()
  /** Containers from before the boot, of the DaemonSet pods of a node that has booted. */
  readonly #stale = new Map<string, ReadonlySet<string>>()

  constructor(flags: Flags) {
    this.#flags = flags
  }

  take({ type, object }: Watched): void {
    const pod = object as SeenPod
    const { uid, name, namespace } = pod.metadata
    if (pod.spec.nodeName === undefined) return
    const known = knownPod(pod)
    this.#flags.set(`terminating/${known.node}/${namespace}/${name}`, type !== 'DELETED' && known.terminating)
    if (type === 'DELETED') this.#pods.delete(uid)
    else this.#pods.set(uid, known)
    this.#countWorkload(known.workload)
    this.#seeReturn(known.node)
  }

  /** From now on every workload is held to the number of pods that are ready now. */
  baseline(): void {
    for (const { workload } of this.#pods.values()) this.#full.set(workload, this.#readyOf(workload))
  }

  booted(node: string): void {
    const before = this.#daemonsOf(node).map(({ containers }) => containers)
    this.#stale.set(node, new Set(before))
    this.#seeReturn(node)
  }

  #seeReturn(node: string): void {
    const stale = this.#stale.get(node)
    if (stale === undefined) return
    const wanted = new Set([...this.#pods.values()].filter(({ daemon }) => daemon).map(({ workload }) => workload))
    const back = this.#daemonsOf(node).filter(
      ({ ready, terminating, containers }) => ready && !terminating && !stale.has(containers),
    )
    this.#flags.set(`return/${node}/daemons`, new Set(back.map(({ workload }) => workload)).size < wanted.size)
  }

  #countWorkload(workload: string): void {
    this.#flags.set(`short/${workload}`, this.#readyOf(workload) < (this.#full.get(workload) ?? 0))
  }

  #readyOf(workload: string): number {
    return [...this.#pods.values()].filter((pod) => pod.workload === workload && pod.ready && !pod.terminating).length
  }

  #daemonsOf(node: string): readonly KnownPod[] {
    return [...this.#pods.values()].filter((pod) => pod.daemon && pod.node === node)
  }
}

function knownPod({ metadata, spec, status }: SeenPod): KnownPod {
  const owner = metadata.ownerReferences?.[0]
  const label = metadata.labels?.app ?? metadata.labels?.['k8s-app'] ?? owner?.name ?? metadata.name
  return {
    node: spec.nodeName ?? '',
    daemon: owner?.kind === 'DaemonSet',
    workload: `${metadata.namespace}/${label}`,
    ready: status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
    terminating: metadata.deletionTimestamp !== undefined,
    containers: (status.containerStatuses ?? []).map(({ containerID }) => containerID ?? '').join(),
  }
}
