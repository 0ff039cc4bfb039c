import { createHash } from 'node:crypto'
import type { NodePod } from './node-pod.ts'

/** The annotations of static pods and of their mirrors (pkg/kubelet/types/pod_update.go). */
const HASH = 'kubernetes.io/config.hash'
const SOURCE = 'kubernetes.io/config.source'
export const MIRROR = 'kubernetes.io/config.mirror'

/** A pod as a file says it, for any node. */
interface PodManifest {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: NodePod['spec']
}

/** The folder of manifests on the disk of one node (`staticPodPath`), which its boots leave as it is. */
export class StaticManifests {
  readonly #node: string
  readonly #pods = new Map<string, NodePod>()
  readonly #sinks = new Set<() => void>()

  constructor(node: string) {
    this.#node = node
  }

  get pods(): Iterable<NodePod> {
    return this.#pods.values()
  }

  /** Writes a file, or removes it. */
  put(file: string, manifest: object | undefined): void {
    if (manifest === undefined) this.#pods.delete(file)
    else this.#pods.set(file, staticPod(manifest as PodManifest, { file, node: this.#node }))
    for (const tell of this.#sinks) tell()
  }

  /** The returned function ends it. */
  follow(tell: () => void): () => void {
    this.#sinks.add(tell)
    return () => this.#sinks.delete(tell)
  }
}

/** What a kubelet makes of the file: its uid is a hash of what it says (pkg/kubelet/config/common.go, applyDefaults). */
function staticPod(
  { metadata, spec }: PodManifest,
  { file, node }: { readonly file: string; readonly node: string },
): NodePod {
  const { name, namespace = 'default', labels, annotations } = metadata
  const uid = createHash('md5').update(JSON.stringify({ metadata, spec, file, node })).digest('hex')
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${node}`,
      namespace,
      uid,
      resourceVersion: '',
      creationTimestamp: '',
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [HASH]: uid, [SOURCE]: 'file' },
    },
    spec: {
      ...spec,
      nodeName: node,
      tolerations: [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }],
    },
  }
}
