import { type ApiCall, segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import type { Resource } from '../../ground/kube/resources.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'

const RESOURCE = 'jobs.batch'
const LABEL = 'evenkeel.dev/dns-relay'
/** On the pod's loopback, where port-forward alone reaches it. */
export const RELAY_PORT = 8053
/** A relay that has lost its check ends itself; what its Job leaves is taken away soon after. */
const IDLE_LIMIT_SECONDS = 30
const LEFT_SECONDS = 10
/** Of the image's user. */
const NONROOT = 65532
/** Whatever happens, a relay is gone by then. */
const LIFE_LIMIT_SECONDS = 900

export interface RelayJob {
  readonly namespace: string
  readonly name: string
  readonly node: string
  /** Of the check that made it. */
  readonly check: string
  readonly image: string
}

interface RelayPod {
  readonly name: string
  readonly node: string
  readonly phase: string
  /** Why its container does not run, where the node says. */
  readonly waitingFor?: string
}

export async function createRelayJob(client: ApiClient, job: RelayJob, signal: AbortSignal): Promise<void> {
  await client.ask({ verb: 'create', resource: RESOURCE, path: collection(job.namespace), body: manifest(job) }, signal)
}

/** With its pod. */
export async function deleteRelayJob(
  client: ApiClient,
  { namespace, name }: Pick<RelayJob, 'namespace' | 'name'>,
  signal: AbortSignal,
): Promise<void> {
  const path = `${collection(namespace)}/${segment(name)}`
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }
  const call: ApiCall = { verb: 'delete', resource: RESOURCE, path, body }
  await client.ask(call, signal)
}

/** Pods of the relays of one check. */
export const relayPods = ({ namespace, check }: Pick<RelayJob, 'namespace' | 'check'>): Resource<RelayPod> => ({
  path: `/api/v1/namespaces/${segment(namespace)}/pods`,
  resource: 'pods',
  query: { labelSelector: `${LABEL}=${check}` },
  parse: parseRelayPod,
})

function parseRelayPod(object: Untrusted): RelayPod {
  const status = object.at('status')
  const [reason] = status
    .at('containerStatuses')
    .each()
    .flatMap((container) => container.at('state').at('waiting').at('reason').optionalText() ?? [])
  return {
    name: object.at('metadata').at('name').text(),
    node: object.at('spec').at('nodeName').textOr(''),
    phase: status.at('phase').textOr('Unknown'),
    ...present({ waitingFor: reason }),
  }
}

const collection = (namespace: string): string => `/apis/batch/v1/namespaces/${segment(namespace)}/jobs`

/** What every relay is, wherever it runs. */
export const RELAY_CONTAINER = {
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    runAsNonRoot: true,
    runAsUser: NONROOT,
    runAsGroup: NONROOT,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
} as const

export const relayArgs = (port: number): readonly string[] => [
  'dns-relay',
  `--port=${port}`,
  `--idle-limit=${IDLE_LIMIT_SECONDS}s`,
]

/** It holds no token, no capability and no file, and fits the Pod Security Standard "restricted". */
function manifest({ namespace, name, node, check, image }: RelayJob): object {
  const labels = { 'app.kubernetes.io/name': 'evenkeel', 'app.kubernetes.io/component': 'dns-relay', [LABEL]: check }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name, labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: LIFE_LIMIT_SECONDS,
      ttlSecondsAfterFinished: LEFT_SECONDS,
      template: {
        metadata: { labels },
        spec: {
          nodeName: node,
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 1,
          tolerations: [{ operator: 'Exists' }],
          securityContext: {
            runAsNonRoot: true,
            runAsUser: NONROOT,
            runAsGroup: NONROOT,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              ...RELAY_CONTAINER,
              name: 'relay',
              image,
              args: relayArgs(RELAY_PORT),
              resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { memory: '128Mi' } },
            },
          ],
        },
      },
    },
  }
}
