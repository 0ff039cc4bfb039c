import { SeededRandom } from '../support/seeded-random.ts'
import { APPS, drawPod, type PodDraw } from './scheduling-pod.ts'

/** One thing that the driver does; what follows from it is waited for. */
export type SchedulingStep =
  | { readonly do: 'pod'; readonly pod: PodDraw }
  | { readonly do: 'remove'; readonly pod: string }
  | { readonly do: 'label'; readonly pod: string; readonly labels: object }
  | { readonly do: 'node'; readonly node: string; readonly patch: object; readonly isStatus: boolean }
  | { readonly do: 'join'; readonly node: NodeDraw }

export interface NodeDraw {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly room: Readonly<Record<string, string>>
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly object[] }
}

/** A cluster whose pods fill it, and what happens to it. Names begin with that of the cluster. */
export interface SchedulingCluster {
  readonly seed: number
  readonly name: string
  readonly nodes: readonly NodeDraw[]
  /** Bodies by their paths; volumes are bound before the first step. */
  readonly objects: readonly (readonly [path: string, body: object])[]
  readonly steps: readonly SchedulingStep[]
}

/** The classes of every cluster, made once. */
export const CLASSES: readonly object[] = [
  { metadata: { name: 'drawn-low' }, value: -10 },
  { metadata: { name: 'drawn-middle' }, value: 100 },
  { metadata: { name: 'drawn-high' }, value: 1000 },
  { metadata: { name: 'drawn-shy' }, value: 1000, preemptionPolicy: 'Never' },
]

export class Chance {
  readonly #random: SeededRandom

  constructor(seed: number) {
    this.#random = new SeededRandom(seed)
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit)
  }

  is(share: number): boolean {
    return this.#random.next() < share
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

/** The namespaces of a cluster: the second has a label that terms may select. */
export const namespacesOf = (name: string): readonly (readonly [name: string, labels: object])[] => [
  [name, {}],
  [`${name}-b`, { team: 'b' }],
]

export function drawCluster(seed: number): SchedulingCluster {
  const chance = new Chance(seed)
  const name = `s${seed}`
  const nodes = Array.from({ length: 2 + chance.below(4) }, (_, i) => drawNode(chance, name, i + 1))
  const volumes = drawVolumes(chance, name, nodes)
  const claims = volumes.length === 0 ? (chance.is(0.2) ? ['none'] : []) : ['near', 'sole', 'none']
  const pods: string[] = []
  const steps: SchedulingStep[] = []
  const length = 12 + chance.below(10)
  while (steps.length < length) steps.push(drawStep(chance, { name, nodes, pods, claims, at: steps.length }))
  return { seed, name, nodes, objects: [...volumes, ...drawBudgets(chance, name)], steps }
}

const ZONES = ['x', 'y'] as const

function drawNode(chance: Chance, cluster: string, at: number): NodeDraw {
  const name = `${cluster}-n${at}`
  return {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      ...(chance.is(0.85) ? { zone: chance.one(ZONES) } : {}),
      ...(chance.is(0.4) ? { disk: chance.one(['fast', 'slow']) } : {}),
    },
    room: {
      cpu: chance.one(['500m', '1', '1500m', '2']),
      memory: chance.one(['256Mi', '1Gi', '4Gi']),
      pods: chance.one(['2', '3', '4', '110']),
      ...(chance.is(0.3) ? { 'test.local/card': chance.one(['1', '2']) } : {}),
      ...(chance.is(0.3) ? { 'ephemeral-storage': '10Gi' } : {}),
    },
    spec: {
      ...(chance.is(0.05) ? { unschedulable: true } : {}),
      ...(chance.is(0.15) ? { taints: [drawTaint(chance)] } : {}),
    },
  }
}

const drawTaint = (chance: Chance): object => ({
  key: chance.one(['mine', 'other']),
  value: chance.one(['1', '2']),
  effect: chance.one(['NoSchedule', 'NoSchedule', 'PreferNoSchedule']),
})

interface Drawing {
  readonly name: string
  readonly nodes: readonly NodeDraw[]
  /** Those that were made, with the namespace. */
  readonly pods: string[]
  readonly claims: readonly string[]
  readonly at: number
}

function drawStep(chance: Chance, { name, nodes, pods, claims, at }: Drawing): SchedulingStep {
  const way = chance.below(20)
  if (pods.length < 4 || way < 12) {
    const namespace = chance.is(0.75) ? name : `${name}-b`
    const pod = drawPod(chance, { name: `p${at}`, namespace, nodes: nodes.map((node) => node.name), claims })
    pods.push(`${namespace}/${pod.name}`)
    return { do: 'pod', pod }
  }
  if (way < 15) return { do: 'remove', pod: chance.one(pods) }
  if (way < 16) return { do: 'label', pod: chance.one(pods), labels: { app: chance.one(APPS) } }
  if (way < 17) return { do: 'join', node: drawNode(chance, name, 10 + at) }
  const node = chance.one(nodes).name
  const patches: readonly (readonly [object, boolean])[] = [
    [{ spec: { unschedulable: true } }, false],
    [{ spec: { unschedulable: null } }, false],
    [{ spec: { taints: null } }, false],
    [{ metadata: { labels: { zone: chance.one([...ZONES, null]) } } }, false],
    [{ status: { allocatable: { cpu: chance.one(['1', '8']), pods: chance.one(['3', '20']) } } }, true],
  ]
  const [patch, isStatus] = chance.one(patches)
  return { do: 'node', node, patch, isStatus }
}

function drawVolumes(chance: Chance, name: string, nodes: readonly NodeDraw[]): SchedulingCluster['objects'] {
  if (chance.is(0.5)) return []
  const storage = (mode: string) => ({ storageClassName: 'drawn', accessModes: [mode] })
  return ['near', 'sole'].flatMap((short) => {
    const mode = storage(short === 'sole' ? 'ReadWriteOncePod' : 'ReadWriteOnce')
    const volume = `${name}-${short}`
    const on = { key: 'kubernetes.io/hostname', operator: 'In', values: [chance.one(nodes).name] }
    const required = { nodeSelectorTerms: [{ matchExpressions: [on] }] }
    return [
      [
        '/api/v1/persistentvolumes',
        {
          metadata: { name: volume },
          spec: {
            ...mode,
            capacity: { storage: '1Gi' },
            hostPath: { path: '/none' },
            claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: name, name: short },
            ...(short === 'near' ? { nodeAffinity: { required } } : {}),
          },
        },
      ],
      [
        `/api/v1/namespaces/${name}/persistentvolumeclaims`,
        {
          metadata: { name: short },
          spec: { ...mode, volumeName: volume, resources: { requests: { storage: '1Gi' } } },
        },
      ],
    ] as const
  })
}

const drawBudgets = (chance: Chance, name: string): SchedulingCluster['objects'] =>
  chance.is(0.6)
    ? []
    : [
        [
          `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`,
          {
            metadata: { name: 'drawn' },
            spec: { minAvailable: chance.below(3), selector: { matchLabels: { app: chance.one(APPS) } } },
          },
        ],
      ]
