import type { IngressDaemonSet, IngressSpec, IngressStrategy } from '../../src/ingress/model/ingress-daemon-set.ts'

export const DETACH: IngressStrategy = { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 1 } }

type Json = Readonly<Record<string, unknown>>

export const POD_TEMPLATE: Json = {
  metadata: { labels: { app: 'edge', tier: 'front' }, annotations: { 'example.com/team': 'net' } },
  spec: {
    containers: [
      {
        name: 'proxy',
        image: 'example.com/proxy:1',
        ports: [{ containerPort: 8443 }],
        resources: { limits: { cpu: '1000m', memory: '64Mi' } },
      },
    ],
  },
}

/** As POD_TEMPLATE, with these fields in the spec of its pods. */
export const podsWith = (spec: Json): Json => ({
  ...POD_TEMPLATE,
  spec: { ...(POD_TEMPLATE.spec as Json), ...spec },
})

interface Change extends Partial<Omit<IngressSpec, 'template'>> {
  readonly template?: Json
}

export function anIngressSpec({ template = POD_TEMPLATE, ...change }: Change = {}): IngressSpec {
  const { labels } = template.metadata as { readonly labels: Readonly<Record<string, string>> }
  const { hostNetwork } = template.spec as { readonly hostNetwork?: boolean }
  return {
    podsPerNode: 2,
    minReadyPodsPerNode: 2,
    minReadySeconds: 5,
    nodeSelector: {},
    selector: { app: 'edge' },
    healthCheckNodePorts: [30_080],
    healthChecker: { imagePullPolicy: 'IfNotPresent', serviceAccountName: 'default' },
    strategy: DETACH,
    detach: {
      deployment: { key: 'evenkeel.dev/detach', value: '', graceMs: 10_000 },
      timeoutMs: 600_000,
      onTimeout: 'Pause',
      attachGraceMs: 5_000,
    },
    rollout: {
      paused: false,
      partition: 0,
      failureThreshold: 1,
      autoRollback: false,
      progressDeadlineMs: 600_000,
      minInServiceNodes: 1,
      zoneKey: 'topology.kubernetes.io/zone',
      replaceUnavailableFirst: false,
    },
    onCordon: 'Detach',
    drainGate: 'Closed',
    placement: 'Affinity',
    revisionHistoryLimit: 10,
    ...change,
    template: { object: template, labels, hostNetwork: hostNetwork ?? false },
  }
}

export const anIngress = (
  spec: Change = {},
  change: Partial<Omit<IngressDaemonSet, 'spec'>> = {},
): IngressDaemonSet => ({
  group: 'evenkeel.dev',
  namespace: 'edge',
  name: 'front',
  uid: '11111111-2222-4333-8444-555555555555',
  resourceVersion: '1',
  generation: 1,
  labels: {},
  finalizers: [],
  deleting: false,
  ...change,
  spec: anIngressSpec(spec),
})
