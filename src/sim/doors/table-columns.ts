import type { ApiObject } from '../world/api-object.ts'
import {
  type ApiResource,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  NODES,
  PODS,
  REPLICA_SETS,
  SERVICES,
  STATEFUL_SETS,
} from '../world/api-resource.ts'
import { ageText } from './age-text.ts'

interface TableColumn {
  readonly name: string
  readonly wide?: boolean
  readonly cell: (object: ApiObject, nowMs: number) => string | number
}

interface Condition {
  readonly type: string
  readonly status: string
}

/** What these columns read; each field may be missing. */
type Loose = ApiObject & {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly nodeName?: string
    readonly unschedulable?: boolean
    readonly containers?: readonly unknown[]
    readonly ports?: readonly { readonly port: number; readonly nodePort?: number; readonly protocol?: string }[]
  }
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly phase?: string
    readonly podIP?: string
    readonly conditions?: readonly Condition[]
    readonly nodeInfo?: { readonly kubeletVersion?: string }
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly containerStatuses?: readonly { readonly ready?: boolean; readonly restartCount?: number }[]
  }
}

const column = (name: string, cell: (object: Loose, nowMs: number) => string | number, wide = false): TableColumn => ({
  name,
  cell: (object, nowMs) => cell(object as Loose, nowMs),
  wide,
})

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
const text = (value: unknown): string => (value === undefined || value === '' ? '<none>' : String(value))

const NAME = column('Name', ({ metadata }) => metadata.name)
const AGE = column('Age', ({ metadata }, nowMs) => ageText(nowMs - Date.parse(metadata.creationTimestamp)))

const READY = column('Ready', ({ spec, status }) => `${count(status?.readyReplicas)}/${count(spec?.replicas)}`)

const COLUMNS: ReadonlyMap<ApiResource, readonly TableColumn[]> = new Map([
  [
    NODES,
    [
      NAME,
      column('Status', nodeStatus),
      column('Roles', nodeRoles),
      AGE,
      column('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
      column(
        'Internal-IP',
        ({ status }) => text(status?.addresses?.find(({ type }) => type === 'InternalIP')?.address),
        true,
      ),
    ],
  ],
  [
    PODS,
    [
      NAME,
      column('Ready', ({ spec, status }) => {
        const statuses = status?.containerStatuses ?? []
        return `${statuses.filter((each) => each.ready === true).length}/${spec?.containers?.length ?? 0}`
      }),
      column('Status', podStatus),
      column('Restarts', ({ status }) =>
        Math.max(0, ...(status?.containerStatuses ?? []).map((each) => count(each.restartCount))),
      ),
      AGE,
      column('IP', ({ status }) => text(status?.podIP), true),
      column('Node', ({ spec }) => text(spec?.nodeName), true),
    ],
  ],
  [
    DEPLOYMENTS,
    [
      NAME,
      READY,
      column('Up-to-date', ({ status }) => count(status?.updatedReplicas)),
      column('Available', ({ status }) => count(status?.availableReplicas)),
      AGE,
    ],
  ],
  [STATEFUL_SETS, [NAME, READY, AGE]],
  [
    REPLICA_SETS,
    [
      NAME,
      column('Desired', ({ spec }) => count(spec?.replicas)),
      column('Current', ({ status }) => count(status?.replicas)),
      column('Ready', ({ status }) => count(status?.readyReplicas)),
      AGE,
    ],
  ],
  [
    DAEMON_SETS,
    [
      NAME,
      column('Desired', ({ status }) => count(status?.desiredNumberScheduled)),
      column('Current', ({ status }) => count(status?.currentNumberScheduled)),
      column('Ready', ({ status }) => count(status?.numberReady)),
      column('Available', ({ status }) => count(status?.numberAvailable)),
      AGE,
    ],
  ],
  [
    DISRUPTION_BUDGETS,
    [
      NAME,
      column('Min Available', ({ spec }) => text(spec?.minAvailable ?? 'N/A')),
      column('Max Unavailable', ({ spec }) => text(spec?.maxUnavailable ?? 'N/A')),
      column('Allowed Disruptions', ({ status }) => count(status?.disruptionsAllowed)),
      AGE,
    ],
  ],
  [
    SERVICES,
    [
      NAME,
      column('Type', ({ spec }) => text(spec?.type)),
      column('Cluster-IP', ({ spec }) => text(spec?.clusterIP)),
      column('External-IP', () => '<none>'),
      column('Port(s)', ({ spec }) => (spec?.ports ?? []).map(portText).join(',')),
      AGE,
    ],
  ],
])

/** What kubectl shows of a kind, as the API server has it (pkg/printers/internalversion). */
export const columnsOf = (resource: ApiResource): readonly TableColumn[] => COLUMNS.get(resource) ?? [NAME, AGE]

function nodeStatus({ spec, status }: Loose): string {
  const isReady = status?.conditions?.find(({ type }) => type === 'Ready')?.status
  const words = [isReady === 'True' ? 'Ready' : isReady === undefined ? 'Unknown' : 'NotReady']
  return [...words, ...(spec?.unschedulable === true ? ['SchedulingDisabled'] : [])].join(',')
}

function nodeRoles({ metadata }: Loose): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(prefix))
  return text(
    roles
      .map((label) => label.slice(prefix.length))
      .toSorted()
      .join(','),
  )
}

function podStatus({ metadata, status }: Loose): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Unknown') : 'Terminating'
}

const portText = ({
  port,
  nodePort,
  protocol = 'TCP',
}: {
  readonly port: number
  readonly nodePort?: number
  readonly protocol?: string
}): string => `${port}${nodePort === undefined ? '' : `:${nodePort}`}/${protocol}`
