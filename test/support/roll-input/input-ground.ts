import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { RollBed } from '../roll-bed/roll-bed.ts'

const container = { name: 'app', image: 'testbed.local/app:1', imagePullPolicy: 'Never' }

/** A pod on n2 that keeps data of its own in an emptyDir, and one on n3 that has no controller. */
function oddPods(): readonly object[] {
  const cache = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'cache' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { odd: 'cache' } },
      template: {
        metadata: { labels: { odd: 'cache' } },
        spec: {
          nodeName: 'n2',
          containers: [{ ...container, volumeMounts: [{ name: 'kept', mountPath: '/kept' }] }],
          volumes: [{ name: 'kept', emptyDir: {} }],
        },
      },
    },
  }
  const lonely = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'lonely', labels: { odd: 'lonely' } },
    spec: { nodeName: 'n3', containers: [container] },
  }
  return [cache, lonely]
}

/** Sockets of a HAProxy that has something wrong with each of its backends. */
interface OddLb {
  readonly admin: string
  /** May read, and set nothing. */
  readonly operator: string
}

async function startOddLb(bed: Bed): Promise<OddLb> {
  const { socket } = await bed.haproxy(configOf(bed.nodes.map((node) => bed.nodeAddress(node))), { name: 'odd' })
  return { admin: socket, operator: `${socket}.operator` }
}

/**
 * `guarded`: an agent has a say in n1. `others`: leads to every node but n1. `control`: the API by its port.
 */
function configOf(addresses: readonly string[]): string {
  const servers = (rest: string, skip = 0): string =>
    addresses.map((address, i) => (i < skip ? '' : `  server n${i + 1} ${address}:${rest}\n`)).join('')
  return `global
  maxconn 100
  stats socket @SOCKET@ mode 600 level admin
  stats socket @SOCKET@.operator mode 600 level operator
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 10s
  option httpchk GET /readyz
  default-server check inter 2s
frontend odd
  bind 127.0.0.1:18090
  default_backend web
backend web
${servers('30080')}
backend guarded
${servers('30080 agent-check agent-port 9 agent-inter 60s')}
backend others
${servers('30080', 1)}
backend control
  mode tcp
  option tcp-check
  server cp 10.77.0.1:6443
${servers('6443')}
`
}

/** A right of the shipped identity that a user is not given. */
interface MissingRight {
  readonly verb: string
  readonly resource: string
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

interface RbacObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string }
}

const SHIPPED = new URL('../../../deploy/roll-rbac.yaml', import.meta.url)

/** Objects that give `user` the rights of the shipped identity but for one. */
function narrowedRbac(user: string, missing: MissingRight): readonly object[] {
  return parseAllDocuments(readFileSync(SHIPPED, 'utf8'))
    .map((document) => document.toJS() as RbacObject)
    .filter(({ kind }) => kind.startsWith('Role') || kind.startsWith('ClusterRole'))
    .map((object) => renamed(object, user))
    .map(({ rules, ...object }) => (rules === undefined ? object : { ...object, rules: narrowed(rules, missing) }))
}

function renamed(object: RbacObject, user: string): RbacObject & { readonly subjects?: readonly object[] } {
  const name = (plain: string): string => `${plain}-${user}`
  const metadata = { ...object.metadata, name: name(object.metadata.name) }
  if (object.roleRef === undefined) return { ...object, metadata }
  const { apiGroup } = object.roleRef
  const roleRef = { ...object.roleRef, name: name(object.roleRef.name) }
  return { ...object, metadata, roleRef, subjects: [{ kind: 'User', name: user, apiGroup }] }
}

function narrowed(rules: readonly Rule[], { verb, resource }: MissingRight): readonly Rule[] {
  return rules
    .flatMap((rule) => rule.resources.map((one) => ({ ...rule, resources: [one] })))
    .map((rule) =>
      rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((given) => given !== verb) } : rule,
    )
    .filter(({ verbs }) => verbs.length > 0)
}

/** The right that each user lacks. */
const NARROWED: Readonly<Record<string, MissingRight>> = {
  'no-patch': { verb: 'patch', resource: 'nodes' },
  'no-evict': { verb: 'create', resource: 'pods/eviction' },
  'no-slots': { verb: 'create', resource: 'leases' },
  'no-list': { verb: 'list', resource: 'nodes' },
}

type GroundParts = Pick<
  InputGround,
  'roll' | 'odd' | 'kubeconfig' | 'goneKubeconfig' | 'administratorKubeconfig' | 'clusterUid'
>

/**
 * A real cluster with all that wrong input may point at. n1 is as it should be; n2 carries a pod that keeps data, n3 one
 * that nothing would replace, and a record that cannot be read.
 */
export class InputGround {
  readonly roll: RollBed
  readonly odd: OddLb
  readonly kubeconfig: string
  /** Of an account that was deleted. */
  readonly goneKubeconfig: string
  /** Of an administrator, who may do everything, and so is told what there is. */
  readonly administratorKubeconfig: string
  readonly clusterUid: string

  private constructor(parts: GroundParts) {
    this.roll = parts.roll
    this.odd = parts.odd
    this.kubeconfig = parts.kubeconfig
    this.goneKubeconfig = parts.goneKubeconfig
    this.administratorKubeconfig = parts.administratorKubeconfig
    this.clusterUid = parts.clusterUid
  }

  static async open(): Promise<InputGround> {
    const roll = await RollBed.open({ fast: true, database: false })
    try {
      const { bed } = roll
      const gone = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gone', namespace: 'default' } }
      // Its finalizer keeps it from ever being gone.
      const going = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'going', finalizers: ['example.com/stays'] },
      }
      const rights = Object.entries(NARROWED).flatMap(([user, right]) => narrowedRbac(user, right))
      await bed.apply([gone, going, ...rights, ...oddPods()])
      const [odd, kubeconfig, goneKubeconfig, administrator, clusterUid] = await Promise.all([
        startOddLb(bed),
        bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll').then(({ inside }) => inside),
        bed.serviceAccountKubeconfig('default', 'gone').then(({ inside }) => inside),
        bed.userKubeconfig('administrator', { group: 'system:masters' }),
        bed.kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']),
      ])
      await bed.kubectl(['delete', 'serviceaccount', 'gone', '--namespace', 'default'])
      await bed.kubectl(['delete', 'namespace', 'going', '--wait=false'])
      await bed.kubectl(['annotate', 'node', 'n3', `${RECORD_ANNOTATION}={}`])
      await podsAreThere(roll)
      const administratorKubeconfig = administrator.inside
      const kubeconfigs = { kubeconfig, goneKubeconfig, administratorKubeconfig }
      return new InputGround({ roll, odd, clusterUid, ...kubeconfigs })
    } catch (error) {
      await roll.close()
      throw error
    }
  }

  /** Kubeconfig of a user of that name, by a certificate of the cluster's own authority. */
  async userKubeconfig(name: string, notAfter?: Date): Promise<string> {
    const { inside } = await this.roll.bed.userKubeconfig(name, notAfter === undefined ? {} : { notAfter })
    return inside
  }

  /** The shipped identity's kubeconfig with something written otherwise. */
  changedKubeconfig(change: (text: string) => string): string {
    return this.write('kubeconfig', change(readFileSync(this.kubeconfig, 'utf8')))
  }

  /** A roll.yaml for n1 alone that nothing is wrong with, but for `change`, which is merged over its spec. */
  file(change: Readonly<Record<string, unknown>> = {}): string {
    return this.roll.file({ spec: { nodes: { names: ['n1'] }, ...change } })
  }

  /** A new directory's file. */
  write(name: string, text: string): string {
    const path = join(this.directory(), name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  directory(): string {
    return mkdtempSync(join(this.roll.bed.dir, 'input-'))
  }

  close(): Promise<void> {
    return this.roll.close()
  }
}

const podsAreThere = ({ bed }: RollBed): Promise<true> =>
  waitFor({ what: 'the odd pods to be there', limitMs: 30_000, everyMs: 300 }, async () => {
    const pods = await bed.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].metadata.labels.odd}'])
    return pods.includes('cache') && pods.includes('lonely') ? true : undefined
  })
