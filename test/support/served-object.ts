import { isJsonObject } from '../../src/ground/model/json-object.ts'
import { type OwnedObject, parseOwnedObject } from '../../src/ground/model/owned-object.ts'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { mergePatch } from '../../src/sim/world/merge-patch.ts'

type Json = Readonly<Record<string, unknown>>
type Kind = 'Deployment' | 'DaemonSet' | 'PodDisruptionBudget' | 'ControllerRevision'

/** An object as an API server of 1.35 keeps it: with its defaults, its way to write quantities, and without unknown fields. */
export function served(kind: Kind, object: Json, resourceVersion = '7'): OwnedObject {
  const { metadata, ...content } = mergePatch({}, JSON.parse(JSON.stringify(object))) as {
    readonly metadata: Json
  } & Json
  const kept = kind in SPECS ? { ...content, spec: SPECS[kind]?.(jsonOf(content.spec)) } : content
  const identity = { namespace: 'edge', uid: `uid-${metadata.name}`, resourceVersion }
  const status = { observedGeneration: 1 }
  return parseOwnedObject(new Untrusted({ kind, ...kept, status, metadata: { ...metadata, ...identity } }, kind))
}

/** The same after a merge patch, which is refused where the version is another. */
export function patched(kind: Kind, found: OwnedObject, patch: Json): OwnedObject {
  const { name, labels, annotations, owners, content } = found
  const { resourceVersion, ...metadata } = jsonOf(patch.metadata)
  if (resourceVersion !== found.resourceVersion) throw new Error('409')
  const before = { ...content, metadata: { name, labels, annotations, ownerReferences: owners } }
  const after = mergePatch(before, JSON.parse(JSON.stringify({ ...patch, metadata }))) as Json
  return served(kind, after, String(Number(found.resourceVersion) + 1))
}

const SPECS: Readonly<Partial<Record<Kind, (spec: Json) => Json>>> = {
  Deployment: servedDeployment,
  DaemonSet: ({ template, ...spec }) => ({
    revisionHistoryLimit: 10,
    ...spec,
    template: servedTemplate(jsonOf(template)),
  }),
}

function servedDeployment({ minReadySeconds, paused, ...spec }: Json): Json {
  const strategy = jsonOf(spec.strategy)
  return {
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    replicas: 1,
    ...spec,
    ...(minReadySeconds === 0 || minReadySeconds === undefined ? {} : { minReadySeconds }),
    ...(paused === true ? { paused } : {}),
    strategy:
      strategy.type === 'Recreate'
        ? { type: 'Recreate' }
        : {
            type: 'RollingUpdate',
            rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...jsonOf(strategy.rollingUpdate) },
          },
    template: servedTemplate(jsonOf(spec.template)),
  }
}

function servedTemplate({ metadata, spec }: Json): Json {
  const { misspelt: _, containers, ...known } = jsonOf(spec)
  return {
    metadata: { creationTimestamp: null, ...jsonOf(metadata) },
    spec: {
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      ...known,
      containers: (containers as readonly Json[]).map(servedContainer),
    },
  }
}

const servedContainer = ({ ports, resources, ...container }: Json): Json => ({
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...container,
  ports: ((ports ?? []) as readonly Json[]).map((port) => ({ protocol: 'TCP', ...port })),
  resources: jsonOf(JSON.parse(JSON.stringify(resources ?? {}).replaceAll('"1000m"', '"1"'))),
})

const jsonOf = (value: unknown): Json => (isJsonObject(value) ? value : {})
