import type { Chance } from './scheduling-cluster.ts'

export interface PodDraw {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: Readonly<Record<string, unknown>>
}

interface Place {
  readonly namespace: string
  readonly name: string
  readonly nodes: readonly string[]
  readonly claims: readonly string[]
}

/** The app of the pod that is drawn. */
type Drawn = Place & { readonly app: string }

export const APPS = ['a', 'b'] as const
const KEYS = ['kubernetes.io/hostname', 'zone'] as const

const CLASS_NAMES = ['drawn-low', 'drawn-low', 'drawn-middle', 'drawn-high', 'drawn-high', 'drawn-shy']

/** Most pods ask for one or two things, so that each is met alone and with each other. */
export function drawPod(chance: Chance, place: Place): PodDraw {
  const { namespace, name } = place
  const app = chance.one(APPS)
  const labels = { app, ...(chance.is(0.5) ? { edition: chance.one(['1', '2']) } : {}) }
  const parts = Array.from({ length: 1 + chance.below(3) }, () => chance.one(PARTS)(chance, { ...place, app }))
  const container = Object.assign({ name: 'main', image: 'none' }, ...parts.map((part) => part.container ?? {}))
  const affinity = Object.assign({}, ...parts.map((part) => part.affinity ?? {}))
  const spec = Object.assign({}, ...parts.map((part) => part.spec ?? {}))
  const ports = (container.ports ?? []) as readonly { readonly containerPort: number; readonly hostPort?: number }[]
  // In the network of the node a port is the same on both sides.
  const isOnHost = spec.hostNetwork === true
  if (isOnHost) container.ports = ports.map((port) => ({ ...port, containerPort: port.hostPort ?? port.containerPort }))
  return {
    namespace,
    name,
    labels,
    spec: {
      terminationGracePeriodSeconds: 30,
      ...(chance.is(0.4) ? { priorityClassName: chance.one(CLASS_NAMES) } : {}),
      ...spec,
      ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
      containers: [container],
    },
  }
}

interface Part {
  readonly container?: object
  readonly affinity?: object
  readonly spec?: object
}

const required = (terms: unknown) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms })

function term(chance: Chance): object {
  return {
    topologyKey: chance.one(KEYS),
    labelSelector: chance.one([
      { matchLabels: { app: chance.one(APPS) } },
      { matchLabels: { app: chance.one(APPS) } },
      { matchExpressions: [{ key: 'app', operator: chance.one(['In', 'NotIn']), values: [chance.one(APPS)] }] },
    ]),
    ...(chance.is(0.2) ? { namespaceSelector: chance.one([{}, { matchLabels: { team: 'b' } }]) } : {}),
    ...(chance.is(0.1) ? { matchLabelKeys: ['edition'] } : {}),
  }
}

const PARTS: readonly ((chance: Chance, drawn: Drawn) => Part)[] = [
  (chance) => ({
    container: {
      resources: {
        requests: { cpu: chance.one(['100m', '400m', '600m', '1', '3']), memory: chance.one(['64Mi', '512Mi']) },
      },
    },
  }),
  (chance) => ({ container: { resources: { requests: { memory: chance.one(['200Mi', '1Gi', '3Gi']) } } } }),
  (chance) => ({ container: { resources: { limits: { 'test.local/card': chance.one(['1', '2']) } } } }),
  (chance) => ({ container: { resources: { requests: { 'ephemeral-storage': chance.one(['1Gi', '6Gi']) } } } }),
  (chance) => ({
    spec: {
      initContainers: [{ name: 'first', image: 'none', resources: { requests: { cpu: chance.one(['300m', '1']) } } }],
    },
  }),
  (chance) => ({
    container: {
      ports: [
        {
          containerPort: 80,
          hostPort: chance.one([8080, 8081]),
          ...(chance.is(0.3) ? { hostIP: chance.one(['127.0.0.1', '127.0.0.2']) } : {}),
          ...(chance.is(0.2) ? { protocol: 'UDP' } : {}),
        },
      ],
    },
  }),
  () => ({ spec: { hostNetwork: true }, container: { ports: [{ containerPort: 8080 }] } }),
  (chance) => ({ spec: { nodeSelector: chance.one([{ disk: 'fast' }, { disk: 'slow' }, { zone: 'x' }]) } }),
  (chance) => ({
    affinity: {
      nodeAffinity: required({
        nodeSelectorTerms: [
          {
            matchExpressions: [
              chance.one([
                { key: 'zone', operator: 'In', values: ['x', 'z'] },
                { key: 'disk', operator: 'DoesNotExist' },
                { key: 'zone', operator: 'NotIn', values: ['x'] },
              ]),
            ],
          },
        ],
      }),
    },
  }),
  (chance, { nodes }) => ({
    affinity: {
      nodeAffinity: required({
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [chance.one(nodes)] }] }],
      }),
    },
  }),
  (chance) => ({
    spec: { tolerations: [chance.one([{ operator: 'Exists' }, { key: 'mine', operator: 'Equal', value: '1' }])] },
  }),
  (chance) => ({ affinity: { podAffinity: required([term(chance), ...(chance.is(0.2) ? [term(chance)] : [])]) } }),
  (chance) => ({ affinity: { podAntiAffinity: required([term(chance)]) } }),
  (chance) => ({ affinity: { podAntiAffinity: required([term(chance)]) } }),
  (chance, { app }) => spread(chance, app),
  (chance, { app }) => spread(chance, app),
  (chance, { app }) => spread(chance, app),
  (chance) => ({ container: { resources: { requests: { cpu: chance.one(['300m', '600m', '1']) } } } }),
  (chance, { claims }) =>
    claims.length === 0
      ? {}
      : { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: chance.one(claims) } }] } },
]

function spread(chance: Chance, app: string): Part {
  const keys = chance.is(0.2) ? KEYS : [chance.one(KEYS)]
  return {
    spec: {
      topologySpreadConstraints: keys.map((topologyKey) => ({
        topologyKey,
        maxSkew: chance.one([1, 1, 2]),
        // Only what has to hold may have a least number of domains.
        ...(chance.is(0.9)
          ? { whenUnsatisfiable: 'DoNotSchedule', ...(chance.is(0.25) ? { minDomains: chance.one([1, 2, 3]) } : {}) }
          : { whenUnsatisfiable: 'ScheduleAnyway' }),
        labelSelector: chance.one([
          { matchLabels: { app } },
          { matchLabels: { app } },
          { matchLabels: { app: 'a' } },
          {},
        ]),
        ...(chance.is(0.2) ? { matchLabelKeys: ['edition'] } : {}),
        ...(chance.is(0.3) ? { nodeTaintsPolicy: chance.one(['Honor', 'Ignore']) } : {}),
        ...(chance.is(0.3) ? { nodeAffinityPolicy: chance.one(['Honor', 'Ignore']) } : {}),
      })),
    },
  }
}
