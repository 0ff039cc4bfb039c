import { present } from '../../../../src/ground/model/present.ts'
import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { appContainer } from '../../../../src/sim/cluster/article-workloads.ts'

/** What the pods of a world wait for before they are Ready, beyond one container that is there at once. */
export interface PodsKind {
  /** An init container of `whoami` works for so long. */
  readonly initSeconds?: number
  /** A second container of `edge` is ready after so long. */
  readonly besideSeconds?: number
  /** Somebody says of a pod of `whoami` that it may serve, so long after its containers are ready. */
  readonly gateMs?: number
  /** Each node has a static pod, which is ready after so long. */
  readonly staticSeconds?: number
  /** Each node has a member of etcd and an API server as static pods, which are ready as soon as `staticSeconds`. */
  readonly isStacked?: true
  /** Kubelets hold up a shutdown for so long: pods of DaemonSets are others after it. */
  readonly shutdownGraceMs?: number
  /** Nodes pull the image of `whoami` at each start. */
  readonly pulls?: true
  /**
   * Where each pod of `whoami` can have a node of its own, it needs one: a node has room for one, or their spread has to hold. With
   * as many pods as nodes, no other node takes the replacement of a pod.
   */
  readonly tight?: 'room' | 'spread'
}

export const GATE = 'test.local/may-serve'
const BESIDE_PORT = 8081
const IMAGE = 'registry.test/app:1'

/** Most worlds have none of it, and some have all. */
export function podsKindOf(random: SeededRandom, nodes: number): PodsKind | undefined {
  if (random.next() < 0.5) return undefined
  const drawn = <T>(share: number, value: () => T): T | undefined => (random.next() < share ? value() : undefined)
  const initSeconds = drawn(0.4, () => 1 + random.below(3))
  const besideSeconds = drawn(0.5, () => random.below(5))
  const gateMs = drawn(0.3, () => random.between(50, 2_500))
  const staticSeconds = drawn(0.6, () => random.below(6))
  const pulls = drawn(0.4, () => true as const)
  const shutdownGraceMs = drawn(0.3, () => 1_000 * (1 + random.below(8)))
  // Two members of etcd have no quorum without either.
  const isStacked = staticSeconds !== undefined && nodes > 2 ? drawn(0.5, () => true as const) : undefined
  const tight = drawn(0.5, () => (random.next() < 0.5 ? 'room' : 'spread'))
  return present({ initSeconds, besideSeconds, gateMs, staticSeconds, isStacked, pulls, shutdownGraceMs, tight })
}

type Json = Readonly<Record<string, unknown>>
interface Workload extends Json {
  readonly kind?: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly spec: Json & { readonly containers: readonly Json[] } }
  }
}

/** The manifests of `whoami` and `edge` with what the world has their pods wait for. */
export function withPodsKind(manifests: readonly object[], kind: PodsKind): readonly object[] {
  const { besideSeconds, ...whoami } = kind
  return (manifests as readonly Workload[]).map((manifest) => {
    const isNamed = (wanted: string, name: string): boolean =>
      manifest.kind === wanted && manifest.metadata.name === name
    if (isNamed('Deployment', 'whoami')) return withPod(manifest, (pod) => waitingPod(pod, whoami))
    if (isNamed('DaemonSet', 'edge')) return withPod(manifest, (pod) => waitingPod(pod, present({ besideSeconds })))
    return manifest
  })
}

type PodSpec = Workload['spec']['template']['spec']

const withPod = (manifest: Workload, change: (pod: PodSpec) => PodSpec): Workload => ({
  ...manifest,
  spec: { ...manifest.spec, template: { ...manifest.spec.template, spec: change(manifest.spec.template.spec) } },
})

/** The manifests with pods of `whoami` that need a node each, where there are as many that take pods. */
export const tightly = (manifests: readonly object[], tight: 'room' | 'spread', nodes: number): readonly object[] =>
  (manifests as readonly Workload[]).map((manifest) =>
    manifest.kind === 'Deployment' && (manifest.spec.replicas ?? 1) <= nodes
      ? withPod(manifest, (pod) => tightPod(pod, tight))
      : manifest,
  )

/** More than half of a node. */
const MOST = { requests: { cpu: '2500m' } }

function tightPod(pod: PodSpec, tight: 'room' | 'spread'): PodSpec {
  if (tight === 'room') return { ...pod, containers: pod.containers.map((one) => ({ ...one, resources: MOST })) }
  const constraints = (pod.topologySpreadConstraints ?? []) as readonly object[]
  return {
    ...pod,
    topologySpreadConstraints: constraints.map((one) => ({ ...one, whenUnsatisfiable: 'DoNotSchedule' })),
  }
}

/** A pod with all that it is to wait for. */
export const waitingPod = <Pod extends { readonly containers: readonly object[] }>(
  pod: Pod,
  { initSeconds, besideSeconds, gateMs, pulls }: PodsKind,
): Pod => ({
  ...pod,
  ...(initSeconds === undefined ? {} : { initContainers: [workFor(initSeconds)] }),
  ...(gateMs === undefined ? {} : { readinessGates: [{ conditionType: GATE }] }),
  containers: [
    ...pod.containers.map((one) => (pulls === undefined ? one : { ...one, image: IMAGE, imagePullPolicy: 'Always' })),
    ...(besideSeconds === undefined ? [] : [containerBeside(besideSeconds)]),
  ],
})

/** A container that works for so long, and ends. */
export const workFor = (seconds: number): object => ({
  name: 'prepare',
  image: 'testbed.local/app:1',
  imagePullPolicy: 'Never',
  command: ['sleep', String(seconds)],
})

/** A container that nobody sends to, and that is ready after so long. */
const containerBeside = (seconds: number): object => ({
  ...appContainer({ STOP: 'immediate', START_DELAY: `${seconds}s` }, {}, BESIDE_PORT),
  name: 'beside',
})

/** Pods on the disk of each node that nobody sends to, and that are ready after so long: by the names of their files. */
export function staticManifests({ staticSeconds, isStacked }: PodsKind): ReadonlyMap<string, object> {
  if (staticSeconds === undefined) return new Map()
  const spec = { terminationGracePeriodSeconds: 5, containers: [containerBeside(staticSeconds)] }
  if (isStacked === undefined) return new Map([['on-disk', { metadata: { name: 'on-disk' }, spec }]])
  return new Map(
    ['etcd', 'kube-apiserver'].map((name) => {
      const labels = { component: name, tier: 'control-plane' }
      return [name, { metadata: { name, namespace: 'kube-system', labels }, spec }] as const
    }),
  )
}
