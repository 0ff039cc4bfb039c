import type { Access } from '../../../ground/model/access.ts'
import { present } from '../../../ground/model/present.ts'
import {
  announceAccess,
  budgetAccess,
  deleteAccess,
  eventAccess,
  gateAccess,
  kuredAccess,
  planAccess,
  politeAccess,
  spareAccess,
  wantedAccess,
} from '../../../roll/decide/plan/wanted-access.ts'
import type { RollSpec } from '../../../roll/model/roll-spec.ts'

export interface Manifest {
  readonly comment: string
  readonly object: object
}

/** The identity that `deploy/roll-rbac.yaml` also makes. */
const ACCOUNT = 'evenkeel-roll'
const RBAC = 'rbac.authorization.k8s.io'

/** Exactly the rights that a roll with this file uses, as objects to apply. The names are those of `deploy/roll-rbac.yaml`. */
export function rightsManifests(spec: RollSpec): readonly Manifest[] {
  const { namespace } = spec.slots
  const wanted = rollAccess(spec)
  const places = [...new Set(wanted.map((access) => access.namespace))]
  return [
    {
      comment: 'The namespace of the slots: one Lease for each node that may be out.',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    },
    {
      comment: 'Who rolls. To roll as a person or a group, change "subjects" below.',
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace } },
    },
    ...places.flatMap((place) =>
      grant(
        wanted.filter((access) => access.namespace === place),
        { place, account: { namespace, name: ACCOUNT } },
      ),
    ),
    ...ofKured(spec, { namespace, name: ACCOUNT }),
  ]
}

interface Account {
  readonly namespace: string
  readonly name: string
}

/** What pods of Rolls need of this file beyond the rights that the chart gives their account. */
export function furtherRights(spec: RollSpec, account: Account): readonly Manifest[] {
  const wanted = [
    ...politeAccess(spec.drain),
    ...deleteAccess(spec.drain),
    ...announceAccess(spec),
    ...gateAccess(spec),
  ]
  const places = [...new Set(wanted.map((access) => access.namespace))]
  const title = [`${account.name}-further`, 'What the RollSchedule needs beyond the rights of the chart.'] as const
  return [
    ...places.flatMap((place) =>
      grant(
        wanted.filter((access) => access.namespace === place),
        { place, account, title },
      ),
    ),
    ...ofKured(spec, account),
  ]
}

/** A Role of its own: a roll can do without the other rights in that namespace. */
const ofKured = (spec: RollSpec, account: Account): readonly Manifest[] => {
  const { kuredLock } = spec.reboot
  if (kuredLock === undefined) return []
  const title = [`${account.name}-kured`, 'The lock of kured, an annotation of its DaemonSet.'] as const
  return grant(kuredAccess(spec), { place: kuredLock.namespace, account, title })
}

const rollAccess = (spec: RollSpec): readonly Access[] => [
  ...wantedAccess(spec.slots.namespace),
  ...politeAccess(spec.drain),
  ...deleteAccess(spec.drain),
  ...planAccess,
  ...budgetAccess(spec.slots),
  ...spareAccess(spec.dns),
  ...eventAccess,
  ...announceAccess(spec),
]

interface Place {
  /** Absent: the whole cluster. */
  readonly place: string | undefined
  readonly account: Account
  /** Absent: the title of its namespace. */
  readonly title?: readonly [name: string, comment: string]
}

function grant(wanted: readonly Access[], at: Place): readonly Manifest[] {
  const { place, account } = at
  const [name, comment] = at.title ?? titleOf(at)
  const kind = place === undefined ? 'ClusterRole' : 'Role'
  const metadata = { name, ...present({ namespace: place }) }
  const apiVersion = `${RBAC}/v1`
  const subjects = [{ kind: 'ServiceAccount', ...account }]
  return [
    { comment, object: { apiVersion, kind, metadata, rules: rulesOf(wanted) } },
    {
      comment: '',
      object: { apiVersion, kind: `${kind}Binding`, metadata, roleRef: { apiGroup: RBAC, kind, name }, subjects },
    },
  ]
}

const TITLES: Readonly<Record<string, readonly [name: string, comment: string]>> = {
  'kube-node-lease': ['evenkeel-heartbeats', 'The heartbeats of the nodes: they prove that a node is back.'],
  'kube-system': ['evenkeel-corefile', 'The cluster domain and the address of DNS. May be left out.'],
  default: ['evenkeel-node-events', 'Events on Nodes, for kubectl describe node. May be left out.'],
}

function titleOf({ place, account }: Place): readonly [name: string, comment: string] {
  if (place === undefined) return [ACCOUNT, 'What a roll reads, and its writes: to nodes, and evictions.']
  if (place === account.namespace) return ['evenkeel-slots', 'The slots of the node budget.']
  return TITLES[place] ?? [ACCOUNT, 'Pods of this namespace, as the roll file names it.']
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** One rule for all resources of a group with the same verbs, and for all names of a resource. */
function rulesOf(wanted: readonly Access[]): readonly Rule[] {
  const verbs = new Map<string, { readonly access: Access; readonly verbs: Set<string> }>()
  for (const access of wanted) {
    const key = JSON.stringify([access.group, resourceOf(access), access.name])
    const known = verbs.get(key) ?? { access, verbs: new Set() }
    verbs.set(key, { access, verbs: known.verbs.add(access.verb) })
  }
  const alike = Map.groupBy(verbs.values(), ({ access, verbs: of }) =>
    JSON.stringify([access.group, [...of], access.name === undefined ? '' : resourceOf(access)]),
  )
  return [...alike.values()].map(([first, ...more]): Rule => {
    const rights = first === undefined ? [] : [first, ...more]
    const names = rights.flatMap(({ access: { name } }) => (name === undefined ? [] : [name]))
    return {
      apiGroups: [first?.access.group ?? ''],
      resources: [...new Set(rights.map(({ access }) => resourceOf(access)))],
      ...(names.length === 0 ? {} : { resourceNames: names }),
      verbs: [...(first?.verbs ?? [])],
    }
  })
}

const resourceOf = ({ resource, subresource }: Access): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`
