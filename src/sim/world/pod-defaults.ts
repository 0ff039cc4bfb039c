import { isMap } from './merge-patch.ts'

type JsonMap = Readonly<Record<string, unknown>>

const maps = (value: unknown): readonly JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])

/** Changes what is there; a field that is absent stays absent. */
const changed = (map: JsonMap, name: string, change: (value: JsonMap) => JsonMap): JsonMap => {
  const value = map[name]
  return isMap(value) ? { [name]: change(value) } : {}
}

const changedAll = (map: JsonMap, name: string, change: (value: JsonMap) => JsonMap): JsonMap =>
  Array.isArray(map[name]) ? { [name]: maps(map[name]).map(change) } : {}

const POD_SPEC = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
}

/** Of a pod's spec, in a template or on its own (pkg/apis/core/v1/defaults.go). */
export function podSpecDefaults(spec: JsonMap): JsonMap {
  return {
    ...POD_SPEC,
    ...spec,
    // A negative one is a second (pkg/apis/core/v1/conversion.go).
    ...(Number(spec.terminationGracePeriodSeconds) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
    ...changedAll(spec, 'containers', containerDefaults),
    ...changedAll(spec, 'initContainers', containerDefaults),
    ...changedAll(spec, 'volumes', volumeDefaults),
  }
}

const CONTAINER = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File', resources: {} }

function containerDefaults(container: JsonMap): JsonMap {
  const probes = ['readinessProbe', 'livenessProbe', 'startupProbe'].map((name) =>
    changed(container, name, probeDefaults),
  )
  return {
    ...CONTAINER,
    imagePullPolicy: pullPolicy(String(container.image ?? '')),
    ...container,
    ...Object.assign({}, ...probes),
    ...changedAll(container, 'ports', (port) => ({ protocol: 'TCP', ...port })),
    ...changedAll(container, 'env', envDefaults),
    ...changed(container, 'lifecycle', (hooks) => ({
      ...hooks,
      ...changed(hooks, 'preStop', handlerDefaults),
      ...changed(hooks, 'postStart', handlerDefaults),
    })),
  }
}

/** Only the newest of a name may change behind it. */
function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent'
  const tag = /:([^/:]+)$/.exec(image)?.[1] ?? 'latest'
  return tag === 'latest' ? 'Always' : 'IfNotPresent'
}

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }

const probeDefaults = (probe: JsonMap): JsonMap => ({ ...PROBE, ...handlerDefaults(probe) })

const handlerDefaults = (handler: JsonMap): JsonMap => ({
  ...handler,
  ...changed(handler, 'httpGet', (get) => ({ path: '/', scheme: 'HTTP', ...get })),
  ...changed(handler, 'grpc', (call) => ({ service: '', ...call })),
})

const envDefaults = (env: JsonMap): JsonMap => ({
  ...env,
  ...changed(env, 'valueFrom', (from) => ({
    ...from,
    ...changed(from, 'fieldRef', (ref) => ({ apiVersion: 'v1', ...ref })),
  })),
})

const SOURCES: Readonly<Record<string, JsonMap>> = {
  hostPath: { type: '' },
  configMap: { defaultMode: 420 },
  secret: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
}

function volumeDefaults(volume: JsonMap): JsonMap {
  const sources = Object.entries(SOURCES).map(([name, defaults]) =>
    changed(volume, name, (source) => ({ ...defaults, ...source })),
  )
  return { ...volume, ...Object.assign({}, ...sources) }
}

/**
 * Of a pod alone, and not of a template: limits are requests where those are not said, a port in the node's network is that port
 * of the node, and variables name Services (the same, SetDefaults_Pod).
 */
export function podDefaults(spec: JsonMap): JsonMap {
  const filled = podSpecDefaults(spec)
  const fill = (each: JsonMap): JsonMap => withRequests(spec.hostNetwork === true ? onHost(each) : each)
  return { enableServiceLinks: true, ...filled, ...changedAll(filled, 'containers', fill) }
}

const onHost = (container: JsonMap): JsonMap => ({
  ...container,
  ...changedAll(container, 'ports', (port) => ({ hostPort: port.containerPort, ...port })),
})

const withRequests = (container: JsonMap): JsonMap => ({
  ...container,
  ...changed(container, 'resources', (resources) =>
    isMap(resources.limits)
      ? { ...resources, requests: { ...resources.limits, ...(isMap(resources.requests) ? resources.requests : {}) } }
      : resources,
  ),
})
