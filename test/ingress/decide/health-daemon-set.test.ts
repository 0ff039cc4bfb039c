import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daemonSetPatch } from '../../../src/ground/model/owned/difference.ts'
import { healthOrder } from '../../../src/ingress/decide/deployment.ts'
import { wantedHealthDaemonSet } from '../../../src/ingress/decide/health-daemon-set.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../../src/service/model/health-order.ts'
import { anIngress, anIngressSpec, podsWith } from '../../support/ingress-objects.ts'
import { served } from '../../support/served-object.ts'

type Json = Readonly<Record<string, unknown>>

const CHECKER = { image: 'checker:1', imagePullPolicy: 'Always', serviceAccountName: 'checker' } as const
const wantedOf = (change: Parameters<typeof anIngress>[0] = {}, more: Parameters<typeof anIngress>[1] = {}) =>
  wantedHealthDaemonSet(anIngress({ healthChecker: CHECKER, ...change }, more), 'checker:1')
const specOf = (wanted: Json) =>
  wanted.spec as Json & { readonly template: { readonly metadata: Json; readonly spec: Json } }
const podOf = (change: Parameters<typeof anIngress>[0] = {}) => specOf(wantedOf(change)).template.spec
const containerOf = (pod: Json): Json => (pod.containers as readonly Json[])[0] ?? {}

test('it runs where the pods of the object may run, as important as they are, and pulls with their secrets', () => {
  const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['edge'] }] }] }
  const tolerations = [{ key: 'edge', operator: 'Exists' }]
  const template = podsWith({
    nodeSelector: { disk: 'ssd' },
    tolerations,
    priorityClassName: 'edge',
    imagePullSecrets: [{ name: 'registry' }],
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }] },
    },
  })
  const {
    nodeSelector,
    affinity,
    priorityClassName,
    imagePullSecrets,
    tolerations: tolerated,
  } = podOf({
    template,
    nodeSelector: { zone: 'a' },
  })
  assert.deepEqual(nodeSelector, { disk: 'ssd', zone: 'a' })
  assert.deepEqual(affinity, { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } })
  const stays = { operator: 'Exists', effect: 'NoExecute' }
  assert.deepEqual(
    [tolerated, priorityClassName, imagePullSecrets],
    [[...tolerations, stays], 'edge', [{ name: 'registry' }]],
  )
  assert.deepEqual(
    ['affinity', 'priorityClassName', 'imagePullSecrets'].filter((key) => key in podOf()),
    [],
  )
})

test('its pods have the network of the node and no other privilege, and declare no port', () => {
  const pod = podOf()
  const { hostNetwork, securityContext, serviceAccountName, volumes } = pod
  assert.deepEqual([hostNetwork, serviceAccountName], [true, 'checker'])
  assert.deepEqual(securityContext, {
    ...{ runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
    seccompProfile: { type: 'RuntimeDefault' },
  })
  assert.deepEqual(volumes, [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }])
  const { ports, securityContext: own, args, image, imagePullPolicy, livenessProbe, readinessProbe } = containerOf(pod)
  assert.deepEqual([ports, livenessProbe, readinessProbe], [undefined, undefined, undefined])
  assert.deepEqual(own, {
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    capabilities: { drop: ['ALL'] },
  })
  assert.deepEqual([image, imagePullPolicy], ['checker:1', 'Always'])
  assert.deepEqual(args, [
    ...['agent', '--ingress-only=evenkeel.dev/edge/front'],
    ...['--memory-dir=/run/evenkeel', '--takeover-limit=8s'],
  ])
})

test('the next pod starts beside the last one, which ends only after the time that a new one has to hear of its object', () => {
  const { updateStrategy, minReadySeconds } = specOf(wantedOf())
  assert.deepEqual(updateStrategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
  assert.ok(Number(minReadySeconds) > 8)
})

test('another port, template or UID of the object replaces no pod; another image does', () => {
  const templateOf = (wanted: Json): unknown => specOf(wanted).template
  const same = [
    wantedOf({ healthCheckNodePorts: [1, 2], minReadyPodsPerNode: 1, podsPerNode: 3 }),
    wantedOf({ template: podsWith({ terminationGracePeriodSeconds: 3 }) }),
    wantedOf({}, { uid: 'another' }),
  ]
  for (const wanted of same) assert.deepEqual(templateOf(wanted), templateOf(wantedOf()))
  // A selector is immutable, and an object that is made anew adopts what an earlier one left.
  assert.deepEqual(specOf(wantedOf({}, { uid: 'another' })).selector, specOf(wantedOf()).selector)
  const found = served('DaemonSet', wantedOf())
  assert.equal(daemonSetPatch(found, wantedOf()), undefined, 'what the API server fills in is no difference')
  const next = wantedHealthDaemonSet(anIngress({ healthChecker: CHECKER }), 'checker:2')
  const { spec } = daemonSetPatch(found, next) as { readonly spec: { readonly template: { readonly spec: Json } } }
  assert.equal(containerOf(spec.template.spec).image, 'checker:2')
})

test('a Deployment is told whether its pods answer, from its first moment on or once all of them are available, or the agents', () => {
  const order = (by?: 'pods'): string =>
    JSON.stringify({
      ...{ version: 1, ports: [30_080], minReadyPods: 2, mark: { key: 'evenkeel.dev/detach', value: '' } },
      ...(by === undefined ? {} : { by }),
    })
  const ready = { ready: 2, annotations: {} }
  const was = (by?: 'pods') => ({ ready: 2, annotations: { [HEALTH_ANNOTATION]: order(by) } })
  const withImage = anIngressSpec({ healthChecker: CHECKER })
  const without = anIngressSpec()
  const withoutPorts = anIngressSpec({ healthChecker: CHECKER, healthCheckNodePorts: [] })
  const rows = [
    ['a new Deployment', withImage, undefined, false, 'pods'],
    ['an order that cannot be read', withImage, ready, false, 'pods'],
    ['agents answer, and not all pods are available', withImage, was(), false, 'agents'],
    ['agents answer, and all pods are available', withImage, was(), true, 'pods'],
    ['pods answer, and one is not available', withImage, was('pods'), false, 'pods'],
    ['no image any more', without, was('pods'), true, 'agents'],
    ['no image', without, undefined, true, 'agents'],
    ['no port any more', withoutPorts, was('pods'), true, 'agents'],
  ] as const
  for (const [what, spec, found, areReady, wanted] of rows) {
    const written = parseHealthOrder(healthOrder(spec, found, { isChecked: areReady }))
    assert.equal(typeof written === 'string' ? written : (written.by ?? 'agents'), wanted, what)
  }
})
